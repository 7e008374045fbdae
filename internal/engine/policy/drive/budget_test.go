package drive_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"warp/internal/core/budget"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
)

func TestABudgetIsExceededAndGivenMore(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	ends := s.drive(drive.Options{Issue: "1", Budget: agent.Budget{MicroUSD: cost}, Explicit: true}, evidence.Budget)
	if !strings.Contains(ends[0].Do, "--max-cost") || !strings.Contains(ends[0].Why, "$0.01") {
		t.Errorf("%+v", ends[0])
	}
	s.want("what was asked", s.roles(), "code")
	// It stays tripped without more.
	s.drive(drive.Options{Only: true, Budget: agent.Budget{MicroUSD: cost}, Explicit: true}, evidence.Budget)
	s.want("what was asked", s.roles(), "code")
	var resumed *drive.Engine
	s.change = func(e *drive.Engine) { resumed = e }
	s.drive(drive.Options{Only: true, Budget: agent.Budget{MicroUSD: 5 * cost}, Explicit: true}, evidence.Merged)
	s.want("what was asked", s.roles(), "code verify")
	if u := resumed.Spent(); u.MicroUSD != cost { // what it cost before is no cost of this night
		t.Errorf("%+v", u)
	}
}

// What the settings allow for one issue, each has for itself, whatever became of the one before, and
// also when the engine is killed in between; what the command line allows is for all.
func TestABudgetForEachIssue(t *testing.T) {
	for name, c := range map[string]struct {
		cap  int64 // of the command line
		kill string
		fail bool
		ends []evidence.Result
	}{
		"each issue":       {ends: []evidence.Result{evidence.Merged, evidence.Merged}},
		"all together":     {cap: 3 * cost, ends: []evidence.Result{evidence.Merged, evidence.Budget}},
		"killed":           {kill: "continue_yes", ends: []evidence.Result{evidence.Merged}},
		"the first failed": {fail: true, ends: []evidence.Result{evidence.Failed, evidence.Merged}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t, one, strings.ReplaceAll(one, "AC-01", "AC-02"))
			s.settings(map[string]any{"max_retries_per_chunk": 0})
			s.does = func(task agent.Task) any {
				if c.fail && task.Issue == "1" && task.Role == agent.Verify {
					return verdict(task, false)
				}
				return nil
			}
			o := drive.Options{Budget: agent.Budget{MicroUSD: 3 * cost}, Explicit: true, Caps: budget.Caps{MicroUSD: c.cap}}
			if c.kill != "" && !s.kill(o, c.kill, 1) {
				t.Fatal("it did not get there")
			}
			s.drive(o, c.ends...)
		})
	}
}

// What other machines have spent on an issue counts, and what is known here is part of it.
func TestWhatWasSpentElsewhereCounts(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	bounded := func(before int64, only bool) drive.Options {
		o := drive.Options{Issue: "1", Budget: agent.Budget{MicroUSD: 2 * cost}, Before: budget.Amount{MicroUSD: before}, Explicit: true}
		if only {
			o.Issue, o.Only = "", true
		}
		return o
	}
	s.drive(bounded(2*cost, false), evidence.Budget)
	s.want("what was asked", s.roles(), "")
	s.drive(bounded(cost, true), evidence.Budget)
	s.want("what was asked", s.roles(), "code")
	s.drive(bounded(cost, true), evidence.Merged)
	s.want("what was asked", s.roles(), "code verify")
}

func TestABudgetBeyondTheSession(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	stop := "the day's $1.00 are spent"
	s.change = func(e *drive.Engine) {
		e.Counted = func(_ context.Context, _ *drivestate.State, on drivestate.Event) ([]string, string, error) {
			if on == drivestate.ChunksDefined || on == "" {
				return []string{"nearly"}, stop, nil
			}
			return nil, "", errors.New("no ledger")
		}
	}
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Budget)
	if ends[0].Why != stop {
		t.Errorf("%+v", ends[0])
	}
	s.says("nearly", "recording what was spent: no ledger")
	s.want("what was asked", s.roles(), "")
	stop = ""
	s.drive(drive.Options{Only: true, Fresh: true}, evidence.Merged)
}

// Before a run, too: what another drive has spent counts.
func TestABudgetThatIsUsedUpBeforeARun(t *testing.T) {
	t.Parallel()
	s := newScene(t, one)
	s.change = func(e *drive.Engine) {
		e.Counted = func(_ context.Context, _ *drivestate.State, on drivestate.Event) ([]string, string, error) {
			if on == "" {
				return nil, "the day is spent", nil
			}
			return nil, "", nil
		}
	}
	ends := s.drive(drive.Options{Issue: "1"}, evidence.Budget)
	if !strings.Contains(ends[0].Why, "the day is spent") {
		t.Errorf("%+v", ends[0])
	}
	s.want("what was asked", s.roles(), "")
}
