package monitor

import (
	"slices"
	"strconv"

	"warp/internal/core/evidence"
	"warp/internal/ui/feed"
)

// Measure computes all metrics of a feed.
func Measure(f *feed.Feed) Reading {
	m := newMeasure()
	m.countEnds(f)
	m.countPhases(f)
	for _, e := range slices.Concat(f.Book.Runs, f.Book.Others) {
		m.countRun(e.Row)
	}
	for _, e := range slices.Concat(f.Book.Interventions, f.Book.Undone) {
		m.add(undone, 1, e.Row.What)
	}
	for _, e := range f.Book.Tests {
		if !e.Row.NotRun {
			m.add(tests, 1, e.Row.Stage, strconv.FormatBool(e.Row.Passed))
			m.add(testTime, e.Row.Seconds, e.Row.Stage)
		}
	}
	m.add(commits, float64(len(f.Book.Commits)))
	m.showNow(f)
	return m.reading()
}

func (m *measure) countEnds(f *feed.Feed) {
	for _, e := range f.Book.Outcomes {
		m.add(drivesEnded, 1, string(e.Row.Result))
	}
	for _, i := range f.Items {
		if !i.IsDrive() && i.State.Over() {
			m.add(workEnded, 1, string(i.Kind), string(i.State))
		}
	}
}

func (m *measure) countPhases(f *feed.Feed) {
	for _, s := range f.Stays() {
		m.add(phases, 1, string(s.Phase))
		if s.To.After(s.From) { // the clock may have been set back
			m.add(phaseTime, s.To.Sub(s.From).Seconds(), string(s.Phase))
		}
	}
	for _, w := range f.Waits {
		m.add(waits, max(0, w.To.Sub(w.From).Seconds()), w.Why)
	}
}

func (m *measure) countRun(r evidence.Run) {
	m.add(runs, 1, r.Agent, r.Role, r.End)
	m.add(runTime, r.Seconds, r.Agent, r.Role)
	for kind, n := range map[string]int64{"input": r.Input, "output": r.Output, "cache_read": r.CacheRead, "cache_write": r.CacheWrite} {
		m.add(tokens, float64(n), r.Model, r.Role, kind)
	}
	m.add(cost, float64(r.MicroUSD)/1e6, r.Model, r.Role)
	if r.Unpriced {
		m.add(unpriced, 1, r.Agent)
	}
	m.add(denied, float64(r.Denials))
	if r.Hooks != nil {
		for _, e := range r.Hooks.Events {
			m.observe(hookTime, e.Seconds, e.Buckets, r.Agent, e.Event)
		}
		m.raise(hookMax, r.Hooks.Slowest, r.Agent)
	}
}

// showNow adds the current state. Metrics without labels are present even if zero: an alert
// cannot tell missing from zero.
func (m *measure) showNow(f *feed.Feed) {
	for _, kind := range []feed.Kind{feed.Drive, feed.Guided, feed.Loop, feed.Quality, feed.Pipeline, feed.Workflow} {
		m.add(engines, 0, string(kind))
	}
	for _, i := range f.Items {
		if !i.State.Over() && !i.Later {
			m.add(open, 1, string(i.Kind), string(i.State))
		}
		if i.PID != 0 && !i.State.Over() {
			m.add(engines, 1, string(i.Kind))
		}
		if i.Live == nil {
			continue
		}
		for _, a := range i.Live.Agents {
			m.add(agents, 1, a.Role)
		}
		for _, w := range i.Live.Windows {
			m.raise(windows, w.Percent/100, w.Name)
		}
	}
	m.add(denied, 0)
	m.add(asked, float64(len(f.Questions)))
	m.add(today, float64(f.Today.MicroUSD)/1e6)
}
