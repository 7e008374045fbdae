package workflow

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warp/internal/core/workflowstate"
	"warp/internal/core/workflowstate/claim"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/turnstile/documents"
)

// file is the state as a reader of the file finds it.
func (p *scene) file() (s workflowstate.State) {
	p.Helper()
	text, err := os.ReadFile(filepath.Join(p.root, ".claude", workflowstate.File))
	if err != nil {
		p.Fatal(err)
	}
	decode(p.T, string(text), &s)
	return s
}

// agents are those at work, as the file has them.
func (p *scene) agents() string {
	var list []string
	for _, a := range p.file().ActiveAgents {
		list = append(list, strings.TrimRight(fmt.Sprintf("%s %s %s %s %s", a.Type, a.Task, a.Status, a.Why, a.Until), " "))
	}
	return strings.Join(list, ", ")
}

func TestAnAgentThatWaitsIsSaidToWait(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, nil)
	var seen []string
	p.does = func(task agent.Task) any {
		if task.Role == agent.Code {
			seen = append(seen, p.agents())
			task.Waiting(agent.Wait{Why: "claude: usage limit", Until: p.now().Add(time.Hour)})
			seen = append(seen, p.agents())
			task.Waiting(agent.Wait{})
			seen = append(seen, p.agents())
		}
		return nil
	}
	s := p.run()
	p.completed(s)
	p.wants(strings.Join(seen, "|"), "task-executor 1.1 in_progress|task-executor 1.1 waiting claude: usage limit 2026-01-15T13:00:14Z|task-executor 1.1 in_progress")
	if said := strings.Join(p.said, "\n"); !strings.Contains(said, "waiting 1.1 task-executor waits: claude: usage limit, until ") || !strings.Contains(said, "agent 1.1 task-executor works again") {
		t.Error(said)
	}
}

// One whose work a person has to make possible is blocked, until it is resumed.
func TestAnAgentThatIsBlocked(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, func(t agent.Task) any {
		if t.Role == agent.Supervise {
			return agent.Result{End: agent.NoLogin, Why: "it is not logged in"}
		}
		return nil
	})
	p.pauses(p.document(), workflowstate.PausedAgent)
	if have := p.agents(); !strings.HasPrefix(have, "supervisor 1.1 blocked the agent could not work (no_login") || strings.Contains(have, ", ") && strings.Count(have, "blocked") != 1 {
		t.Error(have)
	}
	p.wants(p.file().ActiveAgents[0].PID, 0)
	p.does = func(t agent.Task) any {
		if t.Role == agent.Supervise {
			p.wants(p.agents(), "supervisor 1.1 in_progress")
		}
		return nil
	}
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	p.wants(len(s.ActiveAgents), 0)
}

// The time runs on in the file while an agent works.
func TestTheTimeRunsWhileAnAgentWorks(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, nil)
	p.beats = make(chan time.Time)
	var seen string
	p.does = func(task agent.Task) any {
		if task.Role == agent.Code {
			p.pass(time.Hour)
			p.beats <- time.Time{}
			p.beats <- time.Time{} // the first is written by now
			f := p.file()
			seen = fmt.Sprint(f.SafetyBounds.ElapsedTime, " ", f.SafetyBounds.ElapsedAt, " ", f.SafetyBounds.ElapsedBy(p.now().Add(time.Minute)))
		}
		return nil
	}
	s := p.run()
	p.wants(seen, "1h 0m 14s 2026-01-15T13:00:14Z 1h1m14s")
	p.wants(s.SafetyBounds.ElapsedAt, "")
}

// A command has what is left of the time, and is no failure of the work when that is
// used up.
func TestACommandIsBoundedByTheTime(t *testing.T) {
	t.Parallel()
	p := newScene(t, strings.Replace(one, "`test -s a.txt`", "`test -e fast || exec tail -f /dev/null`", 1), nil)
	p.does = func(task agent.Task) any {
		if task.Role == agent.Code {
			p.mu.Lock()
			p.runs = time.Now() // the command is to have a second
			p.mu.Unlock()
		}
		return nil
	}
	p.options.Total.Time = 2*stepTime + time.Second
	s := p.pauses(p.document(), workflowstate.PausedTime)
	if !strings.Contains(s.Paused.Why, "tail -f /dev/null") || s.PendingTasks.Find("1.1").Iterations != 0 || len(s.Learnings) != 0 {
		t.Errorf("%+v %+v", s.Paused, s.Learnings)
	}
	p.wants(strings.Fields(p.agents())[:3], "[task-executor 1.1 blocked]")
	asked := len(p.asked)
	p.pass(time.Hour)
	p.options.Total.Time = 0
	p.pauses("", workflowstate.PausedTime)
	p.wants(len(p.asked), asked) // what it answered is its answer
}

// Bounds that are raised while a workflow runs are taken up by the agent that runs, and
// end nothing.
func TestBoundsAreRaisedWhileItRuns(t *testing.T) {
	t.Parallel()
	p := newScene(t, strings.Replace(one, "## Outer", "## Safety bounds\n- max_cost: $0.05\n- max_time: 1h\n- max_iterations: 1\n\n## Outer", 1), nil)
	p.does = func(task agent.Task) any {
		if task.Role != agent.Code {
			return nil
		}
		if task.Chunk == 2 {
			return nil
		}
		before := task.More()
		p.extend(workflowstate.Limits{MicroUSD: 2_000_000, Time: time.Hour, Iterations: 1})
		more := task.More()
		p.wants([]any{before.MicroUSD, more.MicroUSD, more.Time - before.Time}, []any{0, 2_000_000, time.Hour})
		p.write("a.txt", "")
		return result{"summary": "an empty one"} // and so a second iteration
	}
	s := p.run()
	p.completed(s)
	p.wants([]any{s.SafetyBounds.MaxCost, s.SafetyBounds.MaxTime, s.SafetyBounds.MaxIterations}, "[$2.05 2h 2]")
}

// What was killed in the evening has its time left in the morning.
func TestTheTimeUntilAResumptionIsNotTheWorkflows(t *testing.T) {
	t.Parallel()
	p := newScene(t, strings.Replace(one, "## Outer", "## Safety bounds\n- max_time: 1h\n\n## Outer", 1), nil)
	p.passed = func(point string) {
		if point == "iteration_done" {
			panic(errKilled)
		}
	}
	p.wants(killed(func() { _, _ = p.try(p.document()) }), true)
	p.pass(24 * time.Hour)
	p.passed = nil
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	if took := s.SafetyBounds.Elapsed(); took <= 0 || took > time.Hour {
		t.Errorf("it took %v", took)
	}
}

// A night asleep is charged to no bound.
func TestTimeAsleepIsNotTheWorkflows(t *testing.T) {
	t.Parallel()
	var slept atomic.Int64
	p := newScene(t, strings.Replace(one, "## Outer", "## Safety bounds\n- max_time: 1h\n\n## Outer", 1), nil)
	p.does = func(task agent.Task) any {
		if task.Role == agent.Code {
			p.pass(7 * time.Hour)
			slept.Store(int64(7 * time.Hour))
		}
		return nil
	}
	e := p.engine()
	e.Asleep = func() time.Duration { return time.Duration(slept.Load()) }
	s, err := e.Run(t.Context(), p.document())
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	if took := s.SafetyBounds.Elapsed(); took <= 0 || took > time.Hour {
		t.Errorf("it took %v", took)
	}
	if said := strings.Join(p.said, "\n"); !strings.Contains(said, "asleep for 7 h 0 min: not counted") {
		t.Errorf("said:\n%s", said)
	}
}

// A run that was ended at the old bound just as it was raised is asked again.
func TestABoundIsRaisedAsItIsReached(t *testing.T) {
	t.Parallel()
	p := newScene(t, strings.Replace(one, "## Outer", "## Safety bounds\n- max_cost: $0.05\n\n## Outer", 1), nil)
	p.does = func(task agent.Task) any {
		if task.Role == agent.Code && task.Budget.MicroUSD < 1_000_000 {
			p.extend(workflowstate.Limits{MicroUSD: 2_000_000})
			return agent.Result{End: agent.Budgeted, Usage: agent.Usage{MicroUSD: task.Budget.MicroUSD}}
		}
		return nil
	}
	p.completed(p.run())
}

// An agent that wrote the bounds itself has raised nothing.
func TestAnAgentDoesNotRaiseItsBounds(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, nil)
	p.does = func(task agent.Task) any {
		if task.Role == agent.Code {
			p.write(".claude/agent-state.json", strings.Replace(p.read(".claude/agent-state.json"), `"max_cost": "$10"`, `"max_cost": "$99"`, 1))
			p.wants(task.More().MicroUSD, 0)
		}
		return nil
	}
	s := p.run()
	p.wants(s.SafetyBounds.MaxCost, "$10")
}

// What was at work when the engine was interrupted is at work no more.
func TestAgentsOfAnEngineThatLeftAreTakenOff(t *testing.T) {
	t.Parallel()
	stopped := errors.New("interrupted")
	p := newScene(t, one, func(t agent.Task) any {
		if t.Role == agent.Code {
			return stopped
		}
		return nil
	})
	if _, err := p.try(p.document()); !errors.Is(err, stopped) {
		t.Fatal(err)
	}
	p.wants(p.agents(), "")
	// One that was killed could not say so; its process id may be another's by now.
	if _, err := documents.OpenWorkflow(p.store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
		tx.Doc.ActiveAgents.Start(workflowstate.Agent{Type: workflowstate.Scanner, Task: "9.9", PID: os.Getpid()}, p.now())
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	p.does = nil
	s, err := p.try("")
	if err != nil {
		t.Fatal(err)
	}
	p.completed(s)
	if !strings.Contains(strings.Join(p.said, "\n"), "the code-improvement-scanner of task 9.9 ended with its engine") {
		t.Error(p.said)
	}
}

// Files that another tool has claimed are waited for until the claim is over.
func TestAClaimOfAnotherIsWaitedFor(t *testing.T) {
	t.Parallel()
	p := newScene(t, one, nil)
	free := func(fn func(*claim.Locks) error) {
		if _, err := durable.Open(p.store(), claim.File, claims).Update(func(tx *durable.Tx[claim.Locks]) error {
			if tx.Doc == nil {
				tx.Doc = &claim.Locks{}
			}
			return fn(tx.Doc)
		}); err != nil {
			t.Error(err)
		}
	}
	p.passed = func(point string) {
		switch point {
		case "plan_approved":
			free(func(l *claim.Locks) error { return l.Claim("x", "other/1", []string{"a.txt"}, p.now(), time.Hour) })
		case "agent_waits":
			p.wants(strings.HasPrefix(p.agents(), "task-executor 1.1 waiting task 1.1 cannot claim"), true)
			free(func(l *claim.Locks) error { l.Release("x", "other/1"); return nil })
		}
	}
	p.completed(p.run())
	if !strings.Contains(strings.Join(p.said, "\n"), "waiting 1.1 task-executor waits: task 1.1 cannot claim") {
		t.Error(p.said)
	}
}
