package workqueue

import (
	"slices"
	"testing"
)

// What is taken up is the most urgent; what was at work and is less so waits again.
func TestTakeUp(t *testing.T) {
	q := &Queue{Items: []Item{
		{ID: "a", Title: "A", Priority: priorities[1], Status: InProgress}, {ID: "b", Title: "B", Priority: priorities[0], Status: Pending}, {ID: "c", Title: "C", Priority: priorities[0], Status: Done},
	}}
	if e := q.TakeUp(2); e != ItemsChosen || q.Items[0].Status != Pending || q.Items[1].Status != InProgress {
		t.Errorf("%s: %+v", e, q.Items)
	}
	q.Items[0].Status, q.Items[1].Status = Done, Done
	if e := q.TakeUp(2); e != NothingToDo {
		t.Errorf("%s", e)
	}
	if have := q.Finished(2); !slices.Equal(have, []string{"B", "C"}) {
		t.Errorf("finished: %q", have)
	}
}

// An agent is believed about what it was given, unless a gate has found something in
// the same iteration.
func TestBelieve(t *testing.T) {
	q := &Queue{Iteration: 3, Items: []Item{{ID: "a", Status: InProgress}, {ID: "b", Status: InProgress}}}
	q.CloseReported([]string{"a"}, []string{"a", "b", "none"})
	if q.Items[0].Status != Done || q.Items[1].Status != InProgress {
		t.Errorf("%+v", q.Items)
	}
}

func TestAskAgain(t *testing.T) {
	q := &Queue{Iteration: 2, GateResults: Gates{{GateResult: GateResult{Iteration: 2}}, {GateResult: GateResult{Iteration: 1}}}}
	q.AskAgain()
	if q.GateResults[0].Iteration != 0 || q.GateResults[1].Iteration != 1 {
		t.Errorf("%+v", q.GateResults)
	}
}

func TestAnEventThatDoesNotFitMovesNothing(t *testing.T) {
	q := &Queue{Loop: &Loop{Phase: Complete}}
	if err := q.Fire(ItemsChosen); err == nil || q.Loop.Phase != Complete {
		t.Errorf("%v, %s", err, q.Loop.Phase)
	}
}
