package quality

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/core/workqueue"
	"warp/internal/engine/policy/session"
)

// Iterate runs the phases of one iteration, from the recorded one on.
func (b *Loop) Iterate(ctx context.Context, it session.Iteration) (session.Outcome, error) {
	if err := b.openIteration(it); err != nil {
		return session.Outcome{}, err
	}
	for !b.isOver() {
		err := ctx.Err()
		if err == nil {
			err = b.step(ctx)
		}
		if err != nil {
			return session.Outcome{}, err
		}
	}
	return b.outcome()
}

// isOver reports whether the iteration is finished: it was evaluated and its failures were taken
// in, a person has to look, or an agent's run failed.
func (b *Loop) isOver() bool {
	for _, a := range b.known.Answers {
		if a.Failed() && !a.Pending {
			return true
		}
	}
	loop := b.queue().Loop
	evaluated := loop.Record.Iteration >= b.m.Iteration
	return loop.Phase == workqueue.Paused || evaluated && loop.Phase != workqueue.Recover
}

func (b *Loop) step(ctx context.Context) error {
	switch b.queue().Loop.Phase {
	case workqueue.Assess:
		return b.assess(ctx)
	case workqueue.Plan:
		return b.recordPhase(func(q *workqueue.Queue) workqueue.Event { return q.TakeUp(atOnce) })
	case workqueue.Build:
		return b.build(ctx)
	case workqueue.Test:
		return b.runGates(ctx, true, workqueue.Tested)
	case workqueue.Quality:
		return b.runGates(ctx, false, workqueue.Checked)
	case workqueue.EvaluatePhase:
		return b.recordPhase(b.evaluate)
	case workqueue.Recover:
		found := b.classifiedErrors()
		return b.recordPhase(func(q *workqueue.Queue) workqueue.Event {
			b.addFound(q, found)
			return workqueue.Recovered
		})
	}
	return b.recordPhase(func(*workqueue.Queue) workqueue.Event { return workqueue.ContextReady })
}

// recordPhase records a phase's result together with the next phase.
func (b *Loop) recordPhase(fn func(*workqueue.Queue) workqueue.Event) error {
	err := b.update("phase", func(q *workqueue.Queue) error {
		event := fn(q)
		if (event == workqueue.WorkFound || event == workqueue.Recovered) && len(b.unseenItems(q)) > 0 {
			event = workqueue.PauseAsked // a person has to look first
		}
		return q.Fire(event)
	})
	if err != nil {
		return err
	}
	phase := strings.ToLower(string(b.queue().Loop.Phase))
	b.Passed("phase_" + phase)
	if err := b.writeState(); err != nil {
		return err
	}
	b.Passed("shown_" + phase)
	return nil
}

// runGates runs the tests' gate, or the others, each once per iteration.
func (b *Loop) runGates(ctx context.Context, ofTests bool, over workqueue.Event) (err error) {
	leave := b.check.beginChecks(ctx)
	defer func() { err = errors.Join(err, leave()) }()
	for _, g := range b.check.gates {
		was := b.queue().GateResults.Get(g.Name)
		if (g.Name == tests) != ofTests || was != nil && was.Iteration == b.queue().Iteration {
			continue
		}
		run, err := b.check.runGate(ctx, g)
		if err != nil {
			return err
		}
		if g.Name == integrity && run.Status == workqueue.Pass && was == nil {
			continue // it is only shown once it has failed
		}
		if err := b.update("gate", func(q *workqueue.Queue) error { q.Gate(run); return nil }); err != nil {
			return err
		}
		b.Passed("gate_" + g.Name)
		b.tell(session.Note{Kind: session.Gated, Text: run.String(), Passed: new(run.Status != workqueue.Fail)})
	}
	if b.Guard != nil { // what the gates leave behind is not a person's
		if err := b.Guard.Settle(ctx); err != nil {
			return err
		}
	}
	return b.recordPhase(func(*workqueue.Queue) workqueue.Event { return over })
}

// evaluate closes what was done, and decides.
func (b *Loop) evaluate(q *workqueue.Queue) workqueue.Event {
	q.CloseReported(b.m.Given, b.buildReport().Done)
	return q.Evaluate(max(1, q.Iteration+cmp.Or(b.Most, workqueue.MaxIterations)-b.number), b.Passes).Event
}

// outcome returns the result of the iteration. It uses only what is recorded, so that it can be
// repeated after a crash.
func (b *Loop) outcome() (out session.Outcome, err error) {
	for _, name := range []string{scan, build} {
		a, answered := b.known.Answers[name]
		if !answered {
			continue
		}
		out.Files = append(out.Files, a.Changed...)
		out.Row.Agent = a.Agent
		out.Spent = out.Spent.Add(a.Usage.Spent())
		out.Row.Unpriced = out.Row.Unpriced || !a.Usage.Priced
		out.Row.Changed = out.Row.Changed || len(a.Changed)+len(a.Yours) > 0
		if a.Failed() {
			out.Row.End, out.Row.Summary = string(a.End), a.Why
			return out, nil
		}
	}
	q := b.queue()
	for _, it := range q.Items {
		if it.CompletedIteration != nil && *it.CompletedIteration == q.Iteration {
			out.Row.Items = append(out.Row.Items, it.ID)
		}
	}
	failing := q.Facts(0).Failed
	switch { // the session's strategy counts passes, so only a full pass counts as one
	case q.Loop.Record.Iteration < q.Iteration:
	case len(failing) > 0:
		out.Row.Gates = sessionstate.Fail
	case q.Loop.Record.Passes > 0:
		out.Row.Gates = sessionstate.Pass
	}
	out.Row.Summary, out.Learnings = b.summary(failing), b.buildReport().Learnings
	if q.Loop.Phase.Final() {
		out.Stop = &sessionstate.Decision{Stop: true, Reason: q.Loop.Reason, Why: q.Loop.Why}
	}
	if q.Loop.Phase == workqueue.Paused {
		out.Pause, err = b.pauseReason()
	}
	return out, err
}

func (b *Loop) summary(failing []string) string {
	said := b.buildReport().Summary
	_, assessed := b.known.Answers[scan]
	if _, built := b.known.Answers[build]; assessed && !built {
		said = fmt.Sprintf("Assessed: %s open.", text.Count(b.queue().Open(), "item"))
	}
	if len(failing) > 0 {
		said = strings.TrimPrefix(strings.TrimSuffix(said, ".")+". ", ". ") + "Failing gates: " + strings.Join(failing, ", ") + "."
	}
	return strings.TrimSpace(said)
}

// pauseReason returns why a person should look, and remembers the items: while they are open, the
// same ones do not pause again.
func (b *Loop) pauseReason() (string, error) {
	open, list := b.queue().Urgent(b.PauseOn), b.unseenItems(b.queue())
	if len(list) == 0 { // reported before a crash
		list = open
	}
	var why []string
	for _, it := range list {
		why = append(why, fmt.Sprintf("%s (%s) %s", it.ID, it.Priority, it.Title))
	}
	b.m.Seen = workqueue.IDs(open)
	return "there is urgent work: " + strings.Join(why, "; "), b.saveMarker("pause_marked")
}

// unseenItems returns the urgent open items that a person has not seen.
func (b *Loop) unseenItems(q *workqueue.Queue) []workqueue.Item {
	return slices.DeleteFunc(q.Urgent(b.PauseOn), func(it workqueue.Item) bool { return slices.Contains(b.m.Seen, it.ID) })
}
