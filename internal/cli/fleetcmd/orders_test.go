package fleetcmd

import (
	"fmt"
	"testing"

	"warp/internal/fleet/flow"
	"warp/internal/fleet/status"
)

// What is parked or done hears no order, and what the fleet has is not taken twice: both are
// said. "shop#1 continues" was said of a requirement that stayed parked.
func TestWhatAnOrderWouldReach(t *testing.T) {
	item := func(issue string) flow.Item {
		return flow.Item{Submission: flow.Submission{Repo: "shop", Issue: issue}}
	}
	known := status.View{Fleet: flow.FleetStatus{Running: []flow.Item{item("1")}, Queue: []flow.Queued{{Item: item("2")}}, Parked: []flow.Item{item("3")}, Done: []flow.Item{item("4")}}}.Plain()
	for id, want := range map[string][2]string{
		"":       {"<nil>", ""},
		"shop#1": {"<nil>", " (already in the fleet)"},
		"shop#2": {"<nil>", " (already in the fleet)"},
		"shop#3": {"shop#3 is parked: warp-fleet submit shop#3 queues it again", " (was parked: queued again)"},
		"shop#4": {"shop#4 is done", " (already done: skipped)"},
		"shop#5": {"the fleet does not know shop#5: see warp-fleet status", ""},
	} {
		if got := fmt.Sprint(checkOrder(known, id)); got != want[0] {
			t.Errorf("an order to %q: %s", id, got)
		}
		if got := describeKnown(known, id); got != want[1] {
			t.Errorf("%q is submitted: %q", id, got)
		}
	}
}
