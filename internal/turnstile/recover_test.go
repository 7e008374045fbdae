//go:build unix

package turnstile_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/budget"
	"warp/internal/core/drivestate"
	sysgit "warp/internal/sys/git"
	"warp/internal/turnstile"
)

// lost is what is known of a drive in the second of three chunks.
func lost() turnstile.Recovered {
	return turnstile.Recovered{
		Issue: "42", Branch: "main", Level: 3, Epoch: 1_700_000_000_000, Phase: drivestate.Coding,
		Chunks: [][]string{{"AC-01"}, {"AC-02"}, {"AC-03"}}, Index: 2,
		Criteria: []drivestate.Criterion{{ID: "AC-01", Text: "one"}}, Commits: []string{"c1"},
	}
}

func TestARecoveredDriveKnowsWhatWasDone(t *testing.T) {
	d := turnstile.Open(repository(t), turnstile.System())
	v, err := d.Recover(t.Context(), lost())
	if err != nil || !v.Stale {
		t.Fatalf("%+v, %v", v, err)
	}
	s, tree := state(t, d), ""
	if tree, err = d.Tree.Fingerprint(); err != nil || s.Chunk.Base != tree {
		t.Errorf("the chunk begins at %q, not at %q: %v", s.Chunk.Base, tree, err)
	}
	if s.Phase != drivestate.Coding || s.Chunk.Index != 2 || s.Issue() != "42" || s.Session.StartedAtEpoch != 1_700_000_000_000 {
		t.Errorf("%+v", s)
	}
	if !slices.Equal(s.Checked["42"], []string{"AC-01"}) || len(s.Completed) != 1 || !slices.Equal(s.CommitHashes, []string{"c1"}) {
		t.Errorf("checked %v, %d completed, commits %v", s.Checked, len(s.Completed), s.CommitHashes)
	}
	if s.Watch["main"].Tip != head(t, d.Root()) || !strings.Contains(journal(t, d), `"name":"recovered"`) {
		t.Errorf("watched %+v; or not journalled", s.Watch)
	}
}

// A chunk that is dealt with is checked off; one that was skipped is not.
func TestARecoveredChunkThatIsComplete(t *testing.T) {
	d := turnstile.Open(repository(t), turnstile.System())
	r := lost()
	r.Phase, r.Skipped = drivestate.ChunkComplete, []int{1}
	if _, err := d.Recover(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	s := state(t, d)
	if !slices.Equal(s.Checked["42"], []string{"AC-02"}) || len(s.Completed) != 1 || !s.Checklist.Committed || !s.Checklist.ReportFiled {
		t.Errorf("checked %v, %d completed, %+v", s.Checked, len(s.Completed), s.Checklist)
	}
}

func TestADriveOfAnotherIssueOrOneThatRunsIsNotRecoveredOver(t *testing.T) {
	w, d := owned(t, "a", 7)
	var active *turnstile.ActiveError
	if _, err := d.Recover(t.Context(), lost()); !errors.As(err, &active) || active.Stale || !strings.Contains(err.Error(), "issue 42") {
		t.Errorf("one that runs: %v", err)
	}
	delete(w.alive, 7)
	other := lost()
	other.Issue = "43"
	if _, err := d.Recover(t.Context(), other); !errors.As(err, &active) || !active.Stale || !strings.Contains(err.Error(), "stale") {
		t.Errorf("another issue: %v", err)
	}
	if _, err := d.Recover(t.Context(), lost()); err != nil || d.Ownership.ReadOwner() != (turnstile.Owner{}) {
		t.Errorf("its own: %v, of %+v", err, d.Ownership.ReadOwner())
	}
}

// The same session keeps what the loss did not touch.
func TestRecoveringTheSameSessionKeepsItsHistory(t *testing.T) {
	w, d := owned(t, "a", 7)
	fire(t, d, drivestate.PrerequisitesOK)
	was := state(t, d)
	delete(w.alive, 7)
	r := lost()
	r.Epoch = was.Session.StartedAtEpoch
	if _, err := d.Recover(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if s := state(t, d); len(s.History) != len(was.History)+1 || s.History[len(s.History)-1].Event != "recovered" {
		t.Errorf("%+v", s.History)
	}
}

func TestTheRegistryListsUnfinishedDrivesOnly(t *testing.T) {
	_, d := owned(t, "a", 7)
	place, ok := sysgit.Locate(d.Root())
	if !ok {
		t.Fatal("no repository")
	}
	turnstile.ForgetProject(d.Root()) // its state is there, so it stays
	if got := turnstile.ActiveProjects(place); !slices.Equal(got, []string{d.Root()}) {
		t.Errorf("%v", got)
	}
	fire(t, d, drivestate.Abort)
	fire(t, d, drivestate.AbortResolved)
	if got := turnstile.ActiveProjects(place); len(got) != 0 {
		t.Errorf("a drive that ended is listed: %v", got)
	}
}

// The advice repeats the limits that the drive had: without them it would go on with none.
func TestAdviceToResumeRepeatsTheLimits(t *testing.T) {
	for want, e := range map[string]*turnstile.ActiveError{
		"resume it with warp resume, or ":                           {Issue: "42", Stale: true},
		"resume it with warp resume 42 --max-cost 2 --until 07:00,": {Issue: "42", Stale: true, Caps: budget.Caps{MicroUSD: 2_000_000, Until: "07:00"}},
		"resume it with warp resume --max-tokens 5,":                {Stale: true, Caps: budget.Caps{Tokens: 5}},
	} {
		if !strings.Contains(e.Error(), want) {
			t.Errorf("%q is not in %q", want, e)
		}
	}
}
