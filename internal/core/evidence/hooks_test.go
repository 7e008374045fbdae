package evidence

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An answer is in the first bucket whose bound it does not exceed, by its event.
func TestAnswersToHooksAreCountedByTime(t *testing.T) {
	var h Hooks
	for _, a := range []struct {
		event   string
		seconds float64
	}{{"PreToolUse", 0.0004}, {"PreToolUse", 0.001}, {"PreToolUse", 0.0011}, {"Stop", 5}, {"Stop", 5.5}} {
		h.Add(a.event, a.seconds)
	}
	before := h.Clone()
	h.Add("Stop", 9)
	want := Hooks{Slowest: 5.5, Events: []HookTimes{
		{Event: "PreToolUse", Seconds: 0.0004 + 0.001 + 0.0011, Buckets: []int{2, 1}},
		{Event: "Stop", Seconds: 10.5, Buckets: []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1}},
	}}
	if d := cmp.Diff(want, before); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}
