package workflow

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/place"
)

// A criterion that was met, and is not on the tree that would be merged, is not
// completed, whatever the state says: a later task has undone it.
func TestWhatWasMetHoldsNoMore(t *testing.T) {
	t.Parallel()
	var p *scene
	p = newScene(t, strings.Replace(two, "Files: b.txt", "Files: b.txt, a.txt", 1), func(t agent.Task) any {
		if t.Role == agent.Code && t.Issue == "1.2" {
			p.write("a.txt", "")
			p.write("b.txt", "b\n")
			return result{"summary": "done"}
		}
		return nil
	})
	s := p.pauses(p.document(), workflowstate.PausedPerson)
	p.wants([]any{strings.Contains(s.Paused.Why, "task 1.1, criterion «There»: test -s a.txt ended with 1"), p.git("rev-list", "--count", "main"), s.Orchestrator.Status}, []any{true, "1", workflowstate.Reviewing})
	p.at = place.Path(p.root, s.Place)
	p.write("a.txt", "again\n")
	p.git("commit", "-q", "-am", "fix: by a person")
	p.at = ""
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
}

// What a person has not committed proves nothing: the commands are run on what is
// merged. What the project ignores, such as dependencies, is there.
func TestWhatIsNotCommittedProvesNothing(t *testing.T) {
	for name, c := range map[string]struct {
		command string
		copied  []string
		ok      bool
	}{
		"a person's file":          {"test -s mine.txt", nil, false},
		"dependencies":             {"test -s deps/lib.txt", nil, false},
		"dependencies that it has": {"test -s deps/lib.txt", []string{"deps"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newScene(t, one+"\n## Verification\n```sh\n"+c.command+"\n```\n", nil)
			p.copied = c.copied
			p.write(".gitignore", ".claude/\ndeps/\n")
			p.git("commit", "-q", "-am", "chore: ignore")
			p.write("mine.txt", "mine\n")
			p.write("deps/lib.txt", "lib\n")
			if c.ok {
				p.completed(p.run())
				return
			}
			s := p.pauses(p.document(), workflowstate.PausedPerson)
			p.wants(strings.Contains(s.Paused.Why, "fail in a clean checkout of it, where work is judged: "+c.command+" ended with 1"), true)
			p.wants(len(p.asked), 0)
		})
	}
}

// A suite that was red before does not keep the work back, and is the first that
// the report says; one that the work has broken ends it.
func TestSuite(t *testing.T) {
	const tests = `for f in old.txt new.txt; do if grep -qs bad $f; then echo "--- FAIL: Test_$f (0.00s)"; bad=1; fi; done; test -z "$bad"`
	for name, c := range map[string]struct {
		old, new string
		level    int
		status   workflowstate.Status
	}{
		"green":           {"good", "good", 3, workflowstate.Completed},
		"red before":      {"bad", "good", 3, workflowstate.Completed},
		"red before, two": {"bad", "good", 2, workflowstate.Completed},
		"broken":          {"good", "bad", 3, workflowstate.Failed},
		"broken, red":     {"bad", "bad", 3, workflowstate.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *scene
			p = newScene(t, strings.ReplaceAll(one, "a.txt", "new.txt"), func(t agent.Task) any {
				if t.Role == agent.Code {
					p.write("new.txt", c.new+"\n")
					return result{"summary": "done"}
				}
				return nil
			})
			p.write("old.txt", c.old+"\n")
			p.write("suite.sh", tests+"\n")
			p.git("add", "-A")
			p.git("commit", "-q", "-m", "test: suite")
			p.tests = "sh suite.sh"
			if p.options.Level = c.level; c.level == 2 {
				p.options.Yes = true
			}
			s := p.run()
			p.wants(s.Orchestrator.Status, c.status)
			report := p.read(".claude/state/workflow/report.md")
			if c.level == 2 {
				report = p.pulls[0].Body
			}
			if c.status == workflowstate.Completed {
				p.wants(strings.Contains(report, "**The test suite is red, as it was before this work. Failing: \"Test_old.txt\"**"), c.old == "bad")
				return
			}
			p.wants([]any{strings.Contains(s.Failure.Why, "Test_new.txt"), p.git("rev-list", "--count", "main")}, []any{true, "2"})
		})
	}
}

// origin gives the repository a remote.
func (p *scene) origin() string {
	p.Helper()
	dir := p.TempDir()
	if out, err := exec.Command("git", "init", "-q", "-b", "main", "--bare", dir).CombinedOutput(); err != nil {
		p.Fatal(string(out))
	}
	p.git("remote", "add", "origin", dir)
	p.git("push", "-q", "origin", "main")
	return dir
}

// With a remote the work is pushed; a push that an agent made is noticed before
// anything of it comes here, and a person is asked. Colleagues push as they like.
func TestRemote(t *testing.T) {
	push := func(p *scene, from string) {
		p.sh(p.root, `c=$(`+from+`); git push -q --no-verify origin $c:refs/heads/main`)
	}
	for name, c := range map[string]struct {
		does  func(p *scene)
		bad   bool
		count string
	}{
		"nothing":   {func(*scene) {}, false, "2"},
		"the agent": {func(p *scene) { push(p, "git commit-tree -p HEAD -m evil HEAD^{tree}") }, true, "1"},
		"colleague": {func(p *scene) {
			p.sh(p.root, `d=$(mktemp -d) && git clone -q "$(git remote get-url origin)" $d && cd $d && git -c user.name=c -c user.email=c@example.invalid commit -q --allow-empty -m theirs && git push -q origin HEAD:main && rm -rf $d`)
		}, false, "3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var p *scene
			p = newScene(t, one, func(t agent.Task) any {
				if t.Role == agent.Code {
					c.does(p)
				}
				return nil
			})
			p.origin()
			if c.bad {
				s := p.pauses(p.document(), workflowstate.PausedPerson)
				p.wants(strings.Contains(s.Paused.Why, "refs/heads/main was moved on origin"), true)
			} else {
				p.completed(p.run())
				p.wants(p.git("ls-remote", "origin", "main"), p.git("rev-parse", "main")+"\trefs/heads/main")
			}
			p.wants(p.git("rev-list", "--count", "main"), c.count)
		})
	}
}

// A target that is checked out elsewhere with changes that overlap, or that is
// gone, is a reason to wait, and nothing is pushed before.
func TestTargetInTheWay(t *testing.T) {
	for name, c := range map[string]struct {
		does func(p *scene)
		why  string
	}{
		"overlapping": {func(p *scene) {
			p.write("a.txt", "a person's\n")
		}, `main is checked out, and your uncommitted changes overlap with what it would get: "a.txt"`},
		"gone": {func(p *scene) { p.git("switch", "-q", "-c", "mine"); p.git("branch", "-q", "-D", "main") }, "the merge target main is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newScene(t, one, nil)
			remote := p.origin()
			if name == "gone" { // git fetch would make it again
				p.git("remote", "remove", "origin")
			}
			p.passed = func(point string) {
				if point == "phases_done" {
					c.does(p)
				}
			}
			s := p.pauses(p.document(), workflowstate.PausedPerson)
			p.wants(strings.Contains(s.Paused.Why, c.why), true)
			p.wants(p.git("--git-dir="+remote, "rev-list", "--count", "main"), "1")
		})
	}
}

// Three runs in a row that come to nothing end it; a bound that tripped stays so
// until there is a new total; a price that is not known refuses a bound in money
// that a person asked for, and only that.
func TestBoundsThatBind(t *testing.T) {
	t.Parallel()
	nothing := newScene(t, one, func(t agent.Task) any {
		if t.Role == agent.Supervise { // its crashes pause the workflow, too
			return nil
		}
		return agent.Result{Agent: "fake", End: agent.Crashed, Why: "exec format error"}
	})
	s := nothing.pauses(nothing.document(), workflowstate.PausedAgent)
	coded := 0
	for _, t := range nothing.asked {
		if t.Role != agent.Supervise {
			coded++
		}
	}
	nothing.wants([]any{coded, strings.Contains(s.Paused.Why, "three agent runs in a row did nothing: fake: exec format error")}, []any{3, true})

	dear := newScene(t, strings.Replace(one, "## Outer", "## Safety bounds\n- max_cost: $0.01\n\n## Outer", 1), nil)
	dear.pauses(dear.document(), workflowstate.PausedCost)
	dear.options.Total.MicroUSD = 10_000
	if _, err := dear.try(""); err == nil || !strings.Contains(err.Error(), "the new total must be higher") {
		t.Error(err)
	}
	dear.options.Total.MicroUSD = 50_000
	s, err := dear.try("")
	if err != nil {
		t.Fatal(err)
	}
	dear.completed(s)
	dear.wants(s.SafetyBounds.MaxCost, "$0.05")

	unpriced := func(t agent.Task) any {
		if t.Budget.MicroUSD > 0 {
			return agent.Result{Agent: "fake", End: agent.Unpriced, Why: "its price is not known"}
		}
		return nil
	}
	asked := newScene(t, strings.Replace(one, "## Outer", "## Safety bounds\n- max_cost: $5\n\n## Outer", 1), unpriced)
	asked.pauses(asked.document(), workflowstate.PausedAgent)
	usual := newScene(t, one, unpriced)
	usual.completed(usual.run())
	usual.wants(strings.Contains(strings.Join(usual.said, "\n"), "the default limit in dollars does not apply"), true)
}

// A person who stops it while a run is under way pays for the run.
func TestInterruptedRunsCount(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, func(t agent.Task) any {
		if t.Role == agent.Code {
			return errors.New("interrupted")
		}
		return nil
	})
	s, err := p.try(p.document())
	p.wants([]any{err != nil, s.SafetyBounds.CostSoFar, len(s.ActiveAgents)}, []any{true, "$0.02", 0})
}
