package monitor

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
)

// Measure computes all metrics of a feed.
func Measure(f *feed.Feed) Reading {
	m := &measure{samples: map[string]map[string]*Sample{}, values: map[string]map[string]bool{}}
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

// Reading holds all samples at one moment, by family name.
type Reading map[string][]Sample

// Text from agents becomes labels: the model, the windows. It must not flood a monitoring system
// with series, so values are short and few; further ones are counted as one.
const (
	longestValue = 80
	mostValues   = 60
	otherValue   = "other"
)

// maxValue is the largest value, so that sums stay finite.
const maxValue = 1e15

// labelSeparator separates labels; no visible value contains it.
const labelSeparator = "\x00"

// measure sums up samples by family and labels.
type measure struct {
	samples map[string]map[string]*Sample
	values  map[string]map[string]bool // values of each label so far
}

// bound turns foreign text into a label value.
func (m *measure) bound(label, value string) string {
	value = cmp.Or(text.Clip(text.Flat(value), longestValue), "unknown")
	if m.values[label] == nil {
		m.values[label] = map[string]bool{}
	}
	switch known := m.values[label]; {
	case known[value]:
	case len(known) >= mostValues:
		return otherValue
	default:
		known[value] = true
	}
	return value
}

func (m *measure) at(f Family, labels []string) *Sample {
	bounded := make([]string, len(labels))
	for i, l := range labels {
		bounded[i] = m.bound(f.Labels[i], l)
	}
	key := strings.Join(bounded, labelSeparator)
	if m.samples[f.Name] == nil {
		m.samples[f.Name] = map[string]*Sample{}
	}
	s := m.samples[f.Name][key]
	if s == nil {
		s = &Sample{Labels: bounded}
		m.samples[f.Name][key] = s
	}
	return s
}

func (m *measure) add(f Family, value float64, labels ...string) {
	m.at(f, labels).Value += clamp(value)
}

func (m *measure) raise(f Family, value float64, labels ...string) {
	s := m.at(f, labels)
	s.Value = max(s.Value, clamp(value))
}

// observe adds counts by size. A later version may write more buckets than are known here; they
// count as the largest.
func (m *measure) observe(f Family, sum float64, counts []int, labels ...string) {
	s := m.at(f, labels)
	s.Value += clamp(sum)
	if s.Buckets == nil {
		s.Buckets = make([]uint64, len(evidence.HookBounds)+1)
	}
	for i, n := range counts {
		s.Buckets[min(i, len(s.Buckets)-1)] += uint64(clamp(float64(n)))
	}
}

func clamp(value float64) float64 { return min(max(value, 0), maxValue) }

func (m *measure) reading() Reading {
	r := Reading{}
	for name, samples := range m.samples {
		for _, s := range samples {
			r[name] = append(r[name], *s)
		}
		slices.SortFunc(r[name], func(a, b Sample) int { return slices.Compare(a.Labels, b.Labels) })
	}
	return r
}
