package evidence

import (
	"slices"
	"sort"
)

// HookBounds are the upper bounds of the buckets in which answers to hooks are counted,
// in seconds. Rows name them by their place, so none is ever moved or taken away.
var HookBounds = [...]float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5}

type (
	// Hooks are those that the engine answered for an agent in a sandbox.
	Hooks struct {
		Slowest float64     `json:"slowest_seconds"`
		Events  []HookTimes `json:"events,omitempty"`
	}
	// HookTimes is how long the answers to one event of hooks took.
	HookTimes struct {
		Event   string  `json:"event"`
		Seconds float64 `json:"seconds"` // all of them together
		// Buckets count the answers that took at most the bound at the same place, and
		// more than the one before; one more counts what took longer than all bounds.
		Buckets []int `json:"buckets"`
	}
)

// Add counts an answer.
func (h *Hooks) Add(event string, seconds float64) {
	h.Slowest = max(h.Slowest, seconds)
	i := slices.IndexFunc(h.Events, func(t HookTimes) bool { return t.Event == event })
	if i < 0 {
		i = len(h.Events)
		h.Events = append(h.Events, HookTimes{Event: event})
	}
	t := &h.Events[i]
	t.Seconds += seconds
	bucket := sort.SearchFloat64s(HookBounds[:], seconds)
	for len(t.Buckets) <= bucket {
		t.Buckets = append(t.Buckets, 0)
	}
	t.Buckets[bucket]++
}

// Clone is a copy that no further answer changes.
func (h Hooks) Clone() Hooks {
	h.Events = slices.Clone(h.Events)
	for i := range h.Events {
		h.Events[i].Buckets = slices.Clone(h.Events[i].Buckets)
	}
	return h
}
