package workflow

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/step"
	"warp/internal/sys/proc"
)

// question is one step of a job.
type question struct {
	name   string // the answer is saved under it
	kind   string // the kind of agent, as listed in the state
	round  int
	agent  string                 // "": the configured one
	allows func(path string) bool // what it may change; nil: everything
	agent.Task
}

// ask asks an agent a question, once: an answer given before a crash is reused. An agent that could
// not work has not answered: the workflow pauses, and it is asked again later.
func (j *job) ask(ctx context.Context, q question) (step.Answer, error) {
	_, known := j.mem.Answers[q.name]
	if !known {
		if err := q.noteBegin(j); err != nil {
			return step.Answer{}, err
		}
	}
	q.Dir, q.Issue, q.Chunk, q.Level = j.dir, j.ID, q.round, 3
	taker, limit := j.taker(ctx), j.run.limit()
	var used, last agent.Usage // of all runs that this asks for, and of the last one
	record := taker.Record
	taker.Record = func(ran step.Ran) error {
		last = ran.Result.Usage
		used.Add(last)
		return record(ran)
	}
	taker.Waiting = func(w agent.Wait) { q.noteWaiting(j.run, j.ID, w) }
	a, err := taker.Run(ctx, step.Step{
		Name: q.name, Agent: q.agent, Task: q.Task, Scope: j.scope(q.allows), Row: evidence.Run{Work: evidenceOf(j.run.now().ID)},
	})
	defer func() { j.run.countUsage(used, -1) }() // by then the state includes it
	switch {
	case err != nil && last != (agent.Usage{}):
		return a, errors.Join(err, q.countUnanswered(j, last, workflowstate.InProgress))
	case err != nil:
		return a, err
	case a.End == agent.Budgeted && j.run.limit() != limit: // a person raised it as it was reached
		if err := q.countUnanswered(j, a.Usage, workflowstate.InProgress); err != nil {
			return a, err
		}
		return j.ask(ctx, q)
	case a.Failed() && !a.Spends():
		return a, q.pauseBlocked(ctx, j, a)
	}
	if !known {
		j.run.pass("agent_answered")
	}
	if !a.Counted {
		if err := q.unregisterAgent(j, q.name, a.Usage, workflowstate.InProgress); err != nil {
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

// setOutsideAside sets aside changes that are neither allowed to this run nor made by another run
// of the job: a person made them, or the agent where it may not.
func (j *job) setOutsideAside(ctx context.Context, allows func(string) bool) error {
	_, paths, err := j.changed(j.base())
	if err != nil {
		return err
	}
	return j.setAside(ctx, slices.DeleteFunc(paths, func(p string) bool {
		for _, a := range j.mem.Answers {
			if slices.Contains(a.Changed, p) {
				return true
			}
		}
		return allows(p)
	}))
}

// taker returns what runs the job's steps.
func (j *job) taker(ctx context.Context) *step.Taker {
	r := j.run
	return &step.Taker{
		Agents: r.Agents, Guard: j.guard, Memory: j.mem, Bounds: r.bounds, Live: r.live, Remark: r.remark, Redact: r.Redact, Passed: r.Passed, Now: r.Now, Asleep: r.Asleep,
		Record: func(ran step.Ran) error {
			r.countUsage(ran.Result.Usage, 1)
			if err := durable.RetryBusy(func() error { return r.Store.AppendSynced(event.Run, ran.Evidence(r.Redact)) }); err != nil {
				return err
			}
			return j.intervened(ran.Findings)
		},
		Between: func(paths []string) error {
			if j.own {
				r.remark("changed since the last run, not by an agent; now part of the task: %s", text.Quote(paths, 5))
				return nil
			}
			r.remark("changed since the last run, not by an agent; left uncommitted: %s", text.Quote(paths, 5))
			return j.setAside(ctx, paths)
		},
	}
}

// noteBegin records that an agent is at work, if the limits allow it.
func (q *question) noteBegin(j *job) error {
	if err := j.run.withinBounds(j.ID); err != nil {
		return err
	}
	j.run.tell(Note{Kind: AgentAsked, Task: j.ID, Text: fmt.Sprintf("%s (%s)", q.kind, q.Role)})
	return q.registerAgent(j.run, j.ID)
}

// registerAgent adds the agent to those at work.
func (q *question) registerAgent(r *run, task string) error {
	pid := r.Process.PID
	stamp, _ := proc.Started(pid)
	return r.record("agent_started", func(s *workflowstate.State) {
		s.ActiveAgents.Start(workflowstate.Agent{Type: q.kind, Task: task, Iteration: q.round, Status: workflowstate.InProgress, PID: pid, PIDStamp: stamp}, r.Now())
	})
}

// unregisterAgent removes an agent from those at work, unless it is blocked, and counts its usage,
// once.
func (q *question) unregisterAgent(j *job, name string, u agent.Usage, as string) error {
	era, err := j.mem.Fact(factEra, func() (string, error) { return strconv.FormatInt(j.run.Now().UnixNano(), 36), nil })
	if err != nil {
		return err
	}
	return j.run.record("agent_ended", func(s *workflowstate.State) {
		if as != workflowstate.Blocked {
			s.ActiveAgents.End(q.kind, j.ID)
		}
		if s.Spent(s.ID+"/"+j.ID+"/"+era+"/"+name, j.ID, u.MicroUSD) {
			s.SafetyBounds.Tokens += u.Tokens()
			if !u.Priced {
				s.CountUnpriced(j.ID)
			}
		}
	})
}

// countUnanswered counts the usage of a run that had no result.
func (q *question) countUnanswered(j *job, u agent.Usage, as string) error {
	n, _ := strconv.Atoi(j.mem.Facts["unanswered"]) // 0 if absent
	if err := j.setFact("unanswered", strconv.Itoa(n+1)); err != nil {
		return err
	}
	return q.unregisterAgent(j, fmt.Sprintf("%s/unanswered-%d", q.name, n+1), u, as)
}

// noteWaiting records what the agent waits for, or that it works again. Write errors are ignored:
// only observers would know less.
func (q *question) noteWaiting(r *run, task string, w agent.Wait) {
	if w == (agent.Wait{}) {
		_ = r.record("agent_works", func(s *workflowstate.State) { s.ActiveAgents.SetStatus(q.kind, task, workflowstate.InProgress) })
		r.tell(Note{Kind: AgentAsked, Task: task, Text: q.kind + " works again"})
		return
	}
	_ = r.record("agent_waits", func(s *workflowstate.State) { s.ActiveAgents.Wait(q.kind, task, r.Redact(w.Why), w.Until) })
	until := ""
	if !w.Until.IsZero() {
		until = ", until " + w.Until.Local().Format("15:04:05")
	}
	r.tell(Note{Kind: Waiting, Task: task, Text: fmt.Sprintf("%s waits: %s%s", q.kind, w.Why, until)})
}

// pauseBlocked pauses the workflow for an agent that could not work, until a person fixes the
// cause.
func (q *question) pauseBlocked(ctx context.Context, j *job, a step.Answer) error {
	if err := q.countUnanswered(j, a.Usage, workflowstate.Blocked); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := j.run.withinBounds(j.ID); err != nil {
		return err
	}
	why := text.Opening(a.Why)
	if a.End == agent.Budgeted {
		return j.run.pause(workflowstate.PausedCost, j.ID, "a budget is spent (%s): raise it, then warp workflow resume", why)
	}
	return j.run.pause(workflowstate.PausedAgent, j.ID,
		"the agent could not work (%s %s): %s, then warp workflow resume", a.End, why, cmp.Or(a.Do, "warp agent check shows why"))
}

// askJudge asks an agent whose answer decides something. If it cannot be used although it was asked
// for again, the workflow waits: that says nothing about the work. Then it is asked anew.
func (j *job) askJudge(ctx context.Context, q question) (step.Answer, error) {
	fact := q.name + "-unheard"
	if n := j.mem.Facts[fact]; n != "" {
		q.name += "-after-" + n
	}
	a, err := j.ask(ctx, q)
	if err != nil || a.Unread == "" {
		return a, err
	}
	n, _ := strconv.Atoi(j.mem.Facts[fact]) // 0 if absent
	if err := j.setFact(fact, strconv.Itoa(n+1)); err != nil {
		return a, err
	}
	return a, j.run.pause(workflowstate.PausedAgent, j.ID,
		"%s gave no answer that can be used (%s), although it was asked again: %s; warp workflow resume asks anew, warp agent check shows whether it works", a.Agent, q.Role, text.Opening(a.Unread))
}

// pauseAsking pauses the workflow for an agent that asks a person, or that twice changed nothing
// and whose task is not done. The iteration begins anew when the workflow is resumed.
func (j *job) pauseAsking(round int, words string) error {
	for _, name := range []string{implementing(round), verifying(round)} {
		delete(j.mem.Answers, name)
	}
	delete(j.mem.Facts, factEra) // so that the same questions are counted again
	if err := j.mem.Save(); err != nil {
		return err
	}
	return j.run.pause(workflowstate.PausedPerson, j.ID, "%s; answer in the description of task %s, then warp workflow run %s --replan",
		j.run.Redact(words), j.ID, j.run.now().Orchestrator.TaskDoc)
}

// decisionIn returns what an agent asks a person, or "".
func decisionIn(a step.Answer) string {
	var said struct {
		Decision struct {
			Question string   `json:"question"`
			Options  []string `json:"options"`
		} `json:"decision"`
	}
	if !a.Read(&said) || said.Decision.Question == "" {
		return ""
	}
	words := "the agent asks: " + text.OneLine(said.Decision.Question)
	if len(said.Decision.Options) > 0 {
		words += " (" + strings.Join(said.Decision.Options, ", ") + ")"
	}
	return words
}

// lastWords returns how an agent ended that twice changed nothing and did not say why, or that asks in
// prose.
func lastWords(a step.Answer) string {
	did := "changed nothing, and "
	if a.Unread == step.Asks {
		did = ""
	}
	words := text.OneLine(text.Tail(a.LastWords(), maxWords))
	if words == "" {
		return "the agent " + did + "said nothing of it"
	}
	return "the agent " + did + "ended with: " + words
}

const maxWords = 600 // of an agent's last words in a pause, in characters
