package workflowstate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/budget"
)

type Limits struct {
	Iterations int // per task
	MicroUSD   int64
	Time       time.Duration
}

// DefaultLimits apply if nothing is set: there is always a limit.
var DefaultLimits = Limits{Iterations: 30, MicroUSD: 10e6, Time: 2 * time.Hour}

// Bounds are the limits and what is used of them. Costs and times are stored twice: for people, and
// exactly.
type Bounds struct {
	MaxIterations int      `json:"max_iterations_per_task"`
	MaxCost       string   `json:"max_cost"`
	MaxTime       string   `json:"max_time"`
	CostSoFar     string   `json:"cost_so_far"`
	ElapsedTime   string   `json:"elapsed_time"`
	Warnings      []string `json:"warnings"`
	MicroUSD      int64    `json:"cost_micro_usd,omitempty"`
	Millis        int64    `json:"elapsed_ms,omitempty"`
	Unpriced      int      `json:"unpriced_runs,omitempty"` // runs whose cost is not known
	Tokens        int64    `json:"tokens_so_far,omitempty"`
	ElapsedAt     string   `json:"elapsed_at,omitempty"` // when elapsed_time was written; it runs on while an engine works
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

// Limits returns the limits in force, with defaults for unreadable ones.
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

// Cost returns the cost in micro-dollars. If a person edited the sum in the file, their number
// counts.
func (b *Bounds) Cost() int64 {
	if said, err := budget.ParseDollars(b.CostSoFar); err == nil && CostText(b.MicroUSD, b.Unpriced) != b.CostSoFar {
		return said
	}
	return b.MicroUSD
}

// Elapsed returns how long the workflow has worked; a person's edit counts here too.
func (b *Bounds) Elapsed() time.Duration {
	exact := time.Duration(b.Millis) * time.Millisecond
	if said, err := budget.ParseTime(b.ElapsedTime); err == nil && elapsed(exact) != b.ElapsedTime {
		return said
	}
	return exact
}

// RaiseElapsed sets how long the workflow has worked. It never decreases.
func (b *Bounds) RaiseElapsed(total time.Duration) { b.setElapsed(max(total, b.Elapsed())) }

// ElapsedBy returns how long the workflow has worked while an engine runs it: the stored time plus
// the time since.
func (b *Bounds) ElapsedBy(now time.Time) time.Duration {
	total := b.Elapsed()
	if at, err := time.Parse(time.RFC3339, b.ElapsedAt); err == nil && now.After(at) {
		total += now.Sub(at)
	}
	return total
}

func (b *Bounds) setCost(microUSD int64) {
	b.MicroUSD, b.CostSoFar = microUSD, CostText(microUSD, b.Unpriced)
}

// CostText formats a cost. An unknown price is never shown as zero.
func CostText(microUSD int64, unpriced int) string {
	switch {
	case unpriced == 0:
		return Dollars(microUSD)
	case microUSD == 0:
		return "unknown"
	}
	return "at least " + Dollars(microUSD)
}

func (b *Bounds) setElapsed(d time.Duration) {
	b.Millis, b.ElapsedTime = d.Milliseconds(), elapsed(d)
}

// Crossing is a reached share of a limit.
type Crossing struct {
	Bound   string // PausedCost, PausedTime, PausedIterations: the reason for the pause that follows
	Percent int    // 75 and 90 warn, 100 stops
	Text    string
}

// Stop reports whether nothing more may start.
func (c Crossing) Stop() bool { return c.Percent >= 100 }

// Check compares usage with the limits: the iterations of one task, and the workflow's money and
// time.
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

// Crossed is Check for a task of this workflow, with the recorded usage. Total is how long it has
// worked by now.
func (s *State) Crossed(task string, total time.Duration) []Crossing {
	p := s.PendingTasks.Progress(task)
	return s.SafetyBounds.Check(task, p.Iterations-p.Before, s.SafetyBounds.Cost(), max(total, s.SafetyBounds.Elapsed()))
}

// Warn records crossings, once each, and returns the new ones.
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

// Extend raises the limits, once for each step. It removes warnings that no longer apply, so that
// they can appear again later.
func (s *State) Extend(step string, more Limits) bool {
	if !s.once("extend " + step) {
		return false
	}
	l := s.SafetyBounds.Limits()
	s.relax(Limits{l.Iterations + max(0, more.Iterations), l.MicroUSD + max(0, more.MicroUSD), l.Time + max(0, more.Time)})
	return true
}

// Allow replaces the limits in force; 0 keeps one. It refuses a limit that is already used up,
// which would stop the next step.
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

// relax sets limits and removes warnings that no longer apply.
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

// Dollars formats a cost: $0.75, rounded to cents.
func Dollars(microUSD int64) string { return budget.Dollars(max(0, microUSD)) }

// dollarLimit formats a limit: $10, with as many digits as it needs.
func dollarLimit(microUSD int64) string {
	whole, rest := microUSD/1e6, microUSD%1e6
	if rest == 0 {
		return fmt.Sprintf("$%d", whole)
	}
	decimals := strings.TrimRight(fmt.Sprintf("%06d", rest), "0")
	return fmt.Sprintf("$%d.%s", whole, decimals+strings.Repeat("0", max(0, 2-len(decimals))))
}

// elapsed formats the workflow's time: 0h 34m 8s.
func elapsed(d time.Duration) string {
	s := int64(max(0, d) / time.Second)
	return fmt.Sprintf("%dh %dm %ds", s/3600, s/60%60, s%60)
}

// taskTime formats a task's time: 15m 23s, with hours if any.
func taskTime(d time.Duration) string {
	text := elapsed(d)
	return strings.TrimPrefix(text, "0h ")
}

// timeLimit formats a limit: 2h, 1h 30m.
func timeLimit(d time.Duration) string {
	var parts []string
	for part := range strings.FieldsSeq(elapsed(d + time.Second - 1)) {
		if part[0] != '0' {
			parts = append(parts, part)
		}
	}
	if parts == nil {
		return "0s"
	}
	return strings.Join(parts, " ")
}
