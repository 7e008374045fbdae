package workflowstate

import "testing"

func TestMilestonesThatAreNotFiledAreKept(t *testing.T) {
	s := &State{Milestones: []Milestone{{Phase: 1, IssueURL: "https://example.invalid/1"}, {Phase: 2}}}
	if !s.Milestones.NoteUnfiled(2, "the tracker is down") || s.Milestones.NoteUnfiled(2, "the tracker is down") || s.Milestones.NoteUnfiled(1, "it is filed") {
		t.Error("a reason is noted once, and only where nothing was filed")
	}
	if left := s.Milestones.Unfiled(); len(left) != 1 || left[0].Phase != 2 || left[0].Unfiled != "the tracker is down" {
		t.Errorf("%+v", left)
	}
}

func TestSnapshotIn(t *testing.T) {
	for file, want := range map[string]struct {
		n          int
		packed, ok bool
	}{SnapshotFile(7): {7, false, true}, SnapshotFile(12) + Packed: {12, true, true}, "other.json": {}} {
		if n, packed, ok := SnapshotIn(file); ok != want.ok || ok && (n != want.n || packed != want.packed) {
			t.Errorf("%s: %d, %v, %v", file, n, packed, ok)
		}
	}
}

func TestAnEngineIsAtAWorkflowUntilItEndsOrPauses(t *testing.T) {
	s := &State{Engine: 7}
	if !EngineAt(s) {
		t.Error("it is at work")
	}
	s.EngineLeaves()
	if EngineAt(s) {
		t.Error("it has left")
	}
}
