package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"warp/internal/core/sessionstate"
	"warp/internal/engine/agent"
	"warp/internal/testkit/agenttest"
	"warp/internal/testkit/need"
)

// lands has the sessions of a yard land.
func lands(t *testing.T, does func(n int, t agent.Task) any) *yard {
	p := commits(t, does)
	p.lands = true
	return p
}

// Landed is what a complete session has committed, whatever was killed on the way.
func TestACompleteSessionLands(t *testing.T) {
	for i, point := range []string{"", "committed#2", "landed#1", "stage_ended#1", "handed_over#1"} {
		for k, kind := range []string{"loop", "pipeline"} {
			if i%2 != k && !need.Whole() {
				continue // each point once, and each kind; make crash has all
			}
			t.Run(kind+point, func(t *testing.T) {
				p := lands(t, nil)
				p.does, p.crash = writes(p), point
				j := p.loop("runs", "2", "commit", "true")
				if kind == "pipeline" {
					j = p.stages("stages: [{id: a, prompt: x, runs: 2, commit: true}]")
				}
				if _, err := p.process(j); err != nil && !errors.Is(err, errDied) {
					t.Fatal(err)
				}
				p.crash = ""
				if s := p.state("s"); s.Status == sessionstate.Running {
					j.Goes = true
					p.run(j)
				} else if s.Status == sessionstate.Complete && !s.Left { // a loop: the next start does the rest
					p.does = func(int, agent.Task) any { return more }
					p.run(p.loop("runs", "1"))
				}
				p.wants(p.landed(), "*main t:chore-turn-2 t:chore-turn-1 "+before)
				p.wants(p.read("work1.txt")+p.read("tracked.txt"), "by the agent\nv1\nedited\n")
				p.wants(strings.Count(p.git("worktree", "list"), "\n"), 1)
				p.wants(p.git("for-each-ref", "refs/warp/session"), "")
			})
		}
	}
}

// meanwhile has someone else commit on main after the first iteration of a session.
func (p *yard) meanwhile(j Job, script string) *sessionstate.State {
	p.Helper()
	p.crash = "iteration_completed#1"
	if _, err := p.process(j); !errors.Is(err, errDied) {
		p.Fatal(err)
	}
	p.crash = ""
	p.sh(p.root, "git stash -q -u; "+script+"; git stash pop -q")
	j.Goes = true
	return p.run(j)
}

const others = "echo x > others.txt; git add others.txt; git commit -qm 'chore: others'"

// What others landed meanwhile is below it, and each commit is checked on top of that.
func TestASessionLandsOnTopOfOthers(t *testing.T) {
	p := lands(t, nil)
	p.does = writes(p)
	p.meanwhile(p.stages("commands: {test: 'test ! -e work2.txt || test -e work1.txt'}\nstages: [{id: a, prompt: x, runs: 2, commit: true, verify: [test]}]"), others)
	p.wants(p.landed(), "*main t:chore-turn-2 t:chore-turn-1 t:chore-others "+before)
	p.tells("session/s on top of main")
}

// What fails together with what others did does not land, and waits for a person.
func TestWhatFailsTogetherDoesNotLand(t *testing.T) {
	p := lands(t, nil)
	p.does = writes(p)
	j := p.stages("commands: {test: 'test ! -e others.txt || test ! -e work1.txt || test -e fixed'}\nstages: [{id: a, prompt: x, runs: 1, commit: true, verify: [test]}]")
	s := p.meanwhile(j, others)
	p.wants(came(s), "failed landing")
	p.wants(p.landed(), "*main session/s t:chore-others "+before)
	if !strings.Contains(s.Why, `on top of main the checks fail at "chore: turn 1"`) {
		t.Error(s.Why)
	}
	// A person puts it right on the branch; what is complete is not done again.
	p.git("stash", "-q")
	p.git("switch", "-q", "session/s")
	p.sh(p.root, "git rebase -q main; echo x > fixed; git add fixed; git commit -q --amend --no-edit; git switch -q main; git stash pop -q")
	j.Goes = true
	p.wants(came(p.run(j)), "complete max_iterations")
	p.wants(p.landed(), "*main t:chore-turn-1 t:chore-others "+before)
	p.wants(len(p.asked), 1)
}

// A person's own changes are not overwritten: the commits wait.
func TestLandingWaitsForAPersonsChanges(t *testing.T) {
	p := lands(t, func(_ int, a agent.Task) any { return more })
	p.does = func(_ int, a agent.Task) any { p.make(a, "tracked.txt", "v2\n"); return result{"summary": "turn 1"} }
	j := p.loop("runs", "1", "commit", "true")
	s := p.run(j)
	p.wants(came(s), "failed landing")
	p.wants(p.read("tracked.txt"), "v1\nedited\n")
	p.wants(p.landed(), "*main session/s "+before)
	p.git("checkout", "tracked.txt")
	j.Goes = true
	p.wants(came(p.run(j)), "complete max_iterations")
	p.wants(p.landed(), "*main t:chore-turn-1 "+before)
	p.wants(len(p.asked), 1)
}

// A project may keep files of .claude, and a .gitignore there that does not hide what warp
// puts beside them: neither is uncommitted work of the session's.
func TestTrackedFilesOfClaudeAreNotLeft(t *testing.T) {
	p := lands(t, nil)
	p.does = writes(p)
	p.sh(p.root, "mkdir -p .claude/commands; echo x > .claude/commands/x.md; echo x > .claude/.gitignore; git add -f .claude/commands .claude/.gitignore; git commit -qm 'chore: commands' -- .claude")
	p.wants(came(p.run(p.stages("stages: [{id: a, prompt: x, runs: 1, commit: true}, {id: b, prompt: y, runs: 1, commit: true, needs: []}]"))), "complete max_iterations")
	p.wants(strings.Count(p.git("worktree", "list"), "\n"), 1)
	p.wants(p.git("for-each-ref", "refs/warp/session", "refs/heads/session", "refs/heads/warp"), "")
}

// What a person has amended or dropped meanwhile does not come back.
func TestLandingWaitsWhereItsBeginningIsGone(t *testing.T) {
	for name, script := range map[string]string{"amended": "git commit -q --amend -m amended", "dropped": "git reset -q --hard HEAD~1"} {
		t.Run(name, func(t *testing.T) {
			p := lands(t, nil)
			p.does = writes(p)
			p.sh(p.root, others)
			j := p.loop("runs", "2", "commit", "true")
			s := p.meanwhile(j, script)
			p.wants(came(s), "failed landing")
			_, do, _ := strings.Cut(s.Why, "began on: ")
			do, _, ok := strings.Cut(do, " leaves it out")
			if !ok {
				t.Fatal(s.Why)
			}
			p.sh(p.root, "git stash -q -u; "+do+"; git switch -q main; git stash pop -q")
			j.Goes = true
			p.wants(came(p.run(j)), "complete max_iterations")
			if log := p.git("log", "--format=%s", "main"); strings.Contains(log, "others") || strings.Count(log, "chore: turn") != 2 {
				t.Error(log)
			}
		})
	}
}

// Git sets a branch to what it was when its rebase is aborted: what landed meanwhile would
// be on no branch any more. In the middle of a merge git moves nothing.
func TestLandingWaitsForARebaseOrAMerge(t *testing.T) {
	for name, c := range map[string]struct{ begin, end string }{
		"rebase": {"git rebase -q --exec false HEAD~1 || true", "git rebase --abort"},
		"merge":  {"git merge -q --no-ff --no-commit side", "git merge --abort"},
	} {
		t.Run(name, func(t *testing.T) {
			p := lands(t, nil)
			p.does = writes(p)
			p.sh(p.root, "git stash -q -u; "+others+"; git branch side; git reset -q --hard HEAD~1; echo y > y.txt; git add y.txt; git commit -qm 'chore: y'")
			j := p.loop("runs", "1", "commit", "true")
			p.crash = "iteration_completed#1"
			if _, err := p.process(j); !errors.Is(err, errDied) {
				t.Fatal(err)
			}
			p.sh(p.root, c.begin)
			j.Goes, p.crash = true, ""
			s := p.run(j)
			p.wants(came(s), "failed landing")
			if !strings.Contains(s.Why, name+" --abort") {
				t.Error(s.Why)
			}
			p.sh(p.root, c.end)
			p.wants(came(p.run(j)), "complete max_iterations")
			p.wants(p.git("log", "--format=%s", "-2", "main"), "chore: turn 1\nchore: y\n")
		})
	}
}

// Stages that run at once commit their own files, each in a work tree of its own.
func TestStagesAtOnceCommitTheirOwn(t *testing.T) {
	for _, point := range []string{""} { // what is killed at once is another test's: here the other stages would live on
		t.Run(point, func(t *testing.T) {
			p := lands(t, nil)
			var mu sync.Mutex
			both, waiting := make(chan struct{}), 0
			p.does = func(_ int, a agent.Task) any {
				stage := strings.TrimPrefix(filepath.Base(a.Dir), "session-s-")
				if point == "" { // both are under way
					mu.Lock()
					if waiting++; waiting == 2 {
						close(both)
					}
					mu.Unlock()
					<-both
				}
				p.make(a, fmt.Sprintf("%s-%d.txt", stage, a.Chunk), stage+"\n")
				return result{"summary": stage}
			}
			p.crash = point
			p.wants(came(p.run(p.stages("stages: [{id: a, needs: [], prompt: x, runs: 2, commit: true}, {id: b, needs: [], prompt: x, runs: 2, commit: true}, {id: c, needs: [a, b], prompt: x, runs: 1}]"))), "complete max_iterations")
			for _, stage := range []string{"a", "b"} {
				log := p.git("log", "--format=", "--name-only", "--grep", "Warp-Iteration: "+stage+"/", "main")
				p.wants(log, fmt.Sprintf("%s-2.txt\n%[1]s-1.txt\n", stage))
			}
			p.wants(strings.Count(p.git("worktree", "list"), "\n"), 1)
			p.wants(strings.Fields(p.git("branch", "--format=%(refname:short)")), "[main]")
		})
	}
}

// Sessions at once do not wait for each other, and land one after the other.
func TestSessionsAtOnce(t *testing.T) {
	p := lands(t, nil)
	var all sync.WaitGroup
	all.Add(2)
	p.does = func(_ int, a agent.Task) any {
		name := strings.TrimPrefix(filepath.Base(a.Dir), "session-")
		if a.Chunk == 1 { // both are under way
			all.Done()
			all.Wait()
		}
		p.make(a, fmt.Sprintf("%s-%d.txt", name, a.Chunk), name+"\n")
		return result{"summary": name}
	}
	done := make(chan error, 2)
	for i, name := range []string{"x", "y"} {
		j := p.loop("runs", "3", "commit", "true")
		j.Name = name
		e := p.engine()
		e.Passed, e.Process.PID = nil, p.pid+i
		go func() {
			_, err := e.Run(context.Background(), j)
			done <- err
		}()
	}
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"x", "y"} {
		p.wants(p.git("log", "--format=", "--name-only", "--grep", "Warp-Session: "+name, "main"), fmt.Sprintf("%s-3.txt\n%[1]s-2.txt\n%[1]s-1.txt\n", name))
	}
	p.wants(p.read("tracked.txt")+p.read("notes.txt"), "v1\nedited\nmine\n")
	p.wants(strings.TrimSpace(p.git("status", "--porcelain")), "M tracked.txt\n?? notes.txt")
}

// A parallel stage that commits commits what was chosen, and the next begins there.
func TestTheWinnerIsCommitted(t *testing.T) {
	for _, point := range []string{"", "gathered#1", "taken#1", "committed#1", "stage_ended#3"} {
		t.Run(point, func(t *testing.T) {
			p := lands(t, nil)
			p.does = func(_ int, a agent.Task) any {
				switch {
				case a.Role == agent.Choose:
					return result{"choice": "two", "reason": "r"}
				case strings.Contains(a.Dir, "session-s-both"):
					p.make(a, "made.txt", "by "+filepath.Base(a.Dir)+"\n")
				default:
					p.sh(a.Dir, "test -e made.txt; git log -1 --format=%s > seen.txt")
				}
				return more
			}
			p.crash = point
			j := p.stages(strings.Replace(members, "runs: 1\n", "runs: 1\n    commit: true\n", 1) + "  - {id: last, prompt: x, runs: 1, commit: true}\n")
			p.wants(came(p.run(j)), "complete max_iterations")
			p.wants(p.git("log", "--format=%s", "-2", "main"), "chore: did something\nchore: two was chosen: r\n")
			p.wants(p.git("show", "main:made.txt")+p.git("show", "main:seen.txt"), "by session-s-both.two\nchore: two was chosen: r\n")
			p.wants(strings.TrimSpace(p.git("status", "--porcelain")), "M tracked.txt\n?? notes.txt")
		})
	}
}

// The stages of a branch that was not taken are skipped: what was chosen lands all the same.
func TestTheFirstBranchLands(t *testing.T) {
	p := lands(t, nil)
	p.slow = func(a agent.Task) bool { branch, _ := branchOf(a); return branch == "draft.one" }
	p.does = func(_ int, a agent.Task) any { return chained(p, a) }
	plan := strings.Replace(strings.Split(chains, "  - id: cross")[0], "CHOOSE", "choose: first", 1)
	j := p.stages(strings.Replace(plan, "id: draft\n", "id: draft\n    commit: true\n", 1))
	p.wants(came(p.run(j)), "complete max_iterations")
	p.wants(p.git("log", "--format=%s", "-1", "main"), "chore: two was chosen: it was done first\n")
	p.wants(strings.TrimSpace(p.git("branch", "--format=%(refname:short)")), "main")
}

func TestTheConflictPromptHasItsParts(t *testing.T) {
	agenttest.CheckPrompt(t, agent.Fix, conflictPrompt("Do it.", "main", []string{"a.go", "b.go"}))
}
