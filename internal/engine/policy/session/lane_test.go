package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"warp/internal/core/sessionstate"
	"warp/internal/engine/agent"
)

// landed is what a person finds: what is checked out, the branches, and the
// subjects that main has got.
func (p *yard) landed() string {
	p.Helper()
	return strings.Join(strings.Fields(p.git("branch", "--format=%(HEAD)%(refname:short)")+p.git("log", "--format=%an:%f", "main")), " ")
}

func writes(p *yard) func(int, agent.Task) any {
	return func(n int, a agent.Task) any {
		p.make(a, fmt.Sprintf("work%d.txt", n), "by the agent\n")
		return result{"summary": fmt.Sprint("turn ", n)}
	}
}

const before = "t:chore-files t:chore-begin"

func TestASessionThatCommitsHasABranch(t *testing.T) {
	for _, point := range []string{"", "session_began#1", "branch_made#1", "iteration_started#1", "committed#2", "stage_ended#1", "handed_over#1", "session_ended#1"} {
		t.Run(point, func(t *testing.T) {
			p := commits(t, nil)
			p.does, p.crash = writes(p), point
			j := p.stages("stages: [{id: a, prompt: x, runs: 2, commit: true}]")
			_, err := p.process(j)
			if errors.Is(err, errDied) && p.state("s").Status == sessionstate.Running {
				j.Goes = true
				_, err = p.process(j)
			}
			if err != nil && !errors.Is(err, errDied) {
				t.Fatal(err)
			}
			p.wants(p.landed(), "*main session/s "+before)
			p.wants(p.git("log", "--format=%s", "main..session/s"), "chore: turn 2\nchore: turn 1\n")
			p.wants(len(p.asked), 2)
			p.wants(p.state("s").Branch+" "+p.state("s").BeganOn, "session/s main")
			p.wants(p.read("tracked.txt")+p.read("notes.txt"), "v1\nedited\nmine\n")
		})
	}
}

// A loop is complete before it leaves its work tree: the next engine does the rest.
func TestALoopThatWasKilledLeavesItsWorkTree(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		p := commits(t, func(int, agent.Task) any { return plateau })
		p.crash = "stage_ended#1"
		j := p.loop("until", "plateau", "commit", "true")
		if _, err := p.process(j); !errors.Is(err, errDied) {
			t.Fatal(err)
		}
		p.wants(strings.Count(p.git("worktree", "list"), "\n"), 2)
		j.Goes = resumed
		if _, err := p.process(j); (err != nil) != resumed { // what is complete cannot be resumed
			t.Error(err)
		}
		p.wants(p.landed(), "*main "+before)
	}
}

func TestWithoutCommitsTheBranchIsRemoved(t *testing.T) {
	p := commits(t, func(int, agent.Task) any { return more })
	p.run(p.loop("runs", "1", "commit", "true"))
	p.wants(p.landed(), "*main "+before)
}

func TestAStoppedSessionLeavesItsBranch(t *testing.T) {
	p := commits(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	does := writes(p)
	p.does = func(n int, a agent.Task) any {
		if n == 2 {
			cancel()
		}
		return does(n, a)
	}
	s, err := p.engine().Run(ctx, p.loop("runs", "3", "commit", "true"))
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	p.wants(came(s), "failed stopped")
	p.wants(p.landed(), "*main session/s "+before)
	p.tells("session/s has the commits: git merge session/s")
}

// What was changed and not committed stays where the session can be resumed, and is the
// person's when it is complete.
func TestWhatIsNotCommittedIsHandedOver(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any {
		p.make(a, "plan.txt", "a plan\n")
		if n == 2 {
			p.make(a, "work.txt", "work\n")
		}
		if n == 1 {
			p.make(a, "notes.txt", "the agent's\n")
		}
		return more
	}
	p.run(p.stages("stages: [{id: a, prompt: x, runs: 1}, {id: b, prompt: x, runs: 1, commit: true}]"))
	p.wants(p.git("log", "--format=", "--name-only", "main..session/s"), "work.txt\n")
	p.wants(p.read("notes.txt"), "mine\n")
	p.wants(p.git("show", "refs/warp/session/s/left:notes.txt")+p.git("show", "refs/warp/session/s/left:plan.txt"), "the agent's\na plan\n")
	p.wants(strings.Count(p.git("worktree", "list"), "\n"), 1)
}

func TestWhatIsNotCommittedIsThePersons(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any { p.make(a, fmt.Sprintf("plan%d.txt", n), "a plan\n"); return more }
	p.run(p.stages("stages: [{id: a, prompt: x, runs: 1}, {id: b, prompt: x, runs: 1, commit: true}]"))
	p.wants(p.read("plan1.txt"), "a plan\n")
	p.wants(strings.Count(p.git("worktree", "list"), "\n"), 1)
}

func TestAFailedSessionKeepsItsUncommittedWork(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any {
		p.make(a, "red", fmt.Sprint(n))
		return more
	}
	j := p.stages("commands: {test: test ! -e red}\nstages: [{id: a, prompt: x, runs: 1, commit: true, verify: [test]}]")
	p.wants(came(p.run(j)), "failed verify")
	p.tells("is kept: ")
	p.does = func(n int, a agent.Task) any {
		p.sh(a.Dir, "test -e red; rm red; echo x > green")
		return more
	}
	j.Goes = true
	p.wants(came(p.run(j)), "complete max_iterations")
	p.wants(p.git("log", "--format=", "--name-only", "main..session/s"), "green\n")
}

// The person may have anything checked out meanwhile.
func TestAPersonMaySwitchBranches(t *testing.T) {
	p := commits(t, nil)
	does := writes(p)
	j := p.loop("runs", "2", "commit", "true")
	p.does, p.crash = does, "iteration_completed#1"
	if _, err := p.process(j); !errors.Is(err, errDied) {
		t.Fatal(err)
	}
	p.git("switch", "-q", "-c", "other")
	j.Goes = true
	p.run(j)
	p.wants(strings.Fields(p.git("log", "--format=%f", "main..session/s")), "[chore-turn-2 chore-turn-1]")
	p.wants(p.git("branch", "--show-current"), "other\n")
}

// Without a branch that it began on it lands nowhere.
func TestASessionOnADetachedHead(t *testing.T) {
	p := commits(t, nil)
	p.git("checkout", "-q", "--detach")
	p.does = writes(p)
	e := p.engine()
	e.Landing.On = true
	s, err := e.Run(t.Context(), p.loop("runs", "2", "commit", "true"))
	if err != nil {
		t.Fatal(err)
	}
	p.wants(s.Branch+s.BeganOn, "session/s")
	p.wants(p.git("log", "--format=%s", "main..session/s"), "chore: turn 2\nchore: turn 1\n")
	p.tells("session/s has the commits: git merge session/s")
}

// A session of an earlier version has its branch checked out where the person works.
func TestAnOldSessionMovesOut(t *testing.T) {
	p := commits(t, nil)
	j := p.loop("runs", "2", "commit", "true")
	p.does, p.crash = writes(p), "iteration_completed#1"
	if _, err := p.process(j); !errors.Is(err, errDied) {
		t.Fatal(err)
	}
	p.git("worktree", "remove", "--force", ".claude/worktrees/session-s")
	p.git("switch", "-q", "session/s")
	j.Goes = true
	p.run(j)
	p.wants(p.landed(), "*main session/s "+before)
	p.wants(strings.Fields(p.git("log", "--format=%f", "main..session/s")), "[chore-turn-2 chore-turn-1]")
}

// In a repository without a commit there is nothing to make a work tree of.
func TestASessionBeforeTheFirstCommit(t *testing.T) {
	p := newYard(t, nil)
	p.git("update-ref", "-d", "refs/heads/main")
	p.does = writes(p)
	p.run(p.loop("runs", "2", "commit", "true"))
	p.wants(p.git("log", "--format=%s", "main"), "chore: turn 2\nchore: turn 1\n")
}

func TestMembersBeginOnTheSessionsBranch(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any {
		if a.Role == agent.Choose {
			return result{"choice": "two", "reason": "r"}
		}
		p.sh(a.Dir, fmt.Sprintf("echo x > made%d.txt", n))
		return more
	}
	p.run(p.stages("stages:\n  - {id: first, prompt: x, runs: 1, commit: true}\n" + strings.TrimPrefix(members, "\nstages:\n") + "  - {id: last, prompt: x, runs: 1, commit: true}\n"))
	p.wants(p.git("log", "--format=%s", "main..session/s"), "chore: did something (pass 2)\nchore: did something\n")
}
