package session

import (
	"errors"
	"strings"
	"testing"

	"warp/internal/engine/agent"
)

func TestMembersOfAStageAreGuardedApart(t *testing.T) {
	p := commits(t, nil)
	head := p.git("rev-parse", "main")
	p.does = func(n int, a agent.Task) any {
		if a.Role == agent.Choose {
			return result{"choice": "two", "reason": "r"}
		}
		p.sh(a.Dir, "echo by $(basename $PWD) > made.txt; git add -A -f; git commit -qm agent; git update-ref refs/heads/main HEAD; rm -rf "+p.root+"/.claude/settings.json")
		return more
	}
	p.write(".claude/settings.json", "{}\n")
	p.wants(came(p.run(p.stages(members))), "complete max_iterations")
	p.wants(p.git("rev-parse", "main"), head)
	p.wants(p.read("made.txt")+p.read("notes.txt")+p.read("tracked.txt")+p.read(".claude/settings.json"), "by session-s-both.two\nmine\nv1\nedited\n{}\n")
	p.wants(strings.TrimSpace(p.git("branch", "--format=%(refname:short)")), "main")
}

// What a person changed where the choice did, too, is not lost with it.
func TestTheChoiceDoesNotOverwriteAPerson(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any {
		if a.Role == agent.Choose {
			p.crash = "gathered#1"
			return result{"choice": "two", "reason": "r"}
		}
		p.sh(a.Dir, "echo by the member > made.txt")
		return more
	}
	j := p.stages(members)
	if _, err := p.process(j); !errors.Is(err, errDied) {
		t.Fatal(err)
	}
	p.write("made.txt", "by a person\n")
	j.Goes = true
	p.run(j)
	p.wants(p.read("made.txt"), "by the member\n")
	p.wants(p.git("show", "refs/warp/session/s/both-yours:made.txt"), "by a person\n")
	p.tells("both-yours")
}

// The choice is the session's work: a later stage that commits takes it along, also
// where it has changed it, and leaves what is the person's.
func TestTheChoiceIsCommittedByALaterStage(t *testing.T) {
	p := commits(t, nil)
	p.does = func(n int, a agent.Task) any {
		switch {
		case a.Role == agent.Choose:
			return result{"choice": "two", "reason": "r"}
		case strings.Contains(a.Dir, "session-s-both"):
			p.sh(a.Dir, "echo by the member > made.txt; echo as well > other.txt")
		default:
			p.sh(a.Dir, "echo built on it > made.txt")
		}
		return more
	}
	p.run(p.stages(members + "  - {id: last, prompt: x, runs: 1, commit: true}\n"))
	p.wants(p.git("show", "session/s:made.txt")+p.git("show", "session/s:other.txt"), "built on it\nas well\n")
	p.wants(p.git("show", "--format=", "--name-only", "session/s"), "made.txt\nother.txt\n")
}

// What a person had changed where the choice did, and what they change there later, is
// in no commit.
func TestAChoiceTakesNothingOfAPersonsAlong(t *testing.T) {
	p := commits(t, nil)
	built := 0
	p.does = func(n int, a agent.Task) any {
		switch {
		case a.Role == agent.Choose:
			return result{"choice": "two", "reason": "r"}
		case strings.Contains(a.Dir, "session-s-both"):
			p.sh(a.Dir, "echo by the member > made.txt; echo by the member >> notes.txt")
		default:
			built++
			p.sh(a.Dir, "echo "+strings.Repeat("x", built)+" > built.txt")
		}
		return more
	}
	j := p.stages(members + "  - {id: last, prompt: x, runs: 3, commit: true}\n")
	p.crash = "iteration_completed#4"
	if _, err := p.process(j); !errors.Is(err, errDied) {
		t.Fatal(err)
	}
	p.sh(p.root+"/.claude/worktrees/session-s", "echo by a person > made.txt")
	j.Goes = true
	p.run(j)
	log := p.git("log", "-p", "main..session/s")
	for _, theirs := range []string{"by a person", "+mine"} {
		if strings.Contains(log, theirs) {
			t.Errorf("%q is committed:\n%s", theirs, log)
		}
	}
	p.wants(p.git("show", "session/s:made.txt"), "by the member\n")
}
