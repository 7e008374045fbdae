package monitor

import (
	"cmp"
	"slices"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// Reading is all samples at one moment, by the family's name.
type Reading map[string][]Sample

// What agents say becomes labels: the model, the windows. It must not fill a monitoring
// system with series, so values are short and few; the later ones are counted together.
const (
	longestValue = 80
	mostValues   = 60
	otherValue   = "other"
)

// most is the largest figure: a sum of any number of them is still one.
const most = 1e15

// split stands between labels: it is in none, since values are visible.
const split = "\x00"

// measure adds samples up, by family and labels.
type measure struct {
	samples map[string]map[string]*Sample
	values  map[string]map[string]bool // that labels have so far
}

func newMeasure() *measure {
	return &measure{samples: map[string]map[string]*Sample{}, values: map[string]map[string]bool{}}
}

// bound makes a value of a label of a text of others.
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
	key := strings.Join(bounded, split)
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

// observe adds what was counted by size. A row of a later version may have more buckets
// than are known here: they are longer than all bounds.
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

func clamp(value float64) float64 { return min(max(value, 0), most) }

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
