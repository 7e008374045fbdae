package evidence

import (
	"slices"
	"sort"
)

// HookBounds are the upper bounds, in seconds, of the buckets that count hook answers. Rows refer
// to them by index, so none may ever move or go.
var HookBounds = [...]float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5}

type (
	// Hooks counts the hooks that the engine answered for a sandboxed agent.
	Hooks struct {
		Slowest float64     `json:"slowest_seconds"`
		Events  []HookTimes `json:"events,omitempty"`
	}
	// HookTimes counts how long the answers to one hook event took.
	HookTimes struct {
		Event   string  `json:"event"`
		Seconds float64 `json:"seconds"` // of all answers together
		// Buckets count the answers that took at most the bound at the same index, and more than
		// the previous one; a last bucket counts those above all bounds.
		Buckets []int `json:"buckets"`
	}
)

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

// Clone returns a deep copy.
func (h Hooks) Clone() Hooks {
	h.Events = slices.Clone(h.Events)
	for i := range h.Events {
		h.Events[i].Buckets = slices.Clone(h.Events[i].Buckets)
	}
	return h
}
