package live

import (
	"strings"
	"testing"
	"time"

	"warp/internal/core/livestate"
)

// An agent that reports no price is not free.
func TestAnUnknownCostIsNotZero(t *testing.T) {
	began := time.Unix(0, 0)
	for want, s := range map[string]livestate.State{
		"1200 tokens · cost unknown · ": {Tokens: 1200},
		"1200 tokens · $0.25 · ":        {Tokens: 1200, MicroUSD: 250_000},
	} {
		e := engines{seen: []livestate.State{s}, began: began}
		if got := e.meter(began.Add(time.Second)); !strings.HasPrefix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
