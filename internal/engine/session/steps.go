package session

import (
	"context"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/session"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/step"
)

// openBounds makes the bounds of the whole session.
func (r *run) openBounds() {
	limit := r.Limit.Or(budget.Amount{MicroUSD: r.Plan.MaxCost, Time: r.Plan.MaxTime})
	r.bounds = &step.Bounds{Limit: limit, Explicit: true, Idle: r.Limits.Idle, Used: r.Limits.Used, Breaker: &budget.Breaker{},
		Spent: func(now time.Time) (sum budget.Amount) {
			s := r.doc.Now()
			for i := range s.Len() {
				sum = sum.Add(r.spent(s, i, now))
			}
			return sum
		}}
}

// spent is what a unit has used, the iteration that is under way included.
func (r *run) spent(s *session.State, i int, now time.Time) budget.Amount {
	r.mu.Lock()
	defer r.mu.Unlock()
	return s.Facts(i, now).Spent().Add(r.pending[i])
}

// within are the bounds of a unit.
func (r *run) within(i int, most budget.Amount) *step.Bounds {
	return &step.Bounds{Limit: most, Within: r.bounds, Spent: func(now time.Time) budget.Amount { return r.spent(r.doc.Now(), i, now) }}
}

// spentError says that a budget beyond the iterations keeps a run from beginning.
type spentError struct{ why string }

func (e *spentError) Error() string { return e.why }

// timeLeft is how long a command of a unit may take; 0: no bound.
func (r *run) timeLeft(b *step.Bounds) (time.Duration, error) {
	left, ok := b.Left(r.Now())
	if !ok && left.Time < 0 {
		return 0, &spentError{"its time is up"}
	}
	return left.Time, nil
}

// taker takes the steps of a unit.
func (r *run) taker(ctx context.Context, i int, g *guard.Guard, b *step.Bounds) *step.Taker {
	t := &step.Taker{Agents: r.Engine.Agents, Guard: g, Bounds: b, Lease: r.lease.Check, Record: r.ran, Remark: r.remark, Redact: r.Redact, Now: r.Now}
	t.Passed = func(point string) {
		if point != "" && point[:3] != "ran" { // what was made of the answer is passed later
			r.passed("agent_ended")
		}
	}
	t.Between = func(paths []string) error { return r.between(ctx, i, paths) }
	if g != nil && g == r.guard {
		t.Turn = r.turn
	}
	return t
}

// ask takes a step of an iteration, and charges it.
func (r *run) ask(ctx context.Context, t *step.Taker, i, number int, s step.Step) (step.Answer, error) {
	s.Issue, s.Chunk, s.Level = r.Name, number, 3
	if s.Dir == "" {
		s.Dir = r.Root
	}
	s.Row = evidence.Run{Work: "session " + r.Name, Chunk: number, Phase: r.units[i].name}
	if t.Guard != nil {
		member := ""
		if t.Guard != r.guard {
			member = r.units[i].name
		}
		documents := s.Scope.Documents
		s.Scope = r.scope(t.Guard, member, r.label(i, number))
		s.Scope.Documents = append(s.Scope.Documents, documents...)
	}
	a, err := t.Run(ctx, s)
	r.charge(i, t.Memory)
	switch {
	case err != nil:
	case a.End == agent.Budgeted && a.Agent == "none": // no agent was asked
		err = &spentError{a.Why}
	case a.End == agent.Unpriced:
		err = &step.StoppedError{Why: a.Why, Do: "start it again without --max-cost, or with --max-tokens or --max-time in its place"}
	}
	return a, err
}

// label begins the names under which the guard keeps what an iteration did.
func (r *run) label(i, number int) string {
	return "session-" + r.Name + "-" + r.units[i].name + "-" + itoa(number)
}

// charge counts what an iteration has used before it is recorded.
func (r *run) charge(i int, m *step.Memory) {
	sum := budget.Amount{}
	if m != nil {
		for _, a := range m.Answers {
			sum = sum.Add(cost(a))
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending[i] = sum
}

// cost is what an answer has used.
func cost(a step.Answer) budget.Amount {
	return budget.Amount{MicroUSD: a.Usage.MicroUSD, Tokens: a.Usage.Tokens()}
}

// ran keeps the row of a run.
func (r *run) ran(x step.Ran) error {
	return step.Patiently(func() error { return r.home().AppendSynced(event.Run, x.Evidence(r.Redact)) })
}

// intervened tells what an agent did and may not, and what was done about it.
func (r *run) intervened(f guard.Finding) {
	row := evidence.Intervened{Work: "session " + r.Name, What: f.What, Text: f.Text, Kept: f.Kept}
	if err := step.Patiently(func() error { return r.home().Append(event.Intervened, row) }); err != nil {
		r.remark("keeping what was found: %v", err)
	}
	r.tell(Note{Kind: Intervened, Text: f.Text})
}

func (r *run) home() *durable.Store {
	if r.Home != nil {
		return r.Home
	}
	return r.Store
}
