package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"warp/internal/core/session"
	"warp/internal/engine/agent"
)

// landed is what a person finds: what is checked out, the branches, and the
// subjects that main has got.
func (p *yard) landed() string {
	p.Helper()
	return strings.Join(strings.Fields(p.git("branch", "--format=%(HEAD)%(refname:short)")+p.git("log", "--format=%an:%f", "main")), " ")
}

func writes(p *yard) func(int, agent.Task) any {
	return func(n int, _ agent.Task) any {
		p.write(fmt.Sprintf("work%d.txt", n), "by the agent\n")
		return result{"summary": fmt.Sprint("turn ", n)}
	}
}

const before = "t:chore-files t:chore-begin"

func TestASessionThatCommitsHasABranch(t *testing.T) {
	for _, point := range []string{"", "session_began#1", "branch_made#1", "iteration_started#1", "committed#2", "stage_ended#1", "branch_left#1", "session_ended#1"} {
		t.Run(point, func(t *testing.T) {
			p := commits(t, nil)
			p.does, p.crash = writes(p), point
			j := p.stages("stages: [{id: a, prompt: x, runs: 2, commit: true}]")
			_, err := p.process(j)
			if errors.Is(err, errDied) && p.state("s").Status == session.Running {
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

// A loop is complete before it leaves its branch: the next engine does the rest.
func TestALoopThatWasKilledLeavesItsBranch(t *testing.T) {
	for _, resumed := range []bool{false, true} {
		p := commits(t, func(int, agent.Task) any { return plateau })
		p.crash = "stage_ended#1"
		j := p.loop("until", "plateau", "commit", "true")
		if _, err := p.process(j); !errors.Is(err, errDied) {
			t.Fatal(err)
		}
		p.wants(p.git("branch", "--show-current"), "session/s\n")
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

// What would be overwritten by going back stays, with the branch.
func TestALocalChangeKeepsTheBranchCheckedOut(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, _ agent.Task) any {
		if n == 1 {
			p.write("work.txt", "committed\n")
		} else {
			p.write("work.txt", "not\n")
			p.write("red", "x")
		}
		return more
	}
	p.run(p.stages("commands: {test: test ! -e red}\nstages: [{id: a, prompt: x, runs: 2, commit: true, verify: [test]}]"))
	p.wants(p.read("work.txt"), "not\n")
	p.wants(p.git("branch", "--show-current"), "session/s\n")
	p.tells("session/s stays checked out: ")
}

func TestAPersonWhoSwitchesIsTold(t *testing.T) {
	p := commits(t, nil)
	does := writes(p)
	j := p.loop("runs", "2", "commit", "true")
	p.does, p.crash = does, "iteration_completed#1"
	if _, err := p.process(j); !errors.Is(err, errDied) {
		t.Fatal(err)
	}
	p.git("switch", "-q", "-c", "other")
	j.Goes = true
	_, err := p.process(j)
	if err == nil || err.Error() != "the session s works on session/s, and other is checked out: git switch session/s, then warp sessions resume s" {
		t.Errorf("got %v", err)
	}
	p.git("switch", "-q", "main") // where it began
	p.run(j)
	p.wants(strings.Fields(p.git("log", "--format=%f", "main..session/s")), "[chore-turn-2 chore-turn-1]")
}

// A document of an earlier version names no branch: it goes on where it is.
func TestAnOldSessionStaysWhereItIs(t *testing.T) {
	p := commits(t, nil)
	p.git("checkout", "-q", "--detach")
	j := p.loop("runs", "2", "commit", "true")
	p.does, p.crash = writes(p), "iteration_completed#1"
	if _, err := p.process(j); !errors.Is(err, errDied) {
		t.Fatal(err)
	}
	p.git("switch", "-q", "-C", "main")
	j.Goes = true
	p.run(j)
	p.wants(p.landed(), "*main t:chore-turn-2 t:chore-turn-1 "+before)
}

func TestSessionsThatCommitWaitForEachOther(t *testing.T) {
	p := commits(t, nil)
	p.does = writes(p)
	done := make(chan error, 2)
	for _, name := range []string{"x", "y"} {
		j := p.loop("runs", "2", "commit", "true")
		j.Name = name
		e := p.engine()
		e.Passed = nil
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
		p.wants(strings.Count(p.git("log", "--format=%s", "main..session/"+name), "chore: turn"), 2)
	}
	p.wants(p.git("branch", "--show-current"), "main\n")
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
	p.wants(p.git("log", "--format=%s", "main..session/s"), "chore: did something\nchore: did something\n")
}
