//go:build unix

package turnstile_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

// chunked is a drive in coding, in the first of two chunks.
func chunked(t *testing.T) (*turnstile.Drive, string) {
	t.Helper()
	root := repository(t)
	d := turnstile.Open(root, turnstile.System())
	if _, err := d.Init(t.Context(), turnstile.Start{Level: 3, Issue: "42", PID: os.Getpid()}); err != nil {
		t.Fatal(err)
	}
	for _, on := range []drivestate.Event{drivestate.PrerequisitesOK, drivestate.WorkSelected, drivestate.PlanReady} {
		fire(t, d, on)
	}
	if _, err := d.Fire(t.Context(), drivestate.ChunksDefined, `{"chunks":[["AC-01"],["AC-02"]]}`); err != nil {
		t.Fatal(err)
	}
	return d, root
}

func TestAnEngineClaimsTheDriveOfAnAgent(t *testing.T) {
	_, d := owned(t, "a", 7)
	if v, err := d.Claim(8, turnstile.Mind{}); err != nil || turnstile.OwnerOf(v.State) != (turnstile.Owner{PID: 8, Stamp: "began-8"}) {
		t.Fatalf("%+v, %v", v, err)
	}
	if o := d.Ownership.ReadOwner(); o != (turnstile.Owner{}) {
		t.Errorf("the side file still says %+v", o)
	}
	rows := journal(t, d)
	if !strings.Contains(rows, `"name":"claimed"`) || !strings.Contains(rows, `"from":"a"`) {
		t.Error("the journal does not say from whom")
	}
	if _, err := d.Claim(8, turnstile.Mind{}); err != nil || journal(t, d) != rows {
		t.Errorf("claimed twice: %v; or it was written again", err)
	}
	v, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	changed := func(change func(*turnstile.View)) turnstile.View {
		other, state := v, *v.State
		other.State = &state
		change(&other)
		return other
	}
	for _, c := range []struct {
		view turnstile.View
		pid  int
		mind turnstile.Mind
		want bool
	}{
		{v, 8, turnstile.Mind{}, true},
		{v, 9, turnstile.Mind{}, false},
		{v, 8, turnstile.Mind{Session: "b"}, false},
		{v, 8, turnstile.Mind{PID: 5}, false},
		{turnstile.View{}, 8, turnstile.Mind{}, false},
		{changed(func(v *turnstile.View) { v.Undone = true }), 8, turnstile.Mind{}, false},
		{changed(func(v *turnstile.View) { v.State.Session.PIDStamp = "of another" }), 8, turnstile.Mind{}, false},
		{changed(func(v *turnstile.View) { v.State.Session.Headless = false }), 8, turnstile.Mind{}, false},
	} {
		if got := d.Ownership.Claimed(c.view, c.pid, c.mind); got != c.want {
			t.Errorf("%+v of %d, %+v: claimed %v", c.view.State, c.pid, c.mind, got)
		}
	}
}

// Until work is chosen the branches are the user's, and a claim accepts them.
func TestAClaimBeforeWorkAcceptsTheBranches(t *testing.T) {
	_, d := owned(t, "a", 7)
	git(t, d.Root(), "commit", "-q", "--allow-empty", "-m", "feat: mine")
	if v, err := d.Claim(8, turnstile.Mind{}); err != nil || v.State.Watch["main"].Tip != head(t, d.Root()) {
		t.Errorf("%+v, %v", v.State.Watch, err)
	}
}

func TestSkippingGoesOnWithTheNextChunkUntilThereIsNone(t *testing.T) {
	d, root := chunked(t)
	was := state(t, d).Chunk.Base
	write(t, root, "left.txt", "x\n")
	v, more, err := d.SkipChunk()
	if c := v.State.Chunk; err != nil || !more || c.Index != 2 || !slices.Equal(c.Skipped, []int{1}) || c.Base == was {
		t.Fatalf("%+v, more %v, %v", c, more, err)
	}
	if _, more, err := d.SkipChunk(); err != nil || more {
		t.Errorf("a third: %v, %v", more, err)
	}
	fire(t, d, drivestate.Abort)
	if _, _, err := d.SkipChunk(); err == nil || !strings.Contains(err.Error(), "not in aborted") {
		t.Errorf("in aborted: %v", err)
	}
}

func TestABudgetThatTheDriveDoesNotCount(t *testing.T) {
	d, _ := chunked(t)
	if v, err := d.ExceedBudget("the day's money is spent"); err != nil || v.State.Phase != drivestate.BudgetExceeded {
		t.Fatalf("%+v, %v", v, err)
	}
	if _, err := d.ExceedBudget("again"); err == nil {
		t.Error("a drive that is parked was parked again")
	}
	if r, err := d.Continue(t.Context()); err != nil || r.To != drivestate.Coding {
		t.Errorf("went on to %s, %v", r.To, err)
	}
}

func TestCountersAreSetToWhatIsShown(t *testing.T) {
	d, root := chunked(t)
	wrong, err := d.ReconcileCounters([]string{head(t, root)}, 2)
	if err != nil || !slices.Equal(wrong, []string{"commits", "reports_filed"}) {
		t.Fatalf("%v, %v", wrong, err)
	}
	if m := state(t, d).Metrics; m.Commits != 1 || m.ReportsFiled != 2 {
		t.Errorf("%+v", m)
	}
	before := journal(t, d)
	if wrong, err := d.ReconcileCounters([]string{head(t, root)}, 2); err != nil || wrong != nil || journal(t, d) != before {
		t.Errorf("again: %v, %v; or it was written", wrong, err)
	}
}

func TestAWaitIsShownWhileItLastsAndIsNotCharged(t *testing.T) {
	w, d := owned(t, "", 7)
	if err := d.SetWaiting(w.now.Add(time.Hour), "a rate limit"); err != nil || state(t, d).Waiting.Why != "a rate limit" {
		t.Fatalf("%+v, %v", state(t, d).Waiting, err)
	}
	w.now = w.now.Add(2 * time.Hour)
	if s := state(t, d); s.Waiting != nil {
		t.Errorf("a wait that is over is shown: %+v", s.Waiting)
	}
	if err := d.SetWaiting(time.Time{}, ""); err != nil || state(t, d).Session.PausedSeconds != 7200 {
		t.Errorf("%d seconds, %v", state(t, d).Session.PausedSeconds, err)
	}
	if err := turnstile.Open(t.TempDir(), w.env()).SetWaiting(w.now, "x"); err != nil {
		t.Errorf("without a drive: %v", err)
	}
}

func TestAResetLeavesNothingButTheJournal(t *testing.T) {
	_, d := owned(t, "a", 7)
	if _, err := d.Reset(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{turnstile.StateFile, turnstile.OwnerFile} {
		if _, err := os.Lstat(filepath.Join(d.Root(), ".claude", name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
	if session, lost := turnstile.FindLostDrive(d.Root()); lost || !strings.Contains(journal(t, d), `"init"`) {
		t.Errorf("lost %v, by %q; or without a journal", lost, session)
	}
	if _, err := turnstile.Open(t.TempDir(), turnstile.System()).Reset(); err == nil {
		t.Error("a drive that never was has been reset")
	}
}

func TestWhatAPhasePermits(t *testing.T) {
	d, _ := chunked(t)
	if p, err := d.Permit("git_commit", ""); err != nil || p.Allowed {
		t.Errorf("a commit while coding: %+v, %v", p, err)
	}
	if _, err := d.Permit("fly", ""); err == nil {
		t.Error("an operation that there is not")
	}
	if p, err := turnstile.Open(t.TempDir(), turnstile.System()).Permit("git_commit", ""); err != nil || !p.Allowed {
		t.Errorf("without a drive: %+v, %v", p, err)
	}
}

// A look at the file alone tells whose drive it is and where it is; one into the
// journal tells the same.
func TestGlanceTellsWhoseDriveItIs(t *testing.T) {
	root := repository(t)
	if g := turnstile.Open(root, turnstile.System()).Glance(); g.State != nil {
		t.Errorf("without a drive: %+v", g.State)
	}
	d := begin(t, root)
	g := d.Glance()
	if g.State == nil || g.State.Phase != drivestate.Coding || g.State.Session.PID != os.Getpid() {
		t.Fatalf("%+v", g.State)
	}
	v, err := g.Peek()
	if err != nil || v.State.Phase != drivestate.Coding {
		t.Errorf("%+v, %v", v.State, err)
	}
}
