package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/step"
	"warp/internal/sys/proc"
)

// taker returns what runs the steps of a unit.
func (r *run) taker(ctx context.Context, i int, g *guard.Guard, b *step.Bounds) *step.Taker {
	t := &step.Taker{Agents: r.Agents, Guard: g, Bounds: b, Lease: r.lease.Check, Live: r.lease.Live, Record: r.recordRun, Remark: r.remark, Redact: r.Redact, Now: r.Now, Asleep: r.Limits.Asleep}
	t.Passed = func(point string) {
		if strings.HasPrefix(point, "agent ended") { // the later points have their own names
			r.Passed("agent_ended")
		}
	}
	t.Between = func(paths []string) error { return r.shield.absorbPersonChanges(ctx, i, paths) }
	return t
}

// ask runs a step of an iteration, and charges it.
func (r *run) ask(ctx context.Context, t *step.Taker, u unit, number int, s step.Step) (step.Answer, error) {
	s.Issue, s.Chunk, s.Level = r.Name, number, 3
	if s.Dir == "" {
		s.Dir = r.dir
	}
	if model, effort := splitModel(s.Model); effort != "" {
		s.Model, s.Effort = model, effort
	}
	s.Row = evidence.Run{Work: "session " + r.Name, Chunk: number, Phase: u.name}
	if t.Guard != nil {
		member := ""
		if t.Guard != r.shield.guard {
			member = u.place
		}
		documents := s.Scope.Documents
		s.Scope = r.shield.scopeOf(t.Guard, member, u.label(number))
		s.Scope.Documents = append(s.Scope.Documents, documents...)
	}
	if err := r.reads.mirrorFiles(s.Dir); err != nil {
		return step.Answer{}, fmt.Errorf("copying the session's files to %s: %w", s.Dir, err)
	}
	a, err := t.Run(ctx, s)
	r.spending.charge(u.index, t.Memory)
	switch {
	case err != nil:
	case a.End == agent.Budgeted && a.Agent == "none": // no agent was asked
		err = &spentError{a.Why}
	case a.End == agent.Unpriced:
		err = &step.StoppedError{Why: a.Why, Do: "start it again with a limit that can be enforced; --max-time always can"}
	}
	return a, err
}

func (r *run) recordRun(x step.Ran) error {
	return durable.RetryBusy(func() error { return r.Home.AppendSynced(event.Run, x.Evidence(r.Redact)) })
}

// intervened reports something an agent did that it may not, and what was done about it.
func (r *run) intervened(f guard.Finding) {
	row := evidence.Intervened{Work: "session " + r.Name, What: f.What, Text: f.Text, Kept: f.Kept}
	if err := durable.RetryBusy(func() error { return r.Home.Append(event.Intervened, row) }); err != nil {
		r.remark("keeping what was found: %v", err)
	}
	r.tell(Note{Kind: Intervened, Text: f.Text})
}

// spending tracks what the session may spend, and has spent.
type spending struct {
	doc    *step.Document[sessionstate.State]
	bounds *step.Bounds
	now    func() time.Time

	mu          sync.Mutex
	pending     map[int]budget.Amount    // spent by unrecorded iterations, by unit
	sleepMeters map[int]*proc.SleepMeter // sleep during them, by unit
	asleep      func() time.Duration
}

// newSpending returns the budget of the whole session.
func newSpending(e *Engine, j Job, doc *step.Document[sessionstate.State]) *spending {
	p := &spending{doc: doc, now: e.Now, pending: map[int]budget.Amount{}, sleepMeters: map[int]*proc.SleepMeter{}, asleep: e.Limits.Asleep}
	limit := j.Limit.Or(budget.Amount{MicroUSD: j.Plan.MaxCost, Time: j.Plan.MaxTime})
	p.bounds = &step.Bounds{Limit: limit, Explicit: true, Idle: e.Limits.Idle, Used: e.Limits.Used, Breaker: &budget.Breaker{},
		Spent: func(now time.Time) (sum budget.Amount) {
			for i := range doc.Now().Len() {
				sum = sum.Add(p.spent(i, now))
			}
			return sum
		}}
	return p
}

// spent returns what a unit has spent, including the iteration in progress.
func (p *spending) spent(i int, now time.Time) budget.Amount {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.doc.Now().Facts(i, now.Add(-p.sleepMeters[i].Uncounted())).Spent().Add(p.pending[i])
}

// startSleepMeter starts measuring sleep for a new iteration, so that it is not charged.
func (p *spending) startSleepMeter(i int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sleepMeters[i] = proc.NewSleepMeter(p.asleep)
}

// slept returns how long the machine slept during a unit's iteration.
func (p *spending) slept(i int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sleepMeters[i].Uncounted().Truncate(time.Second)
}

// within returns the limits of a unit.
func (p *spending) within(i int, most budget.Amount) *step.Bounds {
	return &step.Bounds{Limit: most, Within: p.bounds, Spent: func(now time.Time) budget.Amount { return p.spent(i, now) }}
}

// spentError means that a budget beyond the iterations keeps a run from starting.
type spentError struct{ why string }

func (e *spentError) Error() string { return e.why }

// timeLeft returns how long a unit's command may take; 0: unlimited.
func (p *spending) timeLeft(b *step.Bounds) (time.Duration, error) {
	left, ok := b.Left(p.now())
	if !ok && left.Time < 0 {
		return 0, &spentError{"its time is up"}
	}
	return left.Time, nil
}

// charge counts what an iteration has spent before it is recorded.
func (p *spending) charge(i int, m *step.Memory) {
	sum := budget.Amount{}
	if m != nil {
		for _, a := range m.Answers {
			sum = sum.Add(costOf(a))
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending[i] = sum
}

// costOf returns what an answer cost.
func costOf(a step.Answer) budget.Amount {
	return budget.Amount{MicroUSD: a.Usage.MicroUSD, Tokens: a.Usage.Tokens()}
}

// efforts may follow a model's name after a colon. Any other colon belongs to the name.
var efforts = []string{"minimal", "low", "medium", "standard", "high", "xhigh", "max"}

// splitModel separates the effort from a model: gpt-5:high.
func splitModel(written string) (model, effort string) {
	if i := strings.LastIndexByte(written, ':'); i > 0 && slices.Contains(efforts, written[i+1:]) {
		return written[:i], written[i+1:]
	}
	return written, ""
}
