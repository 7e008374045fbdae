package workflow

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
)

// question is one step of a job.
type question struct {
	name   string // that the answer is kept under
	kind   string // of agent, as the state lists those at work
	round  int
	agent  string                 // "": the configured one
	allows func(path string) bool // what it may change; nil: everything
	agent.Task
}

// ask puts a question to an agent, once: what it answered before a crash is its
// answer. An agent that could not work has not answered: the workflow waits, and
// it is asked again.
func (j *job) ask(ctx context.Context, q question) (step.Answer, error) {
	_, known := j.mem.Answers[q.name]
	if !known {
		if err := q.begins(j); err != nil {
			return step.Answer{}, err
		}
	}
	q.Dir, q.Issue, q.Chunk, q.Level = j.dir, j.ID, q.round, 3
	j.used = agent.Usage{}
	a, err := j.taker(ctx).Run(ctx, step.Step{Name: q.name, Agent: q.agent, Task: q.Task, Scope: j.scope(q.allows), Row: evidence.Run{Work: j.work()}})
	defer func(u agent.Usage) { j.count(u, -1) }(j.used) // the state knows it by then
	if err != nil {
		if j.used != (agent.Usage{}) {
			err = errors.Join(err, q.unanswered(j, j.used))
		}
		return a, err
	}
	if a.Failed() && !a.Spends() {
		return a, q.waitFor(ctx, j, a)
	}
	if !known {
		j.passed("agent_answered")
	}
	if !a.Counted {
		if err := q.ended(j, q.name, a.Usage); err != nil {
			return a, err
		}
		a.Counted = true
		if err := j.mem.Keep(q.name, a); err != nil {
			return a, err
		}
	}
	if q.allows == nil {
		return a, nil
	}
	_, err = j.mem.Fact(q.name+"-outside", func() (string, error) { return "set aside", j.setOutsideAside(ctx, q.allows) })
	return a, err
}

// setOutsideAside sets aside what has changed and is neither within what the run
// may change nor another run's of the job: a person did so, or the agent where it
// may not.
func (j *job) setOutsideAside(ctx context.Context, allows func(string) bool) error {
	now, err := j.snapshot()
	if err != nil || now == j.base() {
		return err
	}
	changes, err := j.tree.Repo().Changes(j.base(), now)
	if err != nil {
		return err
	}
	outside := slices.DeleteFunc(git.Paths(changes), func(p string) bool {
		for _, a := range j.mem.Answers {
			if slices.Contains(a.Changed, p) {
				return true
			}
		}
		return allows(p)
	})
	if len(outside) == 0 {
		return nil
	}
	return j.setAside(ctx, outside)
}

// begins notes that an agent is at work, within the bounds.
func (q *question) begins(j *job) error {
	if err := j.withinBounds(j.ID); err != nil {
		return err
	}
	stamp, _ := proc.Started(j.Process.PID)
	j.tell(Note{Kind: AgentAsked, Task: j.ID, Text: fmt.Sprintf("%s (%s)", q.kind, q.Role)})
	return j.update("agent_started", func(s *workflow.State) error {
		s.AgentStarted(workflow.Agent{Type: q.kind, Task: j.ID, Iteration: q.round, Status: workflow.InProgress, PID: j.Process.PID, PIDStamp: stamp}, j.Now())
		return nil
	})
}

// taker takes the steps of the job.
func (j *job) taker(ctx context.Context) *step.Taker {
	return &step.Taker{
		Agents: j.Engine.Agents, Guard: j.guard, Memory: j.mem, Bounds: j.bounds, Remark: j.remark, Redact: j.Redact, Passed: j.Engine.Passed, Now: j.Now,
		Record: func(ran step.Ran) error { j.used = ran.Result.Usage; return j.record(ran) },
		Between: func(paths []string) error {
			j.remark("changed since the last run, and not by an agent; not committed: %s", text.Quote(paths, 5))
			return j.setAside(ctx, paths)
		},
	}
}

// unanswered counts what a run has used that came to nothing.
func (q *question) unanswered(j *job, u agent.Usage) error {
	n, _ := strconv.Atoi(j.mem.Facts["unanswered"]) // none so far
	n++
	if err := j.know("unanswered", strconv.Itoa(n)); err != nil {
		return err
	}
	return q.ended(j, fmt.Sprintf("%s/unanswered-%d", q.name, n), u)
}

// waitFor is what becomes of an agent that could not work: the workflow waits for
// a person who can do something about it.
func (q *question) waitFor(ctx context.Context, j *job, a step.Answer) error {
	if err := q.unanswered(j, a.Usage); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := j.withinBounds(j.ID); err != nil {
		return err
	}
	if a.End == agent.Budgeted {
		return j.pause(workflow.PausedCost, fmt.Sprintf("a budget is used up (%s): warp workflow resume asks again when there is more", text.Opening(a.Why)), j.ID)
	}
	return j.pause(workflow.PausedAgent, fmt.Sprintf("the agent could not work (%s %s): warp agent check tells what is wrong, warp workflow resume asks it again", a.End, text.Opening(a.Why)), j.ID)
}
