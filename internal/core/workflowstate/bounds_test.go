package workflowstate

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"warp/internal/core/budget"
)

func TestAmounts(t *testing.T) {
	for micro, want := range map[int64]string{0: "$0.00", 4_999: "$0.00", 5_000: "$0.01", 750_000: "$0.75", 12_345_678: "$12.35", -5: "$0.00", 999_995_000: "$1000.00"} {
		if got := Dollars(micro); got != want {
			t.Errorf("%d: %s", micro, got)
		}
	}
	for text, want := range map[string]int64{"$10": 10_000_000, " 0.75 ": 750_000, "$1.5": 1_500_000, "$0.000001": 1, "$.5": -1, "": -1, "$": -1, "$1.2.3": -1, "$-1": -1, "$1e3": -1, "$0.1234567": -1, "$99999999999": -1, "ten": -1, "$1.": -1} {
		got, err := budget.ParseDollars(text)
		if (err != nil) != (want < 0) || err == nil && got != want {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for d, want := range map[time.Duration][3]string{
		0:                               {"0h 0m 0s", "0m 0s", "0s"},
		12 * time.Second:                {"0h 0m 12s", "0m 12s", "12s"},
		15*time.Minute + 23*time.Second: {"0h 15m 23s", "15m 23s", "15m 23s"},
		2 * time.Hour:                   {"2h 0m 0s", "2h 0m 0s", "2h"},
		90*time.Minute + 1:              {"1h 30m 0s", "1h 30m 0s", "1h 30m 1s"},
		100*time.Hour + 999:             {"100h 0m 0s", "100h 0m 0s", "100h 1s"},
	} {
		if got := [3]string{elapsed(d), taskTime(d), timeLimit(d)}; got != want {
			t.Errorf("%v: %q", d, got)
		}
	}
	for _, text := range []string{"", "x", "-2h", "2", "1h +3m"} {
		if d, err := budget.ParseTime(text); err == nil {
			t.Errorf("%q: %v", text, d)
		}
	}
}

// What is printed can be read again, and limits lose nothing.
func TestAmountsAreReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		micro := rapid.Int64Range(0, 1_000_000_000_000_000).Draw(t, "micro")
		if got, err := budget.ParseDollars(dollarLimit(micro)); err != nil || got != micro {
			t.Fatal(micro, dollarLimit(micro), got, err)
		}
		if got, err := budget.ParseDollars(Dollars(micro)); micro < 999_000_000_000_000 && (err != nil || got-micro > 5000 || micro-got > 5000) {
			t.Fatal(micro, Dollars(micro), got, err)
		}
		d := time.Duration(rapid.Int64Range(0, 1_000_000).Draw(t, "seconds")) * time.Second
		for _, text := range []string{elapsed(d), taskTime(d), timeLimit(d)} {
			if got, err := budget.ParseTime(text); err != nil || got != d {
				t.Fatal(d, text, got, err)
			}
		}
	})
}

func TestCheck(t *testing.T) {
	b := boundsOf(Limits{Iterations: 4, MicroUSD: 10_000_000, Time: time.Hour})
	for _, c := range []struct {
		iterations int
		micro      int64
		total      time.Duration
		want       string
	}{
		{2, 7_499_999, 44 * time.Minute, "[]"},
		{2, 7_500_000, 0, "[{cost 75 Cost at 75% of limit}]"},
		{3, 0, 0, "[{iterations 75 Iterations of task 1.2 at 75% of limit}]"},
		{0, 0, 54 * time.Minute, "[{time 75 Time at 75% of limit} {time 90 Time at 90% of limit}]"},
		{0, 9_999_999, 0, "[{cost 75 Cost at 75% of limit} {cost 90 Cost at 90% of limit}]"},
		{0, 10_000_000, 0, "[{cost 75 Cost at 75% of limit} {cost 90 Cost at 90% of limit} {cost 100 Cost at 100% of limit}]"},
		{0, math.MaxInt64 / 1024, 0, "[{cost 75 Cost at 75% of limit} {cost 90 Cost at 90% of limit} {cost 100 Cost at 100% of limit}]"},
	} {
		got := b.Check("1.2", c.iterations, c.micro, c.total)
		if fmt.Sprint(got) != c.want {
			t.Errorf("%+v: %v", c, got)
		}
		for _, x := range got {
			if x.Stop() != (x.Percent == 100) {
				t.Error(x)
			}
		}
	}
}

func TestLimitsThatNobodySetAreTheUsualOnes(t *testing.T) {
	for _, b := range []Bounds{{}, {MaxCost: "much", MaxTime: "long"}, boundsOf(Limits{})} {
		if b.Limits() != DefaultLimits {
			t.Error(b.Limits())
		}
	}
	b := Bounds{MaxIterations: 1, MaxCost: "$0", MaxTime: "1s"}
	if got := b.Check("1", 0, 0, 0); len(got) != 3 || !got[2].Stop() {
		t.Errorf("no money is no money: %v", got)
	}
}

func TestAWarningIsGivenOnceForEachLimit(t *testing.T) {
	s := Begin(plan(), clock(12, 0, 0))
	s.SafetyBounds.Warnings = []string{"theirs"}
	s.TaskBegun("1.1", clock(12, 0, 0))
	s.IterationDone("1.1", 1, 9_200_000, time.Minute)
	fresh := s.SafetyBounds.Warn(s.Crossed("1.1", 0))
	if len(fresh) != 2 || fmt.Sprint(s.SafetyBounds.Warnings) != "[theirs Cost at 75% of limit Cost at 90% of limit]" {
		t.Error(fresh, s.SafetyBounds.Warnings)
	}
	if fresh := s.SafetyBounds.Warn(s.Crossed("1.1", 0)); len(fresh) > 0 {
		t.Error(fresh)
	}
	s.IterationDone("1.1", 24, 0, time.Minute)
	s.SafetyBounds.Warn(s.Crossed("1.1", 0))
	if !s.Extend("first", Limits{MicroUSD: 2_250_000, Time: 30 * time.Minute}) || s.Extend("first", Limits{MicroUSD: 1}) {
		t.Error("once for each step")
	}
	b := s.SafetyBounds
	if b.MaxCost != "$12.25" || b.MaxTime != "2h 30m" || b.MaxIterations != 30 || fmt.Sprint(b.Warnings) != "[theirs Cost at 75% of limit Iterations of task 1.1 at 75% of limit]" {
		t.Errorf("%+v", b)
	}
	s.IterationDone("1.1", 2, 2_000_000, time.Minute)
	if n := s.PendingTasks.Find("1.1").Iterations; n != 24 {
		t.Errorf("%d iterations: what is told late takes none back", n)
	}
	if fresh := s.SafetyBounds.Warn(s.Crossed("1.1", 0)); len(fresh) != 1 || fresh[0].Percent != 90 {
		t.Error(fresh)
	}
	s.Extend("second", Limits{Iterations: 30, MicroUSD: -5, Time: -5})
	if l := s.SafetyBounds.Limits(); l != (Limits{60, 12_250_000, 150 * time.Minute}) {
		t.Error(l)
	}
}

// Small sums add up, though they make no cent each; what a person writes over
// the sum counts.
func TestUnknownCosts(t *testing.T) {
	s := Begin(plan(), clock(12, 0, 0))
	s.CountUnpriced("1.1")
	s.CountUnpriced("")
	s.TaskDone(Finish{Task: "1.1"}, clock(12, 1, 0))
	s, _ = read(t, string(Print(s, nil)))
	if s.SafetyBounds.Unpriced != 2 || s.CompletedTasks[0].Unpriced != 1 {
		t.Errorf("%+v, %+v", s.SafetyBounds, s.CompletedTasks)
	}
	for want, c := range map[string]struct {
		micro    int64
		unpriced int
	}{"$0.00": {0, 0}, "$1.50": {1_500_000, 0}, "unknown": {0, 1}, "at least $1.50": {1_500_000, 2}} {
		if have := CostText(c.micro, c.unpriced); have != want {
			t.Errorf("%+v: %q, not %q", c, have, want)
		}
	}
}

func TestCostsAreExact(t *testing.T) {
	s := Begin(plan(), clock(12, 0, 0))
	for i := range 1000 {
		s.IterationDone("1.1", i+1, 1_234, time.Duration(i)*1500*time.Millisecond)
		again, _ := read(t, string(Print(s, nil)))
		s = again
	}
	if s.SafetyBounds.Cost() != 1_234_000 || s.SafetyBounds.CostSoFar != "$1.23" || s.SafetyBounds.Elapsed() != 1498500*time.Millisecond || s.SafetyBounds.ElapsedTime != "0h 24m 58s" {
		t.Errorf("%+v", s.SafetyBounds)
	}
	s.SafetyBounds.CostSoFar, s.SafetyBounds.ElapsedTime = "$5", "1h"
	s.Spent("x", "", 1)
	s.SafetyBounds.RaiseElapsed(0)
	if s.SafetyBounds.Cost() != 5_000_001 || s.SafetyBounds.CostSoFar != "$5.00" || s.SafetyBounds.ElapsedTime != "1h 0m 0s" {
		t.Errorf("%+v", s.SafetyBounds)
	}
}
