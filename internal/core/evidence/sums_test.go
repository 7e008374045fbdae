package evidence

import (
	"math"
	"slices"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/questions"
	"warp/internal/core/text"
)

func TestWhatWorkHasCostSince(t *testing.T) {
	run := func(at, work string, micro int64) Entry[Run] {
		return Entry[Run]{At: at, Row: Run{Work: work, MicroUSD: micro}}
	}
	b := &Book{Others: []Entry[Run]{run("2026-03-01T10:00:00Z", "session a", 1), run("2026-03-02T10:00:00Z", "session a", 10), run("2026-03-02T10:00:00Z", "session b", 100)}}
	since := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	if c := b.SpentBy("session a", since); c.MicroUSD != 10 || c.Runs != 1 {
		t.Errorf("%+v", c)
	}
	copied := b.Clone()
	copied.Others = append(copied.Others, run("", "session a", 1000))
	if c := b.SpentBy("session a", time.Time{}); c.MicroUSD != 11 || len(copied.Others) != 4 {
		t.Errorf("%+v: what the copy got is in the book", c)
	}
}

// An agent may claim to have used any number: sums stay sums.
func TestAbsurdClaimsDoNotBecomeDebts(t *testing.T) {
	b := &Book{}
	for range 1000 {
		for _, work := range []string{"", "session a"} {
			data, err := lossless.Parse([]byte(`{"issue":"7","work":"` + work + `","input_tokens":9223372036854775807,"output_tokens":9223372036854775807,"micro_usd":9223372036854775807,"seconds":1e308}`))
			if err != nil {
				t.Fatal(err)
			}
			b.Take(event.Row{Kind: event.Run, At: "2026-03-02T10:00:00Z", Data: data})
		}
	}
	if c := b.Spent(time.Time{}); c.Runs != 2000 || c.Tokens <= 0 || c.MicroUSD <= 0 || math.IsInf(c.Seconds, 0) {
		t.Errorf("%+v", c)
	}
}

func TestTheNewestLandingOfEachBranch(t *testing.T) {
	b := &Book{}
	for _, l := range []Landed{{Branch: "a", Pull: 1}, {Branch: "b"}, {Branch: "a", Pull: 2}} {
		b.Landed = append(b.Landed, Entry[Landed]{Row: l})
	}
	if got := b.Landings(); len(got) != 2 || got[0].Branch != "b" || got[1].Pull != 2 {
		t.Errorf("%+v", got)
	}
}

func TestTheTestsThatFailed(t *testing.T) {
	for name, c := range map[string]struct {
		rows []Tested
		want []string
	}{
		"none ran":          {nil, nil},
		"they passed since": {[]Tested{{Failing: []string{"a"}}, {Passed: true}}, nil},
		"what they broke":   {[]Tested{{Failing: []string{"a", "b"}, Broke: []string{"b"}}}, []string{"b"}},
		"all of them":       {[]Tested{{Failing: []string{"a"}}, {Failing: []string{"c"}, Stage: "baseline"}, {NotRun: true}}, []string{"a"}},
	} {
		b := &Book{}
		for _, r := range c.rows {
			b.Tests = append(b.Tests, Entry[Tested]{Row: r})
		}
		if got := b.Failing(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestSumsAndAnswersInWords(t *testing.T) {
	for want, c := range map[string]Cost{"$1.50": {MicroUSD: 1_500_000, Runs: 1}, "unknown": {Runs: 1, Unpriced: 1}, "at least $1.50": {MicroUSD: 1_500_000, Runs: 2, Unpriced: 1}} {
		if got := c.Sum(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := text.Asleep(90 * time.Second); got != "asleep for 1 min 30 s: not counted" {
		t.Error(got)
	}
	if got := (Decision{Answer: "red", By: questions.ByDefault}).FormatAnswer(); got != "red (the default: no answer came in time)" {
		t.Error(got)
	}
	if got := (Decision{Answer: "red", By: "ann"}).FormatAnswer(); got != "red" {
		t.Error(got)
	}
}
