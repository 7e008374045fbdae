package monitor

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/ui/feed"
)

// Reading is all samples at one moment, by the family's name.
type Reading map[string][]Sample

// Measure counts everything in a feed.
func Measure(f *feed.Feed) Reading {
	m := measure{}
	m.countEnds(f)
	m.countPhases(f)
	for _, list := range [][]evidence.Entry[evidence.Run]{f.Book.Runs, f.Book.Others} {
		for _, e := range list {
			m.countRun(e.Row)
		}
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

// measure is a sum for each family and each set of labels.
type measure map[string]map[string]float64

// split stands between labels: it is in none, since values are made of one line.
const split = "\x00"

func (m measure) at(f Family, labels []string) (map[string]float64, string) {
	if m[f.Name] == nil {
		m[f.Name] = map[string]float64{}
	}
	key := make([]string, len(labels))
	for i, l := range labels {
		key[i] = strings.ReplaceAll(strings.ToValidUTF8(cmp.Or(l, "unknown"), "\uFFFD"), split, "")
	}
	return m[f.Name], strings.Join(key, split)
}

func (m measure) add(f Family, value float64, labels ...string) {
	sums, key := m.at(f, labels)
	sums[key] += value
}

func (m measure) raise(f Family, value float64, labels ...string) {
	sums, key := m.at(f, labels)
	sums[key] = max(sums[key], value)
}

func (m measure) reading() Reading {
	r := Reading{}
	for name, sums := range m {
		for key, value := range sums {
			var labels []string
			if key != "" {
				labels = strings.Split(key, split)
			}
			r[name] = append(r[name], Sample{labels, value})
		}
		slices.SortFunc(r[name], func(a, b Sample) int { return slices.Compare(a.Labels, b.Labels) })
	}
	return r
}

func (m measure) countEnds(f *feed.Feed) {
	for _, e := range f.Book.Outcomes {
		m.add(drivesEnded, 1, string(e.Row.Result))
	}
	for _, i := range f.Items {
		if i.Kind != feed.Drive && i.Kind != feed.Guided && i.State.Over() {
			m.add(workEnded, 1, string(i.Kind), string(i.State))
		}
	}
}

func (m measure) countPhases(f *feed.Feed) {
	for _, s := range f.Stays() {
		m.add(phases, 1, string(s.Phase))
		if s.To.After(s.From) { // clocks are set back
			m.add(phaseTime, s.To.Sub(s.From).Seconds(), string(s.Phase))
		}
	}
	for _, w := range f.Waits {
		m.add(waits, max(0, w.To.Sub(w.From).Seconds()), w.Why)
	}
}

func (m measure) countRun(r evidence.Run) {
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
		m.add(hookCalls, float64(r.Hooks.Calls), r.Agent)
		m.add(hookTime, r.Hooks.Seconds, r.Agent)
		m.raise(hookMax, r.Hooks.Slowest, r.Agent)
	}
}

// showNow adds what is true at this moment. Figures without labels are there when they
// are zero: an alarm tells nothing from missing.
func (m measure) showNow(f *feed.Feed) {
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
