package session

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"warp/internal/engine/agent"
)

// conflicting is a session whose commit conflicts with what a person committed meanwhile.
func conflicting(t *testing.T, resolve func(p *yard, a agent.Task)) *yard {
	p := lands(t, nil)
	p.git("checkout", "tracked.txt")
	p.does = func(_ int, a agent.Task) any {
		if a.Role == agent.Fix {
			resolve(p, a)
			return result{"summary": "resolved"}
		}
		p.make(a, "tracked.txt", "v2 of the session\n")
		return result{"summary": "turn 1"}
	}
	return p
}

const person = "echo v2 of a person > tracked.txt; git commit -qm 'chore: person' tracked.txt"

func TestAConflictGoesToTheAgentOnce(t *testing.T) {
	for _, point := range []string{"", "resolved#1", "rebased#1"} {
		t.Run(point, func(t *testing.T) {
			p := conflicting(t, func(p *yard, a agent.Task) {
				if !strings.Contains(a.Prompt, "tracked.txt") || !strings.Contains(a.Prompt, "onto main") {
					t.Error(a.Prompt)
				}
				p.make(a, "tracked.txt", "v2 of a person\nv2 of the session\n")
			})
			j := p.stages("stages: [{id: a, prompt: x, runs: 1, commit: true}]")
			p.crash = "iteration_completed#1"
			if _, err := p.process(j); !errors.Is(err, errDied) {
				t.Fatal(err)
			}
			p.sh(p.root, person)
			j.Goes, p.crash = true, point
			p.wants(came(p.run(j)), "complete max_iterations")
			p.wants(p.landed(), "*main t:chore-turn-1 t:chore-person "+before)
			p.wants(p.read("tracked.txt"), "v2 of a person\nv2 of the session\n")
			p.wants(len(p.asked), 2)
		})
	}
}

func TestAConflictThatIsNotResolvedWaits(t *testing.T) {
	for name, c := range map[string]struct {
		resolve   func(p *yard, a agent.Task)
		want      string
		unchanged bool
	}{
		"nothing done":    {func(*yard, agent.Task) {}, "the agent did not resolve it", true},
		"other files too": {func(p *yard, a agent.Task) { p.make(a, "tracked.txt", "v2\n"); p.make(a, "a_test.go", "package a\n") }, "its resolution was rejected", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := conflicting(t, c.resolve)
			j := p.stages("stages: [{id: a, prompt: x, runs: 1, commit: true}]")
			s := p.meanwhile(j, person)
			p.wants(came(s), "failed landing")
			if !strings.Contains(s.Why, c.want) || !strings.Contains(s.Why, "rebase it by hand") {
				t.Error(s.Why)
			}
			p.wants(p.landed(), "*main session/s t:chore-person "+before)
			j.Goes = true
			p.wants(came(p.run(j)), "failed landing")
			if len(p.asked) > 3 || c.unchanged && len(p.asked) != 2 {
				t.Errorf("the agent did not resolve it in %d tries", len(p.asked))
			}
		})
	}
}

// A stage that ran beside another waits in a work tree, where its branch is rebased as
// the message says.
func TestAStageThatConflictsIsRebasedByHand(t *testing.T) {
	p := lands(t, nil)
	p.git("checkout", "tracked.txt")
	p.does = func(n int, a agent.Task) any {
		if a.Role != agent.Fix {
			p.make(a, "tracked.txt", fmt.Sprintln("v2 of", n))
		}
		return result{"summary": "feat: turn"}
	}
	j := p.stages("stages: [{id: a, prompt: x, runs: 1, commit: true, needs: []}, {id: b, prompt: y, runs: 1, commit: true, needs: []}]")
	s := p.run(j)
	p.wants(came(s), "failed landing")
	_, do, _ := strings.Cut(s.Why, "rebase it by hand (")
	do, _, ok := strings.Cut(do, ")")
	if !ok {
		t.Fatal(s.Why)
	}
	in, _, _ := strings.Cut(strings.TrimPrefix(do, "git -C "), " rebase ")
	p.sh(p.root, do+" && exit 1; cd "+in+"; echo both > tracked.txt; git add tracked.txt; GIT_EDITOR=true git rebase --continue")
	j.Goes = true
	p.wants(came(p.run(j)), "complete max_iterations")
	p.wants(p.landed(), "*main t:feat-turn t:feat-turn "+before)
	p.wants(p.read("tracked.txt"), "both\n")
}

// A resolution that drops what the target's tests expect passes its own version of them.
func TestAResolutionHasToPassTheTestsOfTheTarget(t *testing.T) {
	for name, c := range map[string]struct{ resolved, test, want string }{
		"only its own": {"session\n", "grep -q session tracked.txt\n", "failed landing"},
		"both":         {"person\nsession\n", "grep -q person tracked.txt\ngrep -q session tracked.txt\n", "complete max_iterations"},
	} {
		t.Run(name, func(t *testing.T) {
			p := lands(t, nil)
			p.sh(p.root, "git checkout -q tracked.txt; mkdir tests; echo test -e tracked.txt > tests/check.sh; git add tests/check.sh; git commit -qm 'chore: check'")
			p.does = func(_ int, a agent.Task) any {
				if a.Role == agent.Fix {
					p.make(a, "tracked.txt", c.resolved)
					p.make(a, "tests/check.sh", "set -e\ntest -e tracked.txt\n"+c.test)
					return result{"summary": "resolved"}
				}
				p.make(a, "tracked.txt", "session\n")
				p.make(a, "tests/check.sh", "set -e\ntest -e tracked.txt\ngrep -q session tracked.txt\n")
				return result{"summary": "turn 1"}
			}
			s := p.meanwhile(p.stages("commands: {test: 'for f in tests/*.sh; do sh $f || exit 1; done'}\nstages: [{id: a, prompt: x, runs: 1, commit: true, verify: [test]}]"),
				"echo person > tracked.txt; printf 'set -e\\ntest -e tracked.txt\\ngrep -q person tracked.txt\\n' > tests/check.sh; git commit -qam 'chore: person'")
			p.wants(came(s), c.want)
			if c.want == "failed landing" && !strings.Contains(s.Why, "its resolution was rejected: the old versions of these tests fail") {
				t.Error(s.Why)
			}
		})
	}
}
