package workflow

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/testkit/need"
)

// loseMain are the ways in which the branch that work is merged into is lost, what a
// workflow says then, and how a person gets it back.
var loseMain = map[string]struct {
	lose, back func(p *scene)
	says       string
}{
	"deleted": {
		func(p *scene) { p.leaveMain(); p.git("branch", "-D", "main") },
		func(p *scene) { p.git("branch", "main", p.first) },
		"main",
	},
	"deleted, with a master beside it": {
		func(p *scene) { p.leaveMain(); p.git("branch", "-m", "main", "master") },
		func(p *scene) { p.git("branch", "-m", "master", "main") },
		"main",
	},
	"another by origin/HEAD": {
		func(p *scene) {
			p.git("update-ref", "refs/remotes/origin/develop", p.first)
			p.git("branch", "develop", p.first)
			p.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
		},
		func(p *scene) { p.git("symbolic-ref", "-d", "refs/remotes/origin/HEAD") },
		"develop",
	},
}

// leaveMain checks another branch out where main is.
func (p *scene) leaveMain() {
	if p.git("branch", "--show-current") == "main" {
		p.git("checkout", "-q", "-b", "topic")
	}
}

// branches are all, and where they are, without those that are the workflow's own.
func (p *scene) branches() string {
	return p.git("for-each-ref", "--format=%(refname:short) %(objectname)", "refs/heads/[a-v]*", "refs/remotes")
}

// refuses wants that an error, or a pause, says that a branch is not there.
func (p *scene) refuses(s *workflowstate.State, err error, says, before string) {
	p.Helper()
	if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "merge target") {
		p.Errorf("got %v", err)
	}
	if s != nil && s.Orchestrator.Status.Ended() {
		p.Errorf("it is %s", s.Orchestrator.Status)
	}
	p.wants(p.branches(), before)
}

func TestTheMergeTargetIsLostBeforeTheBeginning(t *testing.T) {
	for level := 2; level <= 3; level++ {
		t.Run(fmt.Sprint(level), func(t *testing.T) {
			t.Parallel()
			for name, lose := range map[string]func(p *scene){
				"no main": func(p *scene) {
					p.git("checkout", "-q", "-b", "topic")
					p.git("branch", "-D", "main")
					p.git("branch", "other")
				},
				"origin has it": func(p *scene) {
					p.git("update-ref", "refs/remotes/origin/main", p.first)
					p.git("checkout", "-q", "-b", "topic")
					p.git("branch", "-D", "main")
				},
				"by origin/HEAD": func(p *scene) {
					p.git("update-ref", "refs/remotes/origin/develop", p.first)
					p.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
				},
				"a workflow's is left": func(p *scene) { p.git("checkout", "-q", "-b", "workflow/old"); p.git("branch", "-D", "main") },
			} {
				p := newScene(t, one, nil)
				p.options.Level, p.options.Yes = level, true
				p.first = p.git("rev-parse", "HEAD")
				lose(p)
				before := p.git("for-each-ref")
				_, err := p.try(p.document())
				if err == nil || !strings.Contains(err.Error(), "merge target") || len(p.asked) > 0 {
					t.Errorf("%s: %v, %d agents", name, err, len(p.asked))
				}
				p.wants(p.git("for-each-ref"), before)
			}
			p := newScene(t, one, nil) // a name of its own is fine where there is no other
			p.options.Level, p.options.Yes = level, true
			p.git("branch", "-m", "main", "trunk")
			p.completed(p.run())
		})
	}
}

// levelsFor are the levels at which a way to lose main is tried: one in this test and the other in
// the next, or both, as make random has it.
func levelsFor(way string, level int) []int {
	if strings.HasPrefix(way, "another") {
		level = 5 - level
	}
	return need.Sample([]int{level}, 5-level)
}

func TestTheMergeTargetIsLostBeforeItIsResumed(t *testing.T) {
	for name, c := range loseMain {
		for _, level := range levelsFor(name, 2) {
			t.Run(fmt.Sprint(name, " ", level), func(t *testing.T) {
				t.Parallel()
				limited := true
				p := newScene(t, one, nil)
				p.options.Level, p.options.Yes = level, true
				p.first = p.git("rev-parse", "HEAD")
				p.does = func(t agent.Task) any {
					if t.Role == agent.Code && limited {
						limited = false
						return agent.Result{End: agent.Limited, Why: "a limit"}
					}
					return nil
				}
				p.pauses(p.document(), workflowstate.PausedAgent)
				c.lose(p)
				before, asked := p.branches(), len(p.asked)
				s, err := p.try("")
				p.refuses(s, err, c.says, before)
				p.wants(len(p.asked), asked)
				c.back(p)
				s, err = p.try("")
				if err != nil {
					t.Fatal(err)
				}
				p.completed(s)
				p.landed(level)
			})
		}
	}
}

func TestTheMergeTargetIsLostBeforeItLands(t *testing.T) {
	for name, c := range loseMain {
		for _, level := range levelsFor(name, 3) {
			t.Run(fmt.Sprint(name, " ", level), func(t *testing.T) {
				t.Parallel()
				p := newScene(t, one, nil)
				p.options.Level, p.options.Yes = level, true
				p.first = p.git("rev-parse", "HEAD")
				before, lost := "", false
				p.passed = func(point string) {
					if point == "milestone_filed" && !lost {
						c.lose(p)
						before, lost = p.branches(), true
					}
				}
				s := p.pauses(p.document(), workflowstate.PausedPerson)
				p.refuses(s, errors.New(s.Paused.Why), c.says, before)
				p.wants(len(p.pulls), 0)
				c.back(p)
				s, err := p.try("")
				if err != nil {
					t.Fatal(err)
				}
				p.completed(s)
				p.landed(level)
			})
		}
	}
}

func (p *scene) landed(level int) {
	p.Helper()
	if level == 3 {
		p.wants(p.git("show", "main:a.txt"), "1.1 1")
		return
	}
	p.wants(p.pulls[0].Base, "main")
}
