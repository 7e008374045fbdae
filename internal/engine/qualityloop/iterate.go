package qualityloop

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"warp/internal/core/lossless"
	"warp/internal/core/workqueue"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/session"
	"warp/internal/engine/step"
	"warp/internal/sys/git"
)

// atOnce is how many items an agent is given: several failing tests often have
// one cause.
const atOnce = 5

// The steps of an iteration.
const (
	scan  = "scan"
	build = "build"
)

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
// failed was taken in, a person is to look, or an agent's run failed.
func (b *Loop) over() bool {
	for _, a := range b.known.Answers {
		if a.Failed() && !a.Pending {
			return true
		}
	}
	loop := b.q().Loop
	evaluated := loop.Record.Iteration >= b.m.Iteration
	return loop.Phase == workqueue.Paused || evaluated && loop.Phase != workqueue.Recover
}

func (b *Loop) step(ctx context.Context) error {
	switch b.q().Loop.Phase {
	case workqueue.Assess:
		return b.assess(ctx)
	case workqueue.Plan:
		return b.move(func(q *workqueue.Queue) workqueue.Event { return q.TakeUp(atOnce) })
	case workqueue.Build:
		return b.build(ctx)
	case workqueue.Test:
		return b.runGates(ctx, true, workqueue.Tested)
	case workqueue.Quality:
		return b.runGates(ctx, false, workqueue.Checked)
	case workqueue.EvaluatePhase:
		return b.move(b.evaluate)
	case workqueue.Recover:
		found := b.errors()
		return b.move(func(q *workqueue.Queue) workqueue.Event {
			b.add(q, found)
			return workqueue.Recovered
		})
	}
	return b.move(func(*workqueue.Queue) workqueue.Event { return workqueue.ContextReady })
}

// move makes what a phase came to durable, together with the next phase.
func (b *Loop) move(fn func(*workqueue.Queue) workqueue.Event) error {
	err := b.update("phase", func(q *workqueue.Queue) error {
		event := fn(q)
		if (event == workqueue.WorkFound || event == workqueue.Recovered) && len(b.unseen(q)) > 0 {
			event = workqueue.PauseAsked // a person is to look first
		}
		return q.Fire(event)
	})
	if err != nil {
		return err
	}
	phase := strings.ToLower(string(b.q().Loop.Phase))
	b.Passed("phase_" + phase)
	if err := b.show(); err != nil {
		return err
	}
	b.Passed("shown_" + phase)
	return nil
}

// ask takes the step of a phase. An answer that is known is given back. What kept
// an agent from answering ends the iteration too.
func (b *Loop) ask(ctx context.Context, name string, t agent.Task, tell brief) (a step.Answer, err error) {
	phase := b.q().Loop.Phase
	tell.Task, tell.Progress, tell.Checks = b.Task, b.Progress, b.check.gates
	if t.Prompt, err = tell.prompt(phase); err != nil {
		return a, err
	}
	t.Model = b.Model
	a, err = b.Ask(ctx, b.known, step.Step{Name: name, Agent: b.Agent, Task: t, Scope: guard.Scope{Documents: []guard.Document{b.doc}}})
	if err != nil {
		return a, err
	}
	if a.Failed() {
		err = b.known.Keep(name, a)
	}
	b.Passed(strings.ToLower(string(phase)) + "_answered")
	return a, err
}

// assess has an agent that only looks find work. An answer that cannot be read is
// none: it must not look like nothing being left.
func (b *Loop) assess(ctx context.Context) error {
	a, err := b.ask(ctx, scan, agent.Task{Role: agent.Scan, ReadOnly: true}, brief{Finished: b.q().Finished(shownDone)})
	if err != nil || a.Failed() {
		return err
	}
	if a.Result == nil {
		a.End, a.Why = agent.Unusable, "the assessment has no result that can be read: "+cmp.Or(a.Invalid, "there is none")
		return b.known.Keep(scan, a)
	}
	result, err := lossless.Parse(a.Result)
	if err != nil {
		return err
	}
	return b.move(func(q *workqueue.Queue) workqueue.Event {
		b.add(q, workqueue.Findings(result))
		if q.Open() == 0 {
			return workqueue.NothingFound
		}
		return workqueue.WorkFound
	})
}

// build has an agent do what was taken up, as far as people have left it there.
func (b *Loop) build(ctx context.Context) error {
	tell := brief{Items: b.q().Next(atOnce), Again: b.m.Given != nil}
	if rec := b.q().Loop.Record; rec.Iteration == rec.Changed { // none was evaluated since
		tell.Another = rec.Another(rec.Changed + 1)
	}
	_, answered := b.known.Answers[build]
	if !answered && len(tell.Items) > 0 {
		b.m.Given = ids(tell.Items)
		if err := b.mark("build_marked"); err != nil {
			return err
		}
	}
	if answered || len(tell.Items) > 0 {
		a, err := b.ask(ctx, build, agent.Task{Role: agent.Iterate, Criteria: b.m.Given}, tell)
		if err != nil || a.Failed() {
			return err
		}
	}
	var found []workqueue.Found
	for _, title := range b.said().Found {
		found = append(found, workqueue.Found{Title: title, Source: workqueue.FromAssess})
	}
	return b.move(func(q *workqueue.Queue) workqueue.Event {
		b.add(q, found)
		q.AskAgain() // whatever the agent wrote there
		return workqueue.Built
	})
}

// runGates runs the gate of the tests, or the others; one that has had its say in
// this iteration is not asked again.
func (b *Loop) runGates(ctx context.Context, ofTests bool, over workqueue.Event) error {
	b.check.added = sync.OnceValues(func() ([]git.Line, error) { return b.check.compare(ctx) })
	for _, g := range b.check.gates {
		was := b.q().GateResults.Get(g.Name)
		if (g.Name == tests) != ofTests || was != nil && was.Iteration == b.q().Iteration {
			continue
		}
		run, err := b.check.run(ctx, g)
		if err != nil {
			return err
		}
		if g.Name == integrity && run.Status == workqueue.Pass && was == nil {
			continue // it is told of once it has failed
		}
		if err := b.update("gate", func(q *workqueue.Queue) error { q.Gate(run); return nil }); err != nil {
			return err
		}
		b.Passed("gate_" + g.Name)
		passed := run.Status != workqueue.Fail
		b.tell(session.Note{Kind: session.Gated, Text: run.String(), Passed: &passed})
	}
	if b.Guard != nil { // what the gates leave behind is not a person's
		if err := b.Guard.Settle(ctx); err != nil {
			return err
		}
	}
	return b.move(func(*workqueue.Queue) workqueue.Event { return over })
}

// evaluate closes what was done, and decides.
func (b *Loop) evaluate(q *workqueue.Queue) workqueue.Event {
	q.Believe(b.m.Given, b.said().Done)
	return q.Evaluate(max(1, q.Iteration+cmp.Or(b.Most, workqueue.MaxIterations)-b.number)).Event
}

// said is what the agent told of what it built.
func (b *Loop) said() session.Report { return session.ReportOf(b.known.Answers[build]) }

// unseen are the open items that a person wants to look at and has not seen.
func (b *Loop) unseen(q *workqueue.Queue) []workqueue.Item {
	return slices.DeleteFunc(q.Urgent(b.PauseOn), func(it workqueue.Item) bool { return slices.Contains(b.m.Seen, it.ID) })
}

func ids(items []workqueue.Item) (list []string) {
	for _, it := range items {
		list = append(list, it.ID)
	}
	return list
}
