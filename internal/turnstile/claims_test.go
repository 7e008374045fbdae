//go:build unix

package turnstile_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

// claimed is a drive of an agent on a branch of its own, in a phase.
func claimed(t *testing.T, p drivestate.Phase) *turnstile.Drive {
	t.Helper()
	root := repository(t)
	git(t, root, "switch", "-q", "-c", "feature/x")
	w := &world{alive: map[int]string{7: "began-7"}}
	env := w.env()
	env.Now = turnstile.System().Now
	d := turnstile.Open(root, env)
	if _, err := d.Init(t.Context(), turnstile.Start{Level: 3, Issue: "42", PID: 7, ClaudeSession: "a"}); err != nil {
		t.Fatal(err)
	}
	in(t, d, p)
	return d
}

func TestAnAgentIsNotBelievedThatItCommitted(t *testing.T) {
	d := claimed(t, drivestate.Committing)
	if _, err := d.Fire(t.Context(), drivestate.Committed, ""); err == nil || !strings.Contains(err.Error(), "nothing was committed in this phase") {
		t.Errorf("without a commit: %v", err)
	}
	git(t, d.Root(), "commit", "-q", "--allow-empty", "-m", "feat: a")
	r := fire(t, d, drivestate.Committed)
	if got := r.State.CommitHashes; len(got) != 1 || got[0] != head(t, d.Root()) {
		t.Errorf("recorded %v", got)
	}
}

func TestAnAgentIsNotBelievedWhichBranchItIsOn(t *testing.T) {
	d := claimed(t, drivestate.Discovering)
	var data *turnstile.DataError
	if _, err := d.Fire(t.Context(), drivestate.WorkSelected, `{"branch":"main"}`); !errors.As(err, &data) || !strings.Contains(err.Error(), "not checked out") {
		t.Errorf("on another branch: %v", err)
	}
	if _, err := d.Fire(t.Context(), drivestate.WorkSelected, `{"branch":"feature/x"}`); err != nil {
		t.Error(err)
	}
}

func TestAnAgentIsNotBelievedThatItMerged(t *testing.T) {
	d := claimed(t, drivestate.Coding)
	git(t, d.Root(), "commit", "-q", "--allow-empty", "-m", "feat: a")
	if _, err := d.Watch.Override("begin here", 0); err != nil {
		t.Fatal(err)
	}
	in(t, d, drivestate.Merging)
	if _, err := d.Fire(t.Context(), drivestate.Merged, ""); err == nil || !strings.Contains(err.Error(), "main does not contain feature/x") {
		t.Fatalf("without a merge: %v", err)
	}
	git(t, d.Root(), "branch", "-q", "-f", "main", "feature/x")
	fire(t, d, drivestate.Merged)
}

// An engine's gates refuse as the others do; one that cannot be tried costs nothing.
func TestTheGatesOfAnEngine(t *testing.T) {
	root := repository(t)
	d := begin(t, root)
	write(t, root, "new.txt", "x\n")
	var order []string
	gate := func(name string, when turnstile.When, reason string, err error) turnstile.Gate {
		return turnstile.Gate{Name: name, When: when, Run: func(context.Context, *drivestate.State) (string, error) {
			order = append(order, name)
			return reason, err
		}}
	}
	broken := errors.New("no network")
	var refused *turnstile.GateError
	_, err := d.Fire(t.Context(), drivestate.CodeComplete, "", gate("late", turnstile.Last, "", broken), gate("early", turnstile.First, "", nil))
	if !errors.As(err, &refused) || !refused.Broken() || !errors.Is(err, broken) || strings.Join(order, " ") != "early late" {
		t.Fatalf("%v, in the order %v", err, order)
	}
	if b := state(t, d).Budgets; b.RetryCount != 0 {
		t.Errorf("what could not be tried was counted: %+v", b)
	}
	res, err := d.Fire(t.Context(), drivestate.CodeComplete, "", gate("early", turnstile.First, "not so", nil))
	if !errors.As(err, &refused) || refused.Broken() || len(res.Gates) != 1 || res.State.Budgets.RetryCount != 1 {
		t.Errorf("%v, %+v", err, res)
	}
}

// A hook cannot look into the work tree, so it does not pass code_complete.
func TestABareDriveRefusesCodeComplete(t *testing.T) {
	root := repository(t)
	begin(t, root)
	write(t, root, "new.txt", "x\n")
	d := turnstile.Open(root, turnstile.Bare())
	var refused *turnstile.GateError
	if _, err := d.Fire(t.Context(), drivestate.CodeComplete, ""); !errors.As(err, &refused) || !refused.Broken() || phase(t, d) != drivestate.Coding {
		t.Errorf("%v", err)
	}
}
