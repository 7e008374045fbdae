package budget

import (
	"strings"
	"testing"
	"time"
)

func TestCaps(t *testing.T) {
	for want, c := range map[string]Caps{
		"": {Until: "--sandbox off"},
		"--max-cost 2.5 --max-tokens 9 --max-time 1h30m --until 07:00": {2_500_000, 9, 90 * time.Minute, "7:00"},
		"--max-cost 7 --max-time 45s":                                  {MicroUSD: 7_000_000, Time: 45 * time.Second},
		"--max-time 2h":                                                {Time: 2 * time.Hour},
	} {
		if got := strings.Join(c.Flags(), " "); got != want {
			t.Errorf("%+v: %q, want %q", c, got, want)
		}
	}
	if got := (Caps{MicroUSD: 1, Until: "07:00"}).Or(Caps{2, 3, 4, "08:00"}); got != (Caps{1, 3, 4, "07:00"}) {
		t.Errorf("%+v", got)
	}
}
