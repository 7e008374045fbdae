package workflow

import (
	"context"
	"errors"
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/turnstile/documents"
)

// At level 2 a person approves the plan, and the work ends as a pull request. What
// the level is, the workflow knows: resuming it does not ask for less.
func TestLevel2(t *testing.T) {
	begin := func(t *testing.T) *scene {
		t.Parallel()
		p := newScene(t, one, nil)
		p.options.Level = 2
		p.git("switch", "-q", "-c", "mine")
		return p
	}
	t.Run("on main", func(t *testing.T) {
		p := begin(t)
		p.git("switch", "-q", "main")
		p.options.Yes = true
		s := p.run()
		p.completed(s)
		p.wants([]any{s.Branch, s.BeganOn, p.pulls[0].Head, p.pulls[0].Base}, "[workflow/one  workflow/one main]")
		p.wants([]any{p.git("branch", "--show-current"), p.git("rev-list", "--count", "main"), p.git("log", "--format=%s", "main..workflow/one")}, "[main 1 feat: First (task 1.1)]")
	})
	t.Run("on a branch of the person's", func(t *testing.T) {
		p := begin(t)
		p.git("commit", "-q", "--allow-empty", "-m", "chore: mine")
		p.options.Yes, p.options.Parallel = true, 2
		p.write(".claude/task.md", pair)
		p.does = func(t agent.Task) any {
			if t.Role != agent.Code {
				return nil
			}
			if err := eachSide(t); err != nil {
				p.Error(err)
			}
			return result{"summary": "done"}
		}
		p.completed(p.run())
		p.wants([]any{p.git("branch", "--show-current"), p.git("log", "--format=%s", "main..mine")}, "[mine chore: mine]")
		p.wants(p.git("log", "--format=%s", "main..workflow/pair"), "feat: Right (task 1.2)\nfeat: Left (task 1.1)")
	})
	t.Run("begun by an earlier version", func(t *testing.T) {
		p := begin(t)
		p.options.InPlace = true
		p.pauses(p.document(), workflowstate.PausedPlan)
		p.git("switch", "-q", "mine")
		if _, err := documents.OpenWorkflow(p.store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
			tx.Doc.Branch, tx.Doc.BeganOn = "mine", "mine"
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		p.options.Yes = true
		s, err := p.try("")
		if err != nil {
			t.Fatal(err)
		}
		p.completed(s)
		p.wants([]any{p.pulls[0].Head, p.git("branch", "--show-current"), p.git("log", "--format=%s", "main..mine")}, "[mine mine feat: First (task 1.1)]")
	})
	t.Run("the name is taken at the remote", func(t *testing.T) {
		p := begin(t)
		p.origin()
		p.git("commit", "-q", "--allow-empty", "-m", "feat: of an earlier workflow")
		p.git("push", "-q", "origin", "mine:refs/heads/workflow/one")
		p.options.Yes = true
		p.completed(p.run())
		p.wants([]any{p.pulls[0].Head, p.git("ls-remote", "origin", "refs/heads/workflow/one-2") != ""}, "[workflow/one-2 true]")
	})
	t.Run("no person can be asked", func(t *testing.T) {
		p := begin(t)
		p.pauses(p.document(), workflowstate.PausedPlan)
		p.options.Level = 3 // as it is configured by now
		p.pauses("", workflowstate.PausedPlan)
		p.wants(len(p.asked), 0)
		p.options.Yes = true
		s, err := p.try("")
		if err != nil {
			t.Fatal(err)
		}
		p.completed(s)
		p.wants(p.git("rev-list", "--count", "main"), "1")
		if len(p.pulls) != 1 || p.pulls[0].Head != "workflow/one" || p.pulls[0].Base != "main" || !strings.Contains(p.pulls[0].Body, "- 1.1 First: ") {
			t.Errorf("%+v", p.pulls)
		}
	})
	t.Run("approved", func(t *testing.T) {
		p := begin(t)
		p.approve = func(_ context.Context, plan string) (bool, error) { return strings.Contains(plan, "1.1 First"), nil }
		p.completed(p.run())
	})
	t.Run("rejected", func(t *testing.T) {
		p := begin(t)
		p.approve = func(context.Context, string) (bool, error) { return false, nil }
		s := p.run()
		p.wants([]any{s.Orchestrator.Status, s.Failure.Reason, len(p.asked), s.Orchestrator.EndTime != nil}, []any{"failed", "plan_rejected", 0, true})
		p.wants(p.git("branch", "--show-current"), "mine")
		p.completed(func() *workflowstate.State { // and once more, within the same second
			p.options.Yes = true
			return p.run()
		}())
		p.wants(p.git("branch", "--show-current"), "mine")
		p.wants(p.git("-C", ".claude", "rev-parse", "--show-prefix"), ".claude/")
	})
	t.Run("not answered yet", func(t *testing.T) {
		p := begin(t)
		p.approve = func(context.Context, string) (bool, error) { return false, errors.New("no answer yet") }
		s := p.pauses(p.document(), workflowstate.PausedPlan)
		p.wants(strings.Contains(s.Paused.Why, "no answer yet"), true)
	})
}
