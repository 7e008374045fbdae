package workflow

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/place"
	"warp/internal/turnstile/documents"
)

// An agent that says that all is done, and a verifier that does not say so, never
// complete a task: its iterations end, a person allows more, and it continues where
// it was.
func TestLiarsAndTheirBound(t *testing.T) {
	for name, doc := range map[string]string{"command": one, "judged": strings.Replace(one, ": `test -s a.txt`", "", 1), "own bound": strings.Replace(one, "Files:", "Max iterations: 2\nFiles:", 1)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			honest := false
			var p *scene
			p = newScene(t, strings.Replace(doc, "## Outer", "## Safety bounds\n- max_iterations_per_task: "+map[bool]string{true: "30", false: "2"}[name == "own bound"]+"\n\n## Outer", 1), func(t agent.Task) any {
				switch {
				case honest:
					return nil
				case t.Role == agent.Code:
					if p.write("a.txt", ""); t.Chunk%2 == 0 { // it changes something each time
						p.sh(t.Dir, "rm a.txt")
					}
					return result{"summary": "it is done", "learnings": []string{"lying is easy"}}
				case t.Role == agent.Verify:
					return result{"criteria": []result{{"id": "another", "met": true}, {"id": "C1", "met": true}, {"id": "C1", "met": false, "reason": "it is not"}}}
				}
				return nil
			})
			s := p.pauses(p.document(), workflowstate.PausedIterations)
			p.wants([]any{len(s.CompletedTasks), s.PendingTasks.Find("1.1").Iterations, s.Orchestrator.RalphIteration, len(p.locks())}, []any{0, 2, 2, 0})
			p.pauses("", workflowstate.PausedIterations)
			p.wants(len(p.roles("1.1")), map[bool]int{false: 3, true: 5}[name == "judged"])
			honest = true
			p.extend(workflowstate.Limits{Iterations: 1})
			s, err := p.try("")
			if err != nil {
				t.Fatal(err)
			}
			p.completed(s)
			p.wants([]any{s.CompletedTasks[0].Iterations, s.CompletedTasks[0].Criteria}, []any{3, "[{there true}]"})
			asked := p.asked[len(p.asked)-2]
			if asked.Role == agent.Verify {
				asked = p.asked[len(p.asked)-3]
			}
			if !strings.Contains(asked.Prompt, "This is iteration 3.") || !strings.Contains(asked.Prompt, "Fix the problems found") {
				t.Error(asked.Prompt)
			}
		})
	}
}

// What runs of an unknown price cost is not zero.
func TestUnknownCosts(t *testing.T) {
	p := newScene(t, one, nil)
	p.does = func(t agent.Task) any {
		res := agent.Result{Agent: "fake", End: agent.Done}
		if err := p.good(&res, t); err != nil {
			return err
		}
		return res
	}
	s, err := p.try(p.document())
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	b, d := s.SafetyBounds, s.CompletedTasks[0]
	p.wants([]any{b.Cost(), b.Unpriced == len(p.asked), d.Unpriced > 0}, []any{0, true, true})
}

// Money and time: warned once at 75% and 90%, paused at 100%, extended. An agent is
// never given more than is left.
func TestBounds(t *testing.T) {
	const doc = "# Many\n\n## Safety bounds\n- max_cost: %s\n- max_time: %s\n\n## Supervisor\n- enabled: no\n\n## Outer loop\n- enabled: no\n\n### Phase 1: P\n"
	tasks := ""
	for i := range 12 {
		tasks += fmt.Sprintf("#### Task 1.%d: T%d\nFiles: %d.txt\n- [ ] There: `test -s %d.txt`\n", i+1, i+1, i+1, i+1)
	}
	for _, c := range []struct {
		cost, time, reason string
		more               workflowstate.Limits
		warnings           string
		done               int // a command is not begun when the time is used up
	}{
		{"$0.10", "2h", workflowstate.PausedCost, workflowstate.Limits{MicroUSD: 90_000}, "[Cost at 75% of limit Cost at 90% of limit Cost at 100% of limit]", 10},
		{"$5", "70s", workflowstate.PausedTime, workflowstate.Limits{Time: time.Hour}, "[Time at 75% of limit Time at 90% of limit Time at 100% of limit]", 9},
	} {
		t.Run(c.reason, func(t *testing.T) {
			t.Parallel()
			p := newScene(t, fmt.Sprintf(doc, c.cost, c.time)+tasks, nil)
			s := p.pauses(p.document(), c.reason)
			p.wants([]any{len(s.CompletedTasks), s.SafetyBounds.Warnings, len(p.asked), s.Orchestrator.Status}, []any{c.done, c.warnings, 10, workflowstate.Executing})
			for i, a := range p.asked {
				left := min(10e6, map[string]int64{"$0.10": 100_000, "$5": 5_000_000}[c.cost]-int64(i)*stepCost)
				if a.Budget.MicroUSD != left {
					t.Errorf("run %d: %d, want %d", i, a.Budget.MicroUSD, left)
				}
			}
			p.pauses("", c.reason)
			p.wants(len(p.asked), 10)
			p.extend(c.more)
			s, err := p.try("")
			if err != nil {
				t.Fatal(err)
			}
			p.completed(s)
			p.wants([]any{len(s.CompletedTasks), s.SafetyBounds.Warnings, s.SafetyBounds.CostSoFar}, []any{12, "[]", "$0.12"})
		})
	}
}

// The bound counts what a budget has stopped, and the same is asked again
// afterwards.
func TestBudgetWithinARun(t *testing.T) {
	t.Parallel()
	p := newScene(t, strings.Replace(one, "## Outer", "## Safety bounds\n- max_cost: $0.05\n\n## Outer", 1), nil)
	p.does = func(t agent.Task) any {
		if t.Role == agent.Code && t.Budget.MicroUSD < 100_000 {
			return agent.Result{End: agent.Budgeted, Usage: agent.Usage{MicroUSD: t.Budget.MicroUSD, Priced: true}}
		}
		return nil
	}
	s := p.pauses(p.document(), workflowstate.PausedCost)
	p.wants([]any{s.SafetyBounds.CostSoFar, s.PendingTasks.Find("1.1").Iterations}, []any{"$0.05", 0})
	p.extend(workflowstate.Limits{MicroUSD: 1e6})
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	p.wants([]any{s.CompletedTasks[0].Iterations, s.CompletedTasks[0].Cost, s.SafetyBounds.CostSoFar}, []any{1, "$0.07", "$0.07"})
}

// Where the merge target has moved on, the branch is rebased, verified again, and
// the state names the commits that there are.
func TestMainMovesOn(t *testing.T) {
	for name, c := range map[string]struct{ file, text, verify, reason string }{
		"elsewhere": {"other.txt", "other\n", "true", ""},
		"conflict":  {"a.txt", "theirs\n", "true", workflowstate.PausedPerson},
		"broken":    {"other.txt", "other\n", "test ! -e other.txt", workflowstate.PausedPerson},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *scene
			moved := false
			p = newScene(t, one+"\n## Verification\n```sh\n"+c.verify+"\n```\n", nil)
			p.passed = func(point string) { // a person's commit, between two runs
				if point == "task_done" && !moved {
					moved = true
					p.git("commit", "-q", "--allow-empty", "-m", "chore: moved")
					p.write(c.file, c.text)
					p.git("add", "-A")
					p.git("commit", "-q", "-m", "chore: theirs")
				}
			}
			if c.reason == "" {
				s := p.run()
				p.completed(s)
				p.wants(p.git("log", "--format=%s", "main"), "feat: First (task 1.1)\nchore: theirs\nchore: moved\nchore: begin")
				p.wants(s.CompletedTasks[0].Commit, p.git("rev-parse", "main"))
				p.wants(strings.Contains(p.read(".claude/state/workflow/report.md"), p.git("rev-parse", "--short=10", "main")), true)
				return
			}
			s := p.pauses(p.document(), c.reason)
			if name == "conflict" { // a person rebases, and it continues
				p.git("-C", place.Path(p.root, s.Place), "rebase", "-q", "-X", "theirs", "main")
				s, err := p.try("")
				if err != nil {
					t.Fatal(err)
				}
				p.completed(s)
				p.wants(s.CompletedTasks[0].Commit, p.git("rev-parse", "main"))
				return
			}
			p.pauses("", c.reason)
		})
	}
}

// What an aborted workflow has left on its branch is neither built upon nor
// merged by the next.
func TestTheNextWorkflowBeginsAtMain(t *testing.T) {
	t.Parallel()
	p := newScene(t, two, nil)
	p.does = func(t agent.Task) any {
		if t.Issue == "1.2" {
			return errors.New("stopped")
		}
		return nil
	}
	if _, err := p.try(p.document()); err == nil {
		t.Fatal("it did not stop")
	}
	if _, err := p.try(p.root + "/.claude/other.md"); err == nil || !strings.Contains(err.Error(), "is unfinished here") {
		t.Error(err)
	}
	if _, err := documents.OpenWorkflow(p.store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
		return tx.Doc.Fire(workflowstate.Aborted, "", "", p.now())
	}); err != nil {
		t.Fatal(err)
	}
	p.does = nil
	s := p.run()
	p.completed(s)
	p.wants([]any{s.Branch, p.subjects("main~2"), len(s.CompletedTasks)}, []any{"workflow/two-2", "feat: First (task 1.1)|feat: Second (task 1.2)", 2})
	p.wants(p.git("rev-list", "--count", "main"), "3")
	p.wants(strings.Contains(p.read(".claude/"+workflowstate.Archive+"/20260115T120000Z/agent-state.json"), `"reason": "aborted"`), true)
	p.wants(strings.Contains(p.read(".claude/"+workflowstate.Archive+"/20260115T120000Z/checkpoint-001.json"), `"1.1"`), true)
	p.wants(strings.HasPrefix(p.read(".claude/checkpoint-005.json"), "open "), true)

	// An id that was given already, or leads elsewhere, has a folder of its own.
	for _, id := range []string{"20260115T120000Z", "../../out"} {
		if _, err := documents.OpenWorkflow(p.store()).Update(func(tx *durable.Tx[workflowstate.State]) error { tx.Doc.ID = id; return nil }); err != nil {
			t.Fatal(err)
		}
		p.completed(p.run())
	}
	p.wants(strings.Contains(p.read(".claude/"+workflowstate.Archive+"/20260115T120000Z-2/agent-state.json"), `"completed"`), true)
	p.wants(strings.Contains(p.read(".claude/"+workflowstate.Archive+"/out/agent-state.json"), `"completed"`), true)
}

// An agent that commits by itself, or leaves the branch, does not hide what it did.
func TestAgentsThatCommit(t *testing.T) {
	for name, does := range map[string]func(p *scene){
		"commits": func(p *scene) { p.git("add", "-A"); p.git("commit", "-q", "-m", "feat: by myself") },
		"commits a part": func(p *scene) {
			p.git("add", "-A")
			p.git("commit", "-q", "-m", "feat: a part")
			p.write("b.txt", "b\n")
		},
		"leaves the branch": func(p *scene) { p.git("switch", "-q", "-c", "elsewhere") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *scene
			p = newScene(t, one, func(t agent.Task) any {
				if t.Role == agent.Code {
					p.write("a.txt", "a\n")
					does(p)
					return result{"summary": "done"}
				}
				return nil
			})
			p.options.InPlace = true
			s := p.run()
			p.completed(s)
			p.wants(p.git("show", "main:a.txt"), "a")
			p.wants(p.git("status", "--porcelain"), map[bool]string{true: "?? b.txt"}[name == "commits a part"]) // what the task does not claim
			p.wants(s.CompletedTasks[0].Commit, p.git("rev-parse", "main"))
			p.wants(fmt.Sprint(s.CompletedTasks[0].FilesModified), "[a.txt]")
			p.wants(p.git("log", "--format=%s", "main"), "feat: First (task 1.1)\nchore: begin")
		})
	}
}
