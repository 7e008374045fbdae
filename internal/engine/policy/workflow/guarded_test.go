package workflow

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/supervise"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/turnstile/documents"
)

// sh runs a script where an agent works.
func (p *scene) sh(dir, script string) {
	p.Helper()
	c := exec.Command("sh", "-c", script)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		p.Errorf("%s: %v\n%s", script, err, out)
	}
}

// persons puts what a person has not committed into the repository.
func (p *scene) persons() {
	p.write(".gitignore", ".claude/\n.env\n")
	p.write("tracked.txt", "as committed\n")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "chore: tracked")
	p.write(".env", "SECRET\n")
	p.write("notes.txt", "notes\n")
	p.write("tracked.txt", "edited\n")
}

// whole wants all of a person's to be there, and in no commit.
func (p *scene) whole() {
	p.Helper()
	p.wants([]string{p.read(".env"), p.read("notes.txt"), p.read("tracked.txt")}, []string{"SECRET\n", "notes\n", "edited\n"})
	p.wants(p.git("show", "main:tracked.txt"), "as committed")
	if list := p.git("ls-tree", "-r", "--name-only", "main"); strings.Contains(list, "notes") || strings.Contains(list, ".env") || strings.Contains(list, ".claude/") {
		p.Error(list)
	}
}

// Whatever an agent does to what is not its own, one by one and side by side:
// nothing is lost, nothing private is merged, and what it did is told and kept as
// evidence. A sample; make random runs all.
func TestAgentsThatMisbehave(t *testing.T) {
	for name, c := range map[string]struct{ sample, script string }{
		"resets":             {"in place", "git reset -q --hard; git clean -qfdx -e .claude; git checkout -q -- ."},
		"commits everything": {"side by side", "git add -A -f; git commit -q -m mine"},
		"removes .claude":    {"in place", "rm -rf $(git rev-parse --git-common-dir)/../.claude/[!w]*; rm -rf .claude"},
		"moves main":         {"one by one", "git update-ref refs/heads/main $(git commit-tree -p HEAD -m evil HEAD^{tree})"},
		"edits the state":    {"side by side", `m=$(git rev-parse --git-common-dir)/../.claude/agent-state.json; sed 's/"max_cost": "[^"]*"/"max_cost": "$1000"/; s/"pending_tasks"/"pending"/; s/test -s/true/' $m > $m.$$; mv $m.$$ $m`},
	} {
		for side, how := range []string{"in place", "one by one", "side by side"} {
			if !complete() && how != c.sample {
				continue
			}
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				var p *scene
				p = newScene(t, pair, func(t agent.Task) any {
					if t.Role != agent.Code {
						return nil
					}
					p.sh(t.Dir, c.script)
					if err := eachSide(t); err != nil {
						p.Error(err)
					}
					return result{"summary": "done"}
				})
				p.persons()
				p.options.Parallel, p.options.InPlace = max(1, side), side == 0
				s := p.run()
				p.completed(s)
				p.whole()
				p.wants(p.git("log", "--format=%s", "main"), "feat: Right (task 1.2)\nfeat: Left (task 1.1)\nchore: tracked\nchore: begin")
				p.wants(s.SafetyBounds.MaxCost, "$10")
				private := side > 0 && (name == "resets" || name == "removes .claude") // what it did in its own work tree is no loss
				if said := strings.Join(p.said, "\n"); !private && !strings.Contains(said, "intervened ") && !strings.Contains(said, "rebuilt from the journal") {
					t.Error("nothing was said:", said)
				}
				rows := p.read(".claude/state/events.jsonl")
				p.wants(strings.Count(rows, `"work":"workflow `+s.ID+`","`) > 0, true)
				if !private && name != "edits the state" { // which may be put back between two runs
					p.wants(strings.Contains(rows, `"kind":"intervened"`), true)
				}
			})
		}
	}
}

// An agent that may only look and writes has changed nothing.
func TestVerifierThatWrites(t *testing.T) {
	t.Parallel()
	var p *scene
	p = newScene(t, strings.Replace(one, ": `test -s a.txt`", "", 1), func(t agent.Task) any {
		if t.Role == agent.Verify || t.Role == agent.Supervise {
			p.write("a.txt", "by the verifier\n")
			p.write("more.txt", "more\n")
		}
		return nil
	})
	p.completed(p.run())
	p.wants([]string{p.git("show", "main:a.txt"), p.git("status", "--porcelain")}, []string{"1.1 1", ""})
}

// What a person creates or changes while the workflow waits, and outside of the
// claim while an agent works, is in no commit; it stays, and is named.
func TestWhatAPersonChanges(t *testing.T) {
	t.Parallel()
	lies := true
	var p *scene
	p = newScene(t, strings.Replace(one, "## Outer", "## Safety bounds\n- max_iterations_per_task: 1\n\n## Outer", 1), func(t agent.Task) any {
		if t.Role == agent.Code {
			p.write("beside.txt", "while the agent ran\n")
			if lies {
				return result{"summary": "done"}
			}
		}
		return nil
	})
	p.options.InPlace = true
	p.pauses(p.document(), workflowstate.PausedIterations)
	p.write("mine.txt", "during the pause\n")
	lies = false
	p.extend(workflowstate.Limits{Iterations: 2})
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	p.wants([]string{p.git("show", "--name-only", "--format=", "main"), p.git("status", "--porcelain")}, []string{"a.txt", "?? beside.txt\n?? mine.txt"})
	said := strings.Join(p.said, "\n")
	if !strings.Contains(said, `not by an agent; left uncommitted: "mine.txt"`) || !strings.Contains(said, `not committed: "beside.txt"`) {
		t.Error(said)
	}
}

// What a run has left whose engine was killed is its task's.
func TestWhatAKilledRunLeft(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, nil)
	first := true
	p.does = func(t agent.Task) any {
		if t.Role == agent.Code && !first {
			return result{"summary": "it was there"}
		}
		return nil
	}
	p.passed = func(point string) {
		if point == "agent ended code" && first {
			first = false
			panic(point)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = p.try(p.document())
	}()
	s, err := p.try("")
	if err != nil {
		t.Fatal(err, p.said)
	}
	p.completed(s)
	p.wants([]any{p.git("show", "main:a.txt"), s.CompletedTasks[0].FilesModified}, []any{"1.1 1", "[a.txt]"})
}

// A reset of the state folder after a kill brings back no claim of the dead process, which the
// resumed engine would wait for, and loses no limit that a person raises.
func TestAResetAfterAKill(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, func(a agent.Task) any {
		if a.Role == agent.Code {
			panic(errKilled)
		}
		return nil
	})
	p.wants(killed(func() { _, _ = p.try(p.document()) }), true)
	p.does = nil
	if err := os.RemoveAll(filepath.Join(p.root, ".claude", "state")); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p.pid, p.options.Total.MicroUSD = p.pid+1, 20_000_000
	e := p.engine()
	tell := e.Tell
	e.Tell = func(n Note) {
		tell(n)
		if n.Kind == Waiting {
			cancel()
		}
	}
	s, err := e.Run(ctx, "")
	if err != nil {
		t.Fatalf("%v\n%s", err, strings.Join(p.said, "\n"))
	}
	p.completed(s)
	p.wants(s.SafetyBounds.MaxCost, "$20")
}

// Work that weakens tests is not done, unless a criterion allows it.
func TestWeakenedTests(t *testing.T) {
	for name, asked := range map[string]bool{"asked for": true, "not asked for": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := strings.Replace(one, "## Outer", "## Safety bounds\n- max_iterations_per_task: 1\n\n## Outer", 1)
			doc = strings.Replace(doc, "Files: a.txt", "Files: a.txt, old_test.go", 1)
			if asked {
				doc = strings.Replace(doc, "There:", "TestOld goes, allow-test-change: `old_test.go`:", 1)
			}
			var p *scene
			p = newScene(t, doc, func(t agent.Task) any {
				if t.Role == agent.Code {
					p.write("a.txt", "a\n")
					if err := os.Remove(filepath.Join(p.here(), "old_test.go")); err != nil {
						p.Error(err)
					}
					return result{"summary": "done"}
				}
				return nil
			})
			p.write("old_test.go", "package p\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) {\n\tif 1+1 != 2 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n")
			p.git("add", "-A")
			p.git("commit", "-q", "-m", "test: old")
			if asked {
				p.completed(p.run())
				return
			}
			s := p.pauses(p.document(), workflowstate.PausedIterations)
			p.wants([]any{strings.Contains(s.Paused.Why, "tests are weakened"), len(s.CompletedTasks), p.git("rev-list", "--count", "main")}, []any{true, 0, "2"})
		})
	}
}

// A fix is believed when the engine's own check does not find the conflict any
// more, not when its agent says so.
func TestFixThatFixesNothing(t *testing.T) {
	t.Parallel()
	var p *scene
	p = newScene(t, strings.Replace(one, "Files: a.txt", "Files: **", 1), func(t agent.Task) any {
		if t.Role == agent.Code {
			p.write("a.txt", "a\n")
			p.write("lib/notLikeThem.go", "package lib\n")
			return result{"summary": "done"}
		}
		return nil // the fix does nothing, and says that it did
	})
	for _, n := range []string{"a_a", "b_b", "c_c", "d_d", "e_e"} {
		p.write("lib/"+n+".go", "package lib\n")
	}
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "chore: what is there")
	s := p.run()
	p.completed(s)
	i := s.Supervisor.Interventions[0]
	p.wants([]any{i.Action, s.Supervisor.AutoFixesApplied, strings.Contains(i.Resolution, "the conflict is still there")}, []any{supervise.Pass, 0, true})
}

// The plan is a part of the state. That of an older version is read once.
func TestPlanOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	fails := true
	p := newScene(t, one, func(t agent.Task) any {
		if fails {
			return errors.New("stopped")
		}
		return nil
	})
	if _, err := p.try(p.document()); err == nil {
		t.Fatal("it did not stop")
	}
	if _, err := documents.OpenWorkflow(p.store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
		p.write(".claude/"+oldPlan, string(workflowstate.Print(tx.Doc, nil)))
		tx.Doc.Document = nil
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var whole struct{ Plan any }
	decode(t, p.read(".claude/"+oldPlan), &whole)
	p.write(".claude/"+oldPlan, encode(t, whole.Plan))
	fails = false
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	p.wants([]any{s.Document != nil, s.CompletedTasks[0].Name}, []any{true, "First"})
}
