package session

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/budget"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
)

var crashed = agent.Result{Agent: "fake", End: agent.Crashed, Why: "it crashed"}

// resumed resumes a session.
func (p *yard) resumed(j Job) string {
	p.Helper()
	j.Goes = true
	return came(p.run(j))
}

// does the item that it is given.
func doItem(_ int, t agent.Task) any {
	return result{"summary": "done " + t.Criteria[0], "items_completed": t.Criteria}
}

// A session killed on the last item could never be resumed: the queue was empty, and
// the iteration in progress.
func TestWhatWasBegunIsFinishedFirst(t *testing.T) {
	for _, n := range []int{1, 3} {
		items := []Item{{ID: "a"}, {ID: "b"}, {ID: "c"}}[:n]
		whole := newYard(t, doItem)
		whole.items = slices.Clone(items)
		whole.wants(came(whole.run(whole.loop("until", "queue work"))), "complete queue-empty")
		for point, times := range whole.passed {
			t.Run(fmt.Sprintf("%d items, killed after %s", n, point), func(t *testing.T) {
				p := newYard(t, doItem)
				p.items, p.crash = slices.Clone(items), fmt.Sprintf("%s#%d", point, times)
				j := p.loop("until", "queue work")
				_, err := p.process(j)
				if !errors.Is(err, errDied) {
					t.Fatal(err)
				}
				if p.state("s").Status == "running" {
					p.wants(p.resumed(j), "complete queue-empty")
				}
				s := p.state("s")
				p.wants(fmt.Sprint(came(s), len(s.History), len(p.items), len(p.taken)), fmt.Sprint("complete queue-empty", n, 0, 0))
				for i, row := range s.History {
					p.wants(fmt.Sprint(row.Item, row.Items), fmt.Sprint(items[i].ID, []string{items[i].ID}))
				}
			})
		}
	}
}

func TestAnIterationWhoseQueueWasEmptiedIsWithdrawn(t *testing.T) {
	p := newYard(t, doItem)
	p.items, p.crash = []Item{{ID: "a"}, {ID: "b"}}, "iteration_started#2"
	j := p.loop("until", "queue work")
	if _, err := p.process(j); !errors.Is(err, errDied) {
		t.Fatal(err)
	}
	p.items = nil
	p.wants(p.resumed(j), "complete queue-empty")
	p.wants(fmt.Sprint(len(p.asked), p.state("s").Iteration), "1 1")
}

func TestAFailureStaysAFailureUntilWorkIsDone(t *testing.T) {
	for _, end := range []agent.End{agent.Crashed, agent.NoAgent, agent.TimedOut} {
		p := newYard(t, nil)
		p.does = func(n int, _ agent.Task) any {
			if n < 3 {
				return agent.Result{Agent: "fake", End: end, Why: "it failed"}
			}
			return more
		}
		j := p.loop("runs", "1")
		p.wants(came(p.run(j)), "failed agent-error")
		p.wants(p.resumed(j), "failed agent-error")
		p.wants(len(p.asked), 2)
		p.wants(p.resumed(j), "complete max_iterations")
		p.wants(len(p.asked), 3)
	}
}

func TestFurtherIterationsAreBeyondWhatIsRetried(t *testing.T) {
	p := newYard(t, func(n int, _ agent.Task) any {
		if n == 2 {
			return crashed
		}
		return more
	})
	j := p.loop("runs", "2")
	p.wants(came(p.run(j)), "failed agent-error")
	j.More = 2
	p.wants(p.resumed(j), "complete max_iterations")
	p.wants(len(p.asked), 4)
}

func TestACrashedMemberIsTriedAgain(t *testing.T) {
	p := newYard(t, nil)
	tries := 0
	p.does = func(n int, a agent.Task) any {
		if strings.Contains(a.Dir, "both.one") {
			if tries++; tries == 1 {
				return crashed
			}
		}
		return chooses(n, a)
	}
	j := p.stages(members)
	s := p.run(j)
	p.wants(fmt.Sprint(came(s), s.Stages[0].Status, s.Stages[1].Status, s.Stages[2].Status), "failed agent-errorfailedcompletedpending")
	p.wants(p.resumed(j), "complete max_iterations")
	p.wants(tries, 2)
}

func TestAChoiceThatFailedIsTriedAgain(t *testing.T) {
	p := newYard(t, nil)
	asked := 0
	p.does = func(n int, a agent.Task) any {
		if a.Role == agent.Choose {
			if asked++; asked == 1 {
				return result{"choice": "nobody", "reason": "r"}
			}
		}
		return chooses(n, a)
	}
	j := p.stages(members)
	p.wants(came(p.run(j)), "failed agent-error")
	p.wants(p.resumed(j), "complete max_iterations")
	p.wants(fmt.Sprint(asked, len(p.asked)), "2 4")
}

func TestItemsThatWereGivenUpAreTriedWhenAsked(t *testing.T) {
	p := newYard(t, nil)
	p.items = []Item{{ID: "a"}}
	p.does = func(n int, a agent.Task) any {
		if n > 3 {
			return doItem(n, a)
		}
		return more
	}
	j := p.loop("until", "queue work")
	p.wants(came(p.run(j)), "failed failed")
	p.wants(p.resumed(j), "failed failed")
	p.wants(len(p.asked), 3)
	j.Retry = true
	p.wants(p.resumed(j), "complete queue-empty")
	p.wants(len(p.asked), 4)
}

const checked = "commands: {test: \"! ls | grep -q '^r.d$'\"}\nstages: [{id: a, prompt: x, until: %s, verify: [test]}]"

// The check is run on what is there at the end, no matter what made it red.
func TestRedIsNotDone(t *testing.T) {
	for name, does := range map[string]func(p *yard) func(int, agent.Task) any{
		"red before": func(p *yard) func(int, agent.Task) any {
			p.write("red", "")
			p.git("add", "red")
			p.git("commit", "-q", "-m", "chore: red")
			return func(int, agent.Task) any { return plateau }
		},
		"the last iteration crashed": func(p *yard) func(int, agent.Task) any {
			return func(n int, _ agent.Task) any {
				if n < 2 {
					p.write("work", "")
					return more
				}
				p.write("red", "")
				return crashed
			}
		},
		"the first iteration": func(p *yard) func(int, agent.Task) any {
			return func(n int, _ agent.Task) any {
				if n == 1 {
					p.write("red", "")
				}
				return plateau
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newYard(t, nil)
			p.does = does(p)
			j := p.stages(fmt.Sprintf(checked, "plateau, runs: 2"))
			s := p.run(j)
			p.wants(came(s)+" "+s.Stages[0].Status, "failed verify failed")
			asked := len(p.asked)
			p.does = func(int, agent.Task) any {
				_ = os.Remove(p.root + "/red")
				return plateau
			}
			p.wants(p.resumed(j), "complete max_iterations")
			further := 1
			if name == "the last iteration crashed" { // it is given again, too
				further = 2
			}
			p.wants(len(p.asked), asked+further)
			if !strings.Contains(p.asked[asked].Prompt, "The checks failed") {
				t.Errorf("it is not told:\n%s", p.asked[asked].Prompt)
			}
		})
	}
}

func TestEveryIterationIsToldThatTheChecksFail(t *testing.T) {
	p := newYard(t, nil)
	p.does = func(n int, _ agent.Task) any {
		if n == 1 {
			p.write("red", "")
		}
		if n == 2 {
			return crashed
		}
		return more
	}
	s := p.run(p.stages(fmt.Sprintf(checked, "judge, runs: 4")))
	p.wants(came(s), "failed verify")
	for n, a := range p.asked[1:] {
		if a.Role == agent.Iterate && !strings.Contains(a.Prompt, "The checks failed") {
			t.Errorf("run %d is not told:\n%s", n+2, a.Prompt)
		}
	}
	for _, row := range s.History {
		if row.End == "" && row.Gates != "fail" {
			t.Errorf("iteration %d: %+v", row.Iteration, row)
		}
	}
}

func TestABudgetHasAWayOn(t *testing.T) {
	for _, bound := range []string{"max_cost: 1\nstages: [{id: a, prompt: x, runs: 2}]", "stages: [{id: a, prompt: x, runs: 2, guardrails: {max_cost: 1}}]"} {
		p := newYard(t, func(int, agent.Task) any {
			return agent.Result{End: agent.Done, Text: "x", Usage: agent.Usage{MicroUSD: 1e6, Priced: true}}
		})
		j := p.stages(bound)
		p.wants(came(p.run(j)), "failed budget")
		p.wants(p.resumed(j), "failed budget")
		p.wants(len(p.asked), 1)
		j.Limit = budget.Amount{MicroUSD: 5e6}
		p.wants(p.resumed(j), "complete max_iterations")
		p.wants(len(p.asked), 2)
	}
	// A run that the budget cut short is run again.
	p := newYard(t, func(n int, _ agent.Task) any {
		if n == 1 {
			return agent.Result{Agent: "fake", End: agent.Budgeted, Why: "the budget was reached", Usage: agent.Usage{MicroUSD: 1e6, Priced: true}}
		}
		return more
	})
	j := p.loop("runs", "1", "max_cost", "1")
	p.wants(came(p.run(j)), "failed budget")
	j.Limit = budget.Amount{MicroUSD: 5e6}
	p.wants(p.resumed(j), "complete max_iterations")
	p.wants(len(p.asked), 2)
}

// absent is an agent that is not installed.
type absent struct{ *yard }

func (absent) CheckInstalled() error { return &agent.MissingError{Why: "codex: not found"} }

func TestAMissingAgentIsFoundBeforeAnythingIsBegun(t *testing.T) {
	for _, text := range []string{
		"stages: [{id: a, prompt: x, runs: 1}, {id: b, prompt: x, runs: 1, agent: codex}]",
		"stages: [{id: a, prompt: x, until: judge, judge: {agent: codex}}]",
		"stages: [{id: a, prompt: x, runs: 1, parallel: {agents: [fake, fake], judge: {agent: codex}}}]",
		"stages: [{id: a, prompt: x, runs: 1, parallel: {agents: [fake, codex]}}]",
	} {
		p := newYard(t, func(int, agent.Task) any { return more })
		e := p.engine()
		e.Agents = func(name string) (step.Agents, error) {
			if name == "codex" {
				return absent{p}, nil
			}
			return p, nil
		}
		_, err := e.Run(t.Context(), p.stages(text))
		var stopped *step.StoppedError
		if !errors.As(err, &stopped) || stopped.Why != "no agent can be started: codex: not found" {
			t.Errorf("%s: %v", text, err)
		}
		_, began := os.Stat(p.root + "/.claude/pipeline-runs")
		p.wants(fmt.Sprint(len(p.asked), errors.Is(began, os.ErrNotExist)), "0 true")
	}
}

func TestAStageWithoutOutputDoesNotFeedTheNext(t *testing.T) {
	const two = "stages: [{id: a, prompt: x, runs: 1%s}, {id: b, prompt: x, runs: 1, inputs: {from: a}}]"
	p := newYard(t, nil)
	p.does = func(n int, _ agent.Task) any {
		if n == 1 {
			return result{"plateau": false}
		}
		return "what I found"
	}
	j := p.stages(fmt.Sprintf(two, ""))
	s := p.run(j)
	p.wants(fmt.Sprint(came(s), s.Stages[0].Status, s.Stages[1].Status), "failed no-outputfailedpending")
	p.wants(p.resumed(j), "complete max_iterations")
	p.wants(len(p.asked), 3)

	p = newYard(t, func(int, agent.Task) any { return result{"plateau": false} })
	p.wants(came(p.run(p.stages(fmt.Sprintf(two, ", may_be_empty: true")))), "complete max_iterations")
}
