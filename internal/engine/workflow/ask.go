package workflow

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/core/workflow"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// How long an agent may take, and be silent; and how long it may go on after it
// has given its result.
const (
	runTime  = 2 * time.Hour
	runIdle  = 30 * time.Minute
	runAfter = 30 * time.Second
)

// answer is what is kept of an agent's result.
type answer struct {
	Agent    string          `json:"agent"`
	End      agent.End       `json:"end"`
	Text     string          `json:"text,omitempty"`
	Result   json.RawMessage `json:"result,omitempty"`
	Why      string          `json:"why,omitempty"`
	MicroUSD int64           `json:"cost_micro_usd,omitempty"`
	Counted  bool            `json:"counted,omitempty"` // the state knows what it cost
}

// read decodes the structured result; false when there is none.
func (a answer) read(into any) bool {
	return a.End == agent.Done && a.Result != nil && json.Unmarshal(a.Result, into) == nil
}

// ask puts a question to an agent, once: what it answered before a crash is its
// answer. An agent that could not work has not answered: the workflow waits, and
// it is asked again.
func (j *job) ask(ctx context.Context, step, kind string, iteration int, name string, t agent.Task) (answer, error) {
	a, answered := j.mem.Answers[step]
	if !answered {
		var share int64
		defer func() { j.purse.giveBack(share) }() // when what was spent of it is counted
		res, err := j.put(ctx, &share, kind, iteration, name, t)
		if err != nil {
			return answer{}, err
		}
		a = j.kept(res)
		if failed := a.End != agent.Done && !res.Spends(); failed {
			return a, j.unanswered(ctx, step, kind, a)
		}
		j.mem.Answers[step] = a
		if err := j.mem.save(); err != nil {
			return a, err
		}
		j.passed("agent_answered")
	}
	if a.Counted {
		return a, nil
	}
	if err := j.ended(step, kind, a); err != nil {
		return a, err
	}
	a.Counted = true
	j.mem.Answers[step] = a
	return a, j.mem.save()
}

// put runs an agent, within its share of what is left of the bounds.
func (j *job) put(ctx context.Context, share *int64, kind string, iteration int, name string, t agent.Task) (agent.Result, error) {
	if err := j.bounds(j.ID); err != nil {
		return agent.Result{}, err
	}
	who, err := j.Engine.Agents(name)
	if err != nil {
		return agent.Result{}, err
	}
	stamp, _ := proc.Started(j.PID)
	t.Issue, t.Chunk, t.Level, t.Linger, t.Idle = j.ID, iteration, 3, runAfter, runIdle
	if err := j.update("agent_started", func(s *workflow.State) error {
		b := s.SafetyBounds
		if b.Cost() >= b.Limits().MicroUSD {
			return errSpent // by one that ended since
		}
		s.AgentStarted(workflow.Agent{Type: kind, Task: j.ID, Iteration: iteration, Status: workflow.InProgress, PID: j.PID, PIDStamp: stamp}, j.Now())
		t.Timeout = min(runTime, max(time.Second, b.Limits().Time-b.Elapsed()))
		*share = j.purse.take(b.Limits().MicroUSD - b.Cost())
		return nil
	}); errors.Is(err, errSpent) {
		return agent.Result{}, cmp.Or(j.bounds(j.ID), err)
	} else if err != nil {
		return agent.Result{}, err
	}
	t.Budget = agent.Budget{MicroUSD: *share}
	j.tell(Note{Kind: AgentAsked, Task: j.ID, Text: fmt.Sprintf("%s (%s)", kind, t.Role)})
	res, err := who.Run(ctx, t)
	if err == nil && res.End == agent.Unpriced && j.plan().Bounds.MicroUSD == workflow.DefaultLimits.MicroUSD {
		// Nobody has asked for a bound in money, and it cannot be held.
		j.unpriced.Do(func() { j.remark("what %s costs is not known: the bound in money does not hold for it", res.Agent) })
		t.Budget = agent.Budget{}
		res, err = who.Run(ctx, t)
	}
	return res, err
}

var errSpent = errors.New("nothing is left to be spent")

// kept is what is kept of a result. Where hiding a secret has broken it, it has none.
func (j *job) kept(res agent.Result) answer {
	a := answer{Agent: res.Agent, End: res.End, Text: j.Redact(res.Text), Why: j.Redact(res.Why), MicroUSD: res.Usage.MicroUSD}
	if res.JSON != nil {
		if text := j.Redact(string(lossless.AppendCompact(nil, res.JSON))); json.Valid([]byte(text)) {
			a.Result = json.RawMessage(text)
		}
	}
	return a
}

// ended takes an agent from those at work, and counts what it cost, once.
func (j *job) ended(step, kind string, a answer) error {
	return j.update("agent_ended", func(s *workflow.State) error {
		s.AgentEnded(kind, j.ID)
		s.Spent(s.ID+"/"+j.ID+"/"+step, j.ID, a.MicroUSD)
		return nil
	})
}

// unanswered is what becomes of an agent that could not work: its cost is counted,
// and the workflow waits for whoever can do something about it.
func (j *job) unanswered(ctx context.Context, step, kind string, a answer) error {
	j.mem.Unanswered++
	if err := j.mem.save(); err != nil {
		return err
	}
	if err := j.ended(fmt.Sprintf("%s/unanswered-%d", step, j.mem.Unanswered), kind, a); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := j.bounds(j.ID); err != nil {
		return err
	}
	return j.pause(workflow.PausedAgent, fmt.Sprintf("the agent could not work (%s %s): warp agent check tells what is wrong, warp workflow resume asks it again", a.End, text.Opening(a.Why)), j.ID)
}

// bounds pauses the workflow at a bound, and warns before.
func (r *run) bounds(task string) error {
	crossed := r.now().Crossed(task, r.total())
	var fresh []workflow.Crossing
	if len(crossed) > 0 {
		if err := r.update("bounds", func(s *workflow.State) error { fresh = s.Warned(crossed); return nil }); err != nil {
			return err
		}
	}
	for _, c := range fresh {
		r.tell(Note{Kind: Warned, Task: task, Text: c.Text})
	}
	for _, c := range crossed {
		if c.Stop() {
			return r.pause(c.Bound, c.Text+"; warp workflow extend allows more, and goes on", task)
		}
	}
	return nil
}
