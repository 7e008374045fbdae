package workflowstate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/budget"
)

// Limits bound a workflow.
type Limits struct {
	Iterations int // of each task
	MicroUSD   int64
	Time       time.Duration
}

// DefaultLimits hold where nothing is said: there is always a limit.
var DefaultLimits = Limits{Iterations: 30, MicroUSD: 10e6, Time: 2 * time.Hour}

// Bounds are the limits, and what is used up of them. Costs and times stand
// there twice: as people read them, and exactly.
type Bounds struct {
	MaxIterations int      `json:"max_iterations_per_task"`
	MaxCost       string   `json:"max_cost"`
	MaxTime       string   `json:"max_time"`
	CostSoFar     string   `json:"cost_so_far"`
	ElapsedTime   string   `json:"elapsed_time"`
	Warnings      []string `json:"warnings"`
	MicroUSD      int64    `json:"cost_micro_usd,omitempty"`
	Millis        int64    `json:"elapsed_ms,omitempty"`
	Tokens        int64    `json:"tokens_so_far,omitempty"`
	ElapsedAt     string   `json:"elapsed_at,omitempty"` // when elapsed_time was written: it runs on while an engine works
}

func boundsOf(l Limits) Bounds {
	b := Bounds{}
	b.setLimits(Limits{cmp.Or(l.Iterations, DefaultLimits.Iterations), cmp.Or(l.MicroUSD, DefaultLimits.MicroUSD), cmp.Or(l.Time, DefaultLimits.Time)})
	b.setCost(0)
	b.setElapsed(0)
	return b
}

func (b *Bounds) setLimits(l Limits) {
	b.MaxIterations, b.MaxCost, b.MaxTime = l.Iterations, dollarLimit(l.MicroUSD), timeLimit(l.Time)
}

// Limits are those in force. What cannot be read is the default.
func (b *Bounds) Limits() Limits {
	l := Limits{Iterations: cmp.Or(b.MaxIterations, DefaultLimits.Iterations)}
	var err error
	if l.MicroUSD, err = budget.ParseDollars(b.MaxCost); err != nil {
		l.MicroUSD = DefaultLimits.MicroUSD
	}
	if l.Time, err = budget.ParseTime(b.MaxTime); err != nil {
		l.Time = DefaultLimits.Time
	}
	return l
}

// Cost is what was spent, in micro-dollars. Where a person has edited the sum in
// the file, what they wrote counts.
func (b *Bounds) Cost() int64 {
	if said, err := budget.ParseDollars(b.CostSoFar); err == nil && Dollars(b.MicroUSD) != b.CostSoFar {
		return said
	}
	return b.MicroUSD
}

// Elapsed is how long the workflow was at work, likewise.
func (b *Bounds) Elapsed() time.Duration {
	exact := time.Duration(b.Millis) * time.Millisecond
	if said, err := budget.ParseTime(b.ElapsedTime); err == nil && elapsed(exact) != b.ElapsedTime {
		return said
	}
	return exact
}

// RaiseElapsed sets how long the workflow has been at work. It never goes back.
func (b *Bounds) RaiseElapsed(total time.Duration) { b.setElapsed(max(total, b.Elapsed())) }

// ElapsedBy is how long the workflow has been at work at a moment when an engine is
// at it: what was written, and the time since.
func (b *Bounds) ElapsedBy(now time.Time) time.Duration {
	total := b.Elapsed()
	if at, err := time.Parse(time.RFC3339, b.ElapsedAt); err == nil && now.After(at) {
		total += now.Sub(at)
	}
	return total
}

func (b *Bounds) setCost(microUSD int64) {
	b.MicroUSD, b.CostSoFar = microUSD, Dollars(microUSD)
}

func (b *Bounds) setElapsed(d time.Duration) {
	b.Millis, b.ElapsedTime = d.Milliseconds(), elapsed(d)
}

// Crossing is a part of a limit that is used up.
type Crossing struct {
	Bound   string // PausedCost, PausedTime, PausedIterations: the reason of the pause that follows
	Percent int    // 75 and 90 warn, 100 stops
	Text    string
}

// Stop tells whether nothing more may be begun.
func (c Crossing) Stop() bool { return c.Percent >= 100 }

// Check holds what was used up against the limits: iterations of one task, money
// and time of the workflow.
func (b *Bounds) Check(task string, iterations int, microUSD int64, total time.Duration) (crossed []Crossing) {
	l := b.Limits()
	for _, h := range []struct {
		bound, name string
		used, most  int64
	}{
		{PausedCost, "Cost", microUSD, l.MicroUSD},
		{PausedTime, "Time", int64(total / time.Millisecond), int64(l.Time / time.Millisecond)},
		{PausedIterations, "Iterations of task " + task, int64(iterations), int64(l.Iterations)},
	} {
		for _, percent := range []int{75, 90, 100} {
			if h.used*100 >= h.most*int64(percent) {
				crossed = append(crossed, Crossing{h.bound, percent, fmt.Sprintf("%s at %d%% of limit", h.name, percent)})
			}
		}
	}
	return crossed
}

// Crossed is Check for a task of this workflow, by what was counted. total is how
// long it has been at work by now.
func (s *State) Crossed(task string, total time.Duration) []Crossing {
	p := s.PendingTasks.Progress(task)
	return s.SafetyBounds.Check(task, p.Iterations-p.Before, s.SafetyBounds.Cost(), max(total, s.SafetyBounds.Elapsed()))
}

// Warn records crossings, each once, and returns the new ones.
func (b *Bounds) Warn(crossed []Crossing) (fresh []Crossing) {
	for _, c := range crossed {
		if !slices.Contains(b.Warnings, c.Text) {
			b.Warnings = append(b.Warnings, c.Text)
			fresh = append(fresh, c)
		}
	}
	b.Warnings = newest(b.Warnings, maxKept)
	return fresh
}

// Extend adds to the limits, once for each step. Warnings that no longer hold
// are removed, so that they are given again in their time.
func (s *State) Extend(step string, more Limits) bool {
	if !s.once("extend " + step) {
		return false
	}
	l := s.SafetyBounds.Limits()
	s.relax(Limits{l.Iterations + max(0, more.Iterations), l.MicroUSD + max(0, more.MicroUSD), l.Time + max(0, more.Time)})
	return true
}

// Allow sets totals in place of those in force; 0 leaves one as it is. One that
// is used up already is refused: it would stop the next step.
func (s *State) Allow(total Limits) error {
	b := &s.SafetyBounds
	l := b.Limits()
	switch {
	case total.MicroUSD > 0 && total.MicroUSD <= b.Cost():
		return fmt.Errorf("%s is spent already: the new total must be higher", b.CostSoFar)
	case total.Time > 0 && total.Time <= b.Elapsed():
		return fmt.Errorf("it has taken %s already: the new total must be higher", b.ElapsedTime)
	}
	s.relax(Limits{cmp.Or(total.Iterations, l.Iterations), cmp.Or(total.MicroUSD, l.MicroUSD), cmp.Or(total.Time, l.Time)})
	return nil
}

// relax sets limits, and takes back the warnings that no longer hold.
func (s *State) relax(l Limits) {
	b := &s.SafetyBounds
	b.setLimits(l)
	var hold []string
	for _, c := range s.Crossed("", 0) {
		hold = append(hold, c.Text)
	}
	for _, p := range s.PendingTasks {
		for _, c := range s.Crossed(p.Task, 0) {
			hold = append(hold, c.Text)
		}
	}
	b.Warnings = slices.DeleteFunc(b.Warnings, func(w string) bool {
		return strings.HasSuffix(w, "% of limit") && !slices.Contains(hold, w)
	})
}
