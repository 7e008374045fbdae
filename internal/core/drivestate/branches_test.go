package drivestate

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

func TestWhoMayMoveWhichBranchWhen(t *testing.T) {
	const own, target, trunk = "feature/issue-42", "develop", "main"
	for _, c := range []struct {
		phase  Phase
		level  int
		branch string
		want   bool
		why    string
	}{
		{Coding, 3, own, false, "only allowed during committing phase"},
		{Coding, 3, target, false, "only allowed during merging phase"},
		{Coding, 3, trunk, false, "only allowed during merging phase"},
		{Coding, 3, "somebody/else", true, ""},
		{Committing, 1, own, true, ""},
		{Committing, 3, target, false, "only allowed during merging phase"},
		{Committing, 2, target, false, "only allowed during merging phase"},
		{Merging, 3, target, true, ""},
		{Merging, 2, target, false, "by a pull request at level 2"},
		{Merging, 1, trunk, false, "by a pull request at level 1"},
		{Aborted, 3, target, false, "only allowed during merging phase"},
		{Idle, 3, target, true, ""},
	} {
		s := working(c.phase)
		s.Session.Level, s.MergeTarget = c.level, target
		got := s.Guards().MayMove(c.branch, t1)
		if got.Allowed != c.want || !strings.Contains(got.Reason, c.why) {
			t.Errorf("%s at level %d moves %s: %+v", c.phase, c.level, c.branch, got)
		}
	}
}

// A drive that works on the branch it merges into may not commit past the
// rules of that branch.
func TestTheMergeTargetKeepsItsRulesWhenItIsTheDrivesOwnBranch(t *testing.T) {
	s := working(Committing)
	s.MergeTarget = s.BranchName()
	if s.Guards().MayMove(s.MergeTarget, t1).Allowed {
		t.Error("the merge target is committed to")
	}
}

func TestAnOverrideHoldsUntilItsTime(t *testing.T) {
	s := working(Coding)
	if s.Override.InForce(t1) {
		t.Error("overridden by nobody")
	}
	s.Override = &Override{Reason: "mine", At: Stamp(t0), Until: Stamp(t1)}
	if p := s.Guards().MayMove("main", t1.Add(-time.Second)); !p.Allowed || !strings.Contains(p.Reason, "mine") {
		t.Errorf("before its time is over: %+v", p)
	}
	if s.Guards().MayMove("main", t1).Allowed {
		t.Error("it outlives its time")
	}
	s.Override.Until = "for ever"
	if s.Override.InForce(t0) {
		t.Error("a time that cannot be read is for ever")
	}
}

func TestAFreezeNamesEveryMove(t *testing.T) {
	e := &FrozenError{Coding, Freeze{Moves: []Move{{"a", "0123456789ab", ""}, {"b", "", "ab"}}}}
	text := e.Error()
	for _, want := range []string{"a moved from 0123456789 to nothing; b moved from nothing to ab unseen", "in phase coding", "warp override"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q: %s", want, text)
		}
	}
	if one := (&FrozenError{Coding, Freeze{Moves: e.Moves[:1]}}).Error(); !strings.HasPrefix(one, "a moved") {
		t.Errorf("a single move begins with %q", one)
	}
}

func TestAcceptingThaws(t *testing.T) {
	s := working(Coding)
	s.Watch = map[string]Watched{"main": {"1", "1"}, "feature/issue-42": {"2", "2"}}
	allowed, unseen := s.Guards().Moved(map[string]string{"main": "9", "feature/issue-42": "2", "other": "3"}, t1)
	if len(allowed) != 0 || !cmp.Equal(unseen, []Move{{"main", "1", "9"}}) {
		t.Fatalf("allowed %v, unseen %v", allowed, unseen)
	}
	s.Frozen = &Freeze{At: Stamp(t1), Moves: unseen}
	s.Accept(nil) // nothing is known: it thaws, and what was known stays
	if s.Frozen != nil || s.Watch["main"].Tip != "1" {
		t.Errorf("frozen %+v, watching %v", s.Frozen, s.Watch)
	}
	s.Frozen = &Freeze{Moves: unseen}
	s.Accept(map[string]string{"main": "9", "other": "3"})
	if want := map[string]Watched{"main": {"9", "9"}}; s.Frozen != nil || !cmp.Equal(s.Watch, want) {
		t.Errorf("frozen %+v, watching %v", s.Frozen, s.Watch)
	}
}

func row(kind string, data any) event.Row {
	return event.Row{At: Stamp(t1), Kind: kind, Data: lossless.Encode(data, nil)}
}

type ref struct {
	Ref string `json:"ref"`
	New string `json:"new"`
}

func TestAMoveThatAGuardSawIsKnown(t *testing.T) {
	s := working(Committing)
	if s.Fold([]event.Row{row(event.Ref, ref{"somebody/else", "1"})}, huge) || s.Watch != nil {
		t.Errorf("a branch of nobody's is watched: %v", s.Watch)
	}
	if !s.Fold([]event.Row{row(event.Ref, ref{"feature/issue-42", "1"})}, huge) { // it was just made
		t.Error("nothing changed")
	}
	s.Fold([]event.Row{row(event.Ref, ref{"feature/issue-42", "2"})}, huge)
	if want := map[string]Watched{"feature/issue-42": {Tip: "2", PhaseTip: "1"}}; !cmp.Equal(s.Watch, want) {
		t.Errorf("watching %v", s.Watch)
	}
	s.Watch["main"] = Watched{"7", "7"}
	s.Fold([]event.Row{row(event.Ref, ref{"main", "8"})}, huge)
	if want := map[string]Watched{"feature/issue-42": {"2", "1"}, "main": {"8", "7"}}; !cmp.Equal(s.Watch, want) {
		t.Errorf("watching %v", s.Watch)
	}
}

func TestFreezesAreTheSameForTheSameReason(t *testing.T) {
	one := Freeze{At: Stamp(t0), Moves: []Move{{"a", "1", "2"}}}
	for _, c := range []struct {
		was  *Freeze
		want bool
	}{
		{nil, false},
		{&Freeze{At: Stamp(t1), Moves: []Move{{"a", "1", "2"}}}, true},
		{&Freeze{Moves: []Move{{"a", "1", "3"}}}, false},
		{&Freeze{Moves: []Move{{"a", "1", "2"}, {"b", "1", "2"}}}, false},
		{&Freeze{Moves: []Move{{"a", "1", "2"}}, State: true}, false},
	} {
		if got := c.was.Same(one); got != c.want {
			t.Errorf("%+v: %v", c.was, got)
		}
	}
}

// A branch that is gone was not moved by anybody who may.
func TestADeletedBranchIsUnseenInEveryPhase(t *testing.T) {
	for _, phase := range []Phase{Coding, Committing, Merging} {
		s := working(phase)
		s.Watch = map[string]Watched{"main": {"1", "1"}, "feature/issue-42": {"2", "2"}}
		tips := map[string]string{"main": "", "feature/issue-42": ""}
		if allowed, unseen := s.Guards().Moved(tips, t1); len(allowed) != 0 || len(unseen) != 2 {
			t.Errorf("%s: allowed %v, unseen %v", phase, allowed, unseen)
		}
		s.Override = &Override{Until: Stamp(t1.Add(time.Hour))}
		if allowed, unseen := s.Guards().Moved(tips, t1); len(allowed) != 2 || len(unseen) != 0 {
			t.Errorf("%s, overridden: allowed %v, unseen %v", phase, allowed, unseen)
		}
	}
}
