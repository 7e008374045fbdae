package workflow

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
)

// twoPhases is a document of two phases with a task each.
const twoPhases = one + "### Phase 2: Q\n#### Task 2.1: Second\nFiles: b.txt\n- [ ] There: `test -s b.txt`\n"

var errAway = &forge.Error{Doing: "filing an issue", Reason: forge.Unreachable, Why: "connection refused"}

func (p *scene) addresses(s *workflowstate.State) (list []string) {
	for _, m := range s.Milestones {
		list = append(list, fmt.Sprint(m.Phase, m.IssueURL))
	}
	return list
}

func (p *scene) wantsSaid(text string, times int) {
	p.Helper()
	if n := strings.Count(strings.Join(p.said, "\n"), text); n != times {
		p.Errorf("%q was said %d times, want %d:\n%s", text, n, times, strings.Join(p.said, "\n"))
	}
}

func TestATrackerThatIsAwayForAMoment(t *testing.T) {
	for name, err := range map[string]error{"before": errAway, "after": errors.Join(errAfter, errAway)} {
		t.Run(name, func(t *testing.T) {
			p := newScene(t, one, nil)
			tries := 0
			p.away = func(forge.NewIssue) error {
				if tries++; tries < 3 {
					return err
				}
				return nil
			}
			s := p.run()
			p.completed(s)
			p.wants(p.addresses(s), "[0https://example.invalid/1]")
			p.wants(len(p.issues), 1)
			p.wants(tries, 3)
			p.wantsSaid("waiting: ", 2)
			p.wantsSaid("not filed", 0)
		})
	}
}

// It is filed by the next milestone.
func TestATrackerThatIsAwayAtAMilestone(t *testing.T) {
	p := newScene(t, twoPhases, nil)
	p.away = func(n forge.NewIssue) error {
		if len(p.roles("2.1")) == 0 {
			return errAway
		}
		return nil
	}
	s := p.run()
	p.completed(s)
	p.wants(p.addresses(s), "[0https://example.invalid/1 1https://example.invalid/2]")
	p.wants(len(p.issues), 2)
	if body := p.issues[0].Body; !strings.Contains(body, "1.1 First") || strings.Contains(body, "Second") {
		t.Error(body)
	}
	p.wantsSaid("the milestone of phase 1 is not filed yet", 1)
}

// It is filed when the workflow is resumed, whatever becomes of that.
func TestResumingFilesWhatIsLeft(t *testing.T) {
	p := newScene(t, twoPhases, func(t agent.Task) any {
		if t.Issue == "2.1" {
			return agent.Result{End: agent.Limited, Why: "a limit"}
		}
		return nil
	})
	p.away = func(forge.NewIssue) error { return errAway }
	p.wants(p.addresses(p.pauses(p.document(), workflowstate.PausedAgent)), "[0]")
	p.wantsSaid("1 milestone is not filed (phase 1)", 1)
	waited := strings.Count(strings.Join(p.said, "\n"), "waiting: ")
	p.wants(p.addresses(p.pauses("", workflowstate.PausedAgent)), "[0]")
	p.wantsSaid("waiting: ", waited) // the work is not kept waiting
	p.away = nil
	p.wants(p.addresses(p.pauses("", workflowstate.PausedAgent)), "[0https://example.invalid/1]")
}

// One that stays away keeps no workflow from its end; resuming it files what is left.
func TestATrackerThatStaysAway(t *testing.T) {
	p := newScene(t, twoPhases, nil)
	p.away = func(forge.NewIssue) error { return errAway }
	s := p.run()
	p.completed(s)
	p.wants(p.addresses(s), "[0 1]")
	p.wants(strings.Contains(s.Milestones[0].Unfiled, "connection refused"), true)
	p.wantsSaid("2 milestones are not filed (phases 1, 2): connection refused; warp workflow resume files them when the tracker is back", 1)

	_, err := p.try("")
	if err == nil || !strings.Contains(err.Error(), "connection refused") || !strings.Contains(err.Error(), "warp workflow resume") {
		t.Error(err)
	}
	p.away = nil
	asked := len(p.asked)
	s, err = p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	p.wants(p.addresses(s), "[0https://example.invalid/1 1https://example.invalid/2]")
	p.wants(s.Milestones[1].Unfiled, "")
	p.wants(len(p.asked)-asked, 0)
	var nothing *NothingError
	if _, err := p.try(""); !errors.As(err, &nothing) {
		t.Error(err)
	}
	p.wants(len(p.issues), 2)
}

// Another workflow does not leave what is not filed behind.
func TestTheNextWorkflowFilesWhatIsLeft(t *testing.T) {
	p := newScene(t, one, nil)
	p.away = func(forge.NewIssue) error { return errAway }
	p.completed(p.run())
	p.away = nil
	p.write(".claude/task.md", strings.NewReplacer("a.txt", "z.txt", "a.*", "z.*").Replace(one))
	p.completed(p.run())
	p.wants(len(p.issues), 2)
}

// A workflow that is interrupted while it waits for the tracker has its milestone.
func TestInterruptedWhileTheTrackerIsAway(t *testing.T) {
	p := newScene(t, twoPhases, nil)
	p.away = func(forge.NewIssue) error { return errAway }
	ctx, cancel := context.WithCancel(t.Context())
	p.waits = cancel
	p.pid++
	if _, err := p.engine().Run(ctx, p.document()); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	p.waits, p.away = nil, nil
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	p.wants(p.addresses(s), "[0https://example.invalid/1 1https://example.invalid/2]")
	p.wants(p.roles("1.1"), "[supervise code supervise]")
}

// What a tracker refuses for good keeps no workflow from its end either, and is not tried again and again.
func TestATrackerThatRefuses(t *testing.T) {
	p := newScene(t, one, nil)
	tries := 0
	p.away = func(forge.NewIssue) error {
		tries++
		return &forge.Error{Doing: "filing an issue", Reason: forge.NotAllowed, Why: "403"}
	}
	s := p.run()
	p.completed(s)
	p.wants(tries, 2) // at the milestone and at the end
	p.wantsSaid("waiting: ", 0)
	p.wantsSaid("1 milestone is not filed (phase 1): 403", 1)
}
