package session

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/event"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/judge"
	"warp/internal/engine/step"
)

func (p *yard) sh(dir, script string) {
	p.Helper()
	c := exec.Command("sh", "-c", script)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		p.Errorf("%s: %v\n%s", script, err, out)
	}
}

func (p *yard) tells(part string) {
	p.Helper()
	if !strings.Contains(strings.Join(p.said, "\n"), part) {
		p.Errorf("it does not say %q:\n%s", part, strings.Join(p.said, "\n"))
	}
}

// commits is a project with a test that passes and work of a person's.
func commits(t *testing.T, does func(n int, t agent.Task) any) *yard {
	p := newYard(t, does)
	p.write("a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif 1 != 1 {\n\t\tt.Error(\"no\")\n\t}\n}\n")
	p.write(".gitignore", ".env\n.claude\n")
	p.write("tracked.txt", "v1\n")
	p.git("add", "-A")
	p.git("commit", "-q", "-m", "chore: files")
	p.write(".env", "SECRET=1\n")
	p.write("notes.txt", "mine\n")
	p.write("tracked.txt", "v1\nedited\n")
	return p
}

func TestWhatAnAgentDestroysIsThereAgain(t *testing.T) {
	p := commits(t, nil)
	head := p.git("rev-parse", "main")
	p.does = func(int, agent.Task) any {
		p.sh(p.root, "git reset -q --hard HEAD~1; git clean -qfdx -e .claude; rm -rf .claude; echo done > work.txt; git add -A -f; git commit -qm agent")
		return more
	}
	p.wants(came(p.run(p.loop("runs", "2"))), "complete max_iterations")
	p.wants(p.git("rev-parse", "main"), head)
	p.wants(p.read(".env")+p.read("notes.txt")+p.read("tracked.txt")+p.read("work.txt"), "SECRET=1\nmine\nv1\nedited\ndone\n")
	p.tells("intervened")
	kinds := map[string]int{}
	store := durable.New(durable.Config{Dir: filepath.Join(p.root, ".claude"), Now: time.Now})
	if _, err := store.Events(func(r event.Row) bool {
		if r.Data.Get("work").Text() == "session s" {
			kinds[r.Kind]++
		}
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if kinds[event.Run] != 2 || kinds[event.Intervened] == 0 {
		t.Errorf("the journal has %v", kinds)
	}
}

// Git hashes every uncommitted file for a snapshot, and one that is compared with nothing cost a
// fifth of an iteration.
func TestWithoutChecksNoSnapshotIsTaken(t *testing.T) {
	p := commits(t, nil)
	p.does = func(_ int, a agent.Task) any {
		p.make(a, "work.txt", "done\n")
		return more
	}
	p.wants(came(p.run(p.loop("runs", "1"))), "complete max_iterations")
	if exec.Command("git", "-C", p.root, "cat-file", "-e", strings.TrimSpace(p.git("hash-object", "work.txt"))).Run() == nil {
		t.Error("the repository has the agent's file as an object")
	}
}

func TestAJudgeMayOnlyLook(t *testing.T) {
	p := commits(t, nil)
	p.does = func(_ int, a agent.Task) any {
		if a.Role == agent.Judge {
			p.write(".gitignore", "judged\n")
			return result{"stop": true, "confidence": 1}
		}
		return more
	}
	p.run(p.loop("until", "judge", "min_iterations", "1", "runs", "3"))
	p.wants(p.read(".gitignore"), ".env\n.claude\n")
	p.tells("while a read-only agent ran")
}

func TestACommitHoldsWhatTheAgentChanged(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any {
		p.make(a, fmt.Sprintf("work%d.txt", n), "by the agent\n")
		return more
	}
	j := p.loop("runs", "2", "commit", "true")
	p.crash = "iteration_completed#1"
	if _, err := p.process(j); !errors.Is(err, errDied) {
		t.Fatal(err)
	}
	p.write("between.txt", "a person's\n")
	j.Goes = true
	p.wants(came(p.run(j)), "complete max_iterations")
	p.wants(strings.Fields(p.git("log", "--format=", "--name-only", "-2", "session/s")), "[work2.txt work1.txt]")
	p.wants(strings.TrimSpace(p.git("status", "--porcelain")), "M tracked.txt\n?? between.txt\n?? notes.txt")
}

func TestWhatAKilledRunLeftIsItsIterations(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any {
		p.make(a, fmt.Sprintf("try%d.txt", n), "x\n")
		return more
	}
	p.crash = "agent_ended#1"
	p.wants(came(p.run(p.loop("runs", "1", "commit", "true"))), "complete max_iterations")
	p.wants(strings.Fields(p.git("log", "--format=", "--name-only", "-1", "session/s")), "[try1.txt]")
}

func TestWeakenedIsNotDone(t *testing.T) {
	for name, spoil := range map[string]func(p *yard, a agent.Task){
		"a gutted test": func(p *yard, a agent.Task) {
			p.make(a, "a_test.go", "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n")
		},
		"the check itself": func(p *yard, a agent.Task) { p.make(a, "check.sh", "exit 0\n") },
	} {
		t.Run(name, func(t *testing.T) {
			p := commits(t, nil)
			p.write("check.sh", "test -e fixed\n")
			p.git("add", "check.sh")
			p.git("commit", "-qm", "chore: check")
			p.does = func(n int, a agent.Task) any {
				if n == 1 {
					spoil(p, a)
				} else {
					p.make(a, "fixed", fmt.Sprint(n))
				}
				return more
			}
			head := p.git("rev-parse", "HEAD")
			s := p.run(p.stages("commands: {test: sh check.sh}\nstages: [{id: a, prompt: x, runs: 2, commit: true, verify: [test]}]"))
			p.wants(came(s), "failed verify") // also when the next iteration has found it like that
			p.wants(p.git("rev-parse", "HEAD"), head)
			p.tells("integrity: ")
		})
	}
}

func TestTheIntegrityCheckIsAPort(t *testing.T) {
	p := commits(t, nil)
	p.does = func(_ int, a agent.Task) any { p.make(a, "work.txt", "x"); return more }
	e := p.engine()
	e.Checks.Integrity = func(_ context.Context, c judge.Candidate) (string, error) { return "worse: " + c.Criteria[0], nil }
	s, err := e.Run(t.Context(), p.loop("runs", "1", "commit", "true"))
	if err != nil {
		t.Fatal(err)
	}
	p.wants(came(s)+" "+s.Why, "failed verify the checks fail: worse: t")
}

func TestAPushPastWarpNeedsAPerson(t *testing.T) {
	p := commits(t, nil)
	p.sh(p.root, "git init -q --bare ../$(basename $PWD).git && git remote add origin ../$(basename $PWD).git && git push -q origin main")
	p.does = func(n int, _ agent.Task) any {
		p.sh(p.root, "git push -q --no-verify origin $(git commit-tree -p HEAD -m x HEAD^{tree}):main")
		return more
	}
	s, err := p.process(p.loop("runs", "1"))
	var stopped *step.StoppedError
	if !errors.As(err, &stopped) || !strings.Contains(stopped.Do, "git push --force-with-lease origin") {
		t.Fatalf("%v", err)
	}
	p.wants(came(s), "failed failed")
}

func TestThreeRunsThatComeToNothingNeedAPerson(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any { return agent.Result{Agent: "fake", End: agent.NoLogin, Why: "log in first"} })
	s, err := p.process(p.loop())
	var stopped *step.StoppedError
	if !errors.As(err, &stopped) {
		t.Fatalf("%v", err)
	}
	p.wants(fmt.Sprint(came(s), " ", len(p.asked)), "failed agent-error 3")
}

func TestAnUnknownPriceIsRefused(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any { return agent.Result{End: agent.Unpriced, Why: "no price"} })
	_, err := p.process(p.loop("max_cost", "5"))
	var stopped *step.StoppedError
	if !errors.As(err, &stopped) || stopped.Why != "no price" {
		t.Fatalf("%v", err)
	}
	p.wants(len(p.asked), 1)
}

func TestABoundThatTrippedStaysSo(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any {
		return agent.Result{End: agent.Done, Text: "x", Usage: agent.Usage{MicroUSD: 2e6, Input: 10, Priced: true}}
	})
	j := p.loop("max_cost", "1", "runs", "3")
	p.wants(came(p.run(j)), "failed budget")
	j.Goes = true
	p.wants(fmt.Sprint(came(p.run(j)), len(p.asked)), "failed budget1")
	j.Limit = budget.Amount{MicroUSD: 3e6}
	p.wants(fmt.Sprint(came(p.run(j)), len(p.asked)), "failed budget2")
	j.Limit = budget.Amount{MicroUSD: 100e6, Tokens: 30}
	p.wants(fmt.Sprint(came(p.run(j)), len(p.asked)), "complete max_iterations3")
	p.wants(p.asked[2].Budget, agent.Budget{MicroUSD: 96e6, Tokens: 10})
}

func TestBoundsHoldWhileAnAgentRuns(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any { return more })
	e := p.engine()
	e.Limits = Limits{Idle: 7 * time.Second}
	if _, err := e.Run(t.Context(), p.loop("max_time", "10s", "runs", "1")); err != nil {
		t.Fatal(err)
	}
	p.wants(fmt.Sprint(p.asked[0].Timeout, p.asked[0].Idle), "10s 7s")
	e = p.engine()
	e.Limits.Used = func(context.Context) (string, error) { return "max_day_cost is spent", nil }
	s, err := e.Run(t.Context(), p.loop("runs", "1"))
	if err != nil {
		t.Fatal(err)
	}
	p.wants(came(s)+s.Why+fmt.Sprint(len(p.asked)), "failed budgetmax_day_cost is spent1")
}

func TestAStrategyThatWasNotMetIsTold(t *testing.T) {
	p := newYard(t, func(int, agent.Task) any { return more })
	for until, want := range map[string]bool{"fixed": false, "plateau": true} {
		j := p.loop("runs", "2", "until", until)
		p.wants(j.Unmet(p.run(j)), want)
	}
	j := p.stages("stages: [{id: a, prompt: x, until: plateau, runs: 1}, {id: b, prompt: x, runs: 1}]")
	p.wants(j.Unmet(p.run(j)), true)
}

// A document that an agent writes is the engine's again.
func TestAnAgentDoesNotWriteTheState(t *testing.T) {
	p := newYard(t, nil)
	p.does = func(n int, _ agent.Task) any {
		file := ".claude/pipeline-runs/s/state.json"
		p.write(file, strings.Replace(p.read(file), `"status": "running"`, `"status": "complete"`, 1))
		return more
	}
	s := p.run(p.loop("runs", "2"))
	p.wants(fmt.Sprint(came(s), len(s.History)), "complete max_iterations2")
	p.tells("the engine's own state was changed")
}

func TestSessionsOfOneWorkTreeTakeTurns(t *testing.T) {
	p := newYard(t, nil)
	inside := make(chan struct{}, 1)
	p.does = func(int, agent.Task) any {
		select {
		case inside <- struct{}{}:
		default:
			t.Error("two agents are at work at once")
		}
		<-inside
		return more
	}
	done := make(chan *sessionstate.State, 2)
	for _, name := range []string{"x", "y"} {
		j := p.loop("runs", "3")
		j.Name = name
		e := p.engine()
		e.Passed = nil
		go func() {
			s, err := e.Run(context.Background(), j)
			if err != nil {
				t.Error(err)
			}
			done <- s
		}()
	}
	for range 2 {
		if s := <-done; s != nil {
			p.wants(came(s), "complete max_iterations")
		}
	}
}
