package qualityloop

import (
	"context"
	"slices"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/workqueue"
	"warp/internal/engine/session"
)

// atOnce is how many items an agent is given: several failing tests often have
// one cause.
const atOnce = 5

var _ session.Body = (*Loop)(nil)

// Iterate goes through the phases of one iteration, from where it is on record.
func (b *Loop) Iterate(ctx context.Context, it session.Iteration) (session.Outcome, error) {
	if err := b.open(it); err != nil {
		return session.Outcome{}, err
	}
	for !b.over() {
		if err := ctx.Err(); err != nil {
			return session.Outcome{}, err
		}
		if err := b.step(ctx); err != nil {
			return session.Outcome{}, err
		}
	}
	return b.outcome()
}

// over tells whether nothing is left of the iteration: it was evaluated and what
// failed was taken in, a person is to look, or an agent's run came to nothing.
func (b *Loop) over() bool {
	loop := b.q().Loop
	evaluated := loop.Record.Iteration >= b.m.Iteration
	return loop.Phase == workqueue.Paused || b.failed() || evaluated && loop.Phase != workqueue.Recover
}

func (b *Loop) step(ctx context.Context) error {
	switch b.q().Loop.Phase {
	case workqueue.Assess:
		return b.assess(ctx)
	case workqueue.Plan:
		return b.move(plan)
	case workqueue.Build:
		return b.build(ctx)
	case workqueue.Test:
		return b.check(ctx, workqueue.Tested, func(g Gate) bool { return g.Name == tests })
	case workqueue.Quality:
		return b.check(ctx, workqueue.Checked, func(g Gate) bool { return g.Name != tests })
	case workqueue.EvaluatePhase:
		return b.move(b.evaluate)
	case workqueue.Recover:
		found := b.errors()
		return b.move(func(q *workqueue.Queue) workqueue.Event {
			add(q, found)
			return b.unlessUrgent(q, workqueue.Recovered)
		})
	}
	return b.move(func(*workqueue.Queue) workqueue.Event { return workqueue.ContextReady })
}

// move makes what a phase came to durable, together with the next phase.
func (b *Loop) move(fn func(*workqueue.Queue) workqueue.Event) error {
	if err := b.update("phase", func(q *workqueue.Queue) error { return fire(q, fn(q)) }); err != nil {
		return err
	}
	phase := string(b.q().Loop.Phase)
	b.passed("phase_" + strings.ToLower(phase))
	b.tell(session.Note{Kind: session.Phased, Text: phase})
	if err := b.show(); err != nil {
		return err
	}
	b.passed("shown_" + strings.ToLower(phase))
	return nil
}

// fire leads the loop through its table.
func fire(q *workqueue.Queue, events ...workqueue.Event) error {
	for _, e := range events {
		to, err := workqueue.Table.Next(q.Loop.Phase, e)
		if err != nil {
			return err
		}
		q.Loop.Phase = to
	}
	return nil
}

// assess has an agent that only looks find work.
func (b *Loop) assess(ctx context.Context) error {
	a, err := b.scan(ctx)
	if err != nil || a.Failed() {
		return err
	}
	result, err := lossless.Parse(a.Result)
	if err != nil {
		return err
	}
	found := workqueue.Findings(result)
	for i := range found {
		found[i].Title, found[i].Description = b.Redact(found[i].Title), b.Redact(found[i].Description)
	}
	return b.move(func(q *workqueue.Queue) workqueue.Event {
		add(q, found)
		if q.Open() == 0 {
			return workqueue.NothingFound
		}
		return b.unlessUrgent(q, workqueue.WorkFound)
	})
}

// plan takes up what is next.
func plan(q *workqueue.Queue) workqueue.Event {
	next := q.Next(atOnce)
	for i := range q.Items {
		it := &q.Items[i]
		chosen := slices.ContainsFunc(next, func(n workqueue.Item) bool { return n.ID == it.ID })
		switch {
		case chosen:
			it.Status = workqueue.InProgress
		case it.Status == workqueue.InProgress:
			it.Status = workqueue.Pending
		}
	}
	if len(next) == 0 {
		return workqueue.NothingToDo
	}
	return workqueue.ItemsChosen
}

// build has an agent do what was taken up, as far as people have left it there.
func (b *Loop) build(ctx context.Context) error {
	items := b.q().Next(atOnce)
	if b.answered(build) == nil && len(items) > 0 {
		again := b.m.Given != nil
		b.m.Given = nil
		for _, it := range items {
			b.m.Given = append(b.m.Given, it.ID)
		}
		if err := b.mark("build_marked"); err != nil {
			return err
		}
		if err := b.work(ctx, items, again); err != nil {
			return err
		}
		b.passed("build_answered")
		if b.failed() {
			return nil
		}
	}
	var found []workqueue.Found
	for _, title := range b.said().Found {
		found = append(found, workqueue.Found{Title: title, Source: workqueue.FromAssess})
	}
	return b.move(func(q *workqueue.Queue) workqueue.Event {
		add(q, found)
		for i := range q.GateResults { // nobody but a gate, from here on, says what it says
			if r := &q.GateResults[i]; r.Iteration == q.Iteration {
				r.Iteration = 0
			}
		}
		return workqueue.Built
	})
}

// check runs gates; one that has had its say in this iteration is not asked again.
func (b *Loop) check(ctx context.Context, over workqueue.Event, wanted func(Gate) bool) error {
	b.diff = nil
	for _, g := range b.gates {
		if r := b.q().GateResults.Get(g.Name); !wanted(g) || r != nil && r.Iteration == b.q().Iteration {
			continue
		}
		run, err := b.run(ctx, g)
		if err != nil {
			return err
		}
		if g.Name == integrity && run.Status == workqueue.Pass && b.q().GateResults.Get(integrity) == nil {
			continue // it is told of once it has failed
		}
		if err := b.update("gate", func(q *workqueue.Queue) error { record(q, run); return nil }); err != nil {
			return err
		}
		b.passed("gate_" + g.Name)
		passed := run.Status != workqueue.Fail
		b.tell(session.Note{Kind: session.Gated, Text: gated(run), Passed: &passed})
	}
	if b.Guard != nil { // what the gates leave behind is not a person's
		if err := b.Guard.Settle(ctx); err != nil {
			return err
		}
	}
	return b.move(func(*workqueue.Queue) workqueue.Event { return over })
}

// evaluate closes what was done, and decides. An agent's word that an item is done
// counts where no gate speaks against it: none has found anything new.
func (b *Loop) evaluate(q *workqueue.Queue) workqueue.Event {
	broke := slices.ContainsFunc(q.Items, func(it workqueue.Item) bool {
		return workqueue.IsGate(it.Source) && it.Status != workqueue.Done && (it.AddedIteration == q.Iteration || it.Reopened == q.Iteration)
	})
	for _, id := range b.said().Done {
		if it, err := q.Find(id); err == nil && !broke && slices.Contains(b.m.Given, it.ID) && !workqueue.IsGate(it.Source) {
			_, _ = q.Done(it.ID) // it is there
		}
	}
	most := b.Most
	if most <= 0 {
		most = workqueue.MaxIterations
	}
	return q.Evaluate(max(1, q.Iteration+most-b.it.Number)).Event
}

// unlessUrgent leads on, or to a person who is to look first.
func (b *Loop) unlessUrgent(q *workqueue.Queue, e workqueue.Event) workqueue.Event {
	if len(b.urgent(q, b.m.Seen)) > 0 {
		return workqueue.PauseAsked
	}
	return e
}

// urgent are the open items that a person wants to look at and has not seen.
func (b *checker) urgent(q *workqueue.Queue, seen []string) (list []workqueue.Item) {
	if b.PauseOn == "" {
		return nil
	}
	for _, it := range q.Ordered() {
		if it.Status != workqueue.Done && it.Priority.AtLeast(b.PauseOn) && !slices.Contains(seen, it.ID) {
			list = append(list, it)
		}
	}
	return list
}
