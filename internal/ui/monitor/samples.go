package monitor

import (
	"cmp"
	"slices"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

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

func newMeasure() *measure {
	return &measure{samples: map[string]map[string]*Sample{}, values: map[string]map[string]bool{}}
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
