package qualityloop

import (
	"cmp"
	"context"
	"time"

	"warp/internal/core/workqueue"
	"warp/internal/engine/agent"
)

// How long an agent may take, and be silent; and how long it may go on after it
// has given its result.
const (
	runTime  = 2 * time.Hour
	runIdle  = 30 * time.Minute
	runAfter = 30 * time.Second
)

// scan asks what is left to do. An answer that cannot be read is none: it must not
// look like nothing being left.
func (b *Loop) scan(ctx context.Context) (*answer, error) {
	res, err := b.ask(ctx, agent.Task{Role: agent.Scan, Prompt: b.assessment(), ReadOnly: true, Budget: b.left()})
	if err != nil {
		return nil, err
	}
	a := answered(res)
	if a.End == agent.Done && a.Result == nil {
		a.End, a.Why = agent.Unusable, "the assessment has no result that can be read: "+cmp.Or(res.Invalid, "there is none")
	}
	return a, nil
}

// work has items done.
func (b *Loop) work(ctx context.Context, items []workqueue.Item, again bool) (*answer, error) {
	res, err := b.ask(ctx, agent.Task{Role: agent.Iterate, Prompt: b.assignment(items, again), Criteria: b.m.Given, Budget: b.left()})
	if err != nil {
		return nil, err
	}
	return answered(res), nil
}

func (b *Loop) ask(ctx context.Context, t agent.Task) (agent.Result, error) {
	who, err := b.Agents(b.Agent)
	if err != nil {
		return agent.Result{}, err
	}
	t.Dir, t.Issue, t.Chunk, t.Level, t.Model = b.Root, b.Session, b.it.Number, 3, b.Model
	t.Idle, t.Timeout, t.Linger = runIdle, runTime, runAfter
	return who.Run(ctx, t)
}

// left is what the iteration may still cost.
func (b *Loop) left() agent.Budget {
	left := agent.Budget{MicroUSD: b.it.Most.MicroUSD, Tokens: b.it.Most.Tokens}
	if a := b.m.Assess; a != nil {
		left.MicroUSD, left.Tokens = less(left.MicroUSD, a.Usage.MicroUSD), less(left.Tokens, a.Usage.Tokens())
	}
	return left
}

// less is a bound of which something is spent; 0 is none.
func less(bound, spent int64) int64 {
	if bound == 0 {
		return 0
	}
	return max(1, bound-spent)
}
