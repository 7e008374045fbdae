package qualityloop

import (
	"fmt"
	"strings"

	"warp/internal/core/session"
	"warp/internal/core/workqueue"
	engine "warp/internal/engine/session"
)

// outcome is what came of the iteration. It is found out from what is on record,
// so that it can be told again after a crash.
func (b *Loop) outcome() (out engine.Outcome, err error) {
	for _, name := range []string{scan, build} {
		a := b.answered(name)
		if a == nil {
			continue
		}
		out.Files = append(out.Files, a.Changed...)
		out.Row.Agent = a.Agent
		out.Spent.MicroUSD += a.Usage.MicroUSD
		out.Spent.Tokens += a.Usage.Tokens()
		out.Row.Changed = out.Row.Changed || len(a.Changed)+len(a.Yours) > 0
		if a.Failed() {
			out.Row.End, out.Row.Summary = string(a.End), a.Why
			return out, nil
		}
	}
	said := b.said()
	out.Learnings = said.Learnings
	loop := b.q().Loop
	for _, it := range b.q().Items {
		if it.CompletedIteration != nil && *it.CompletedIteration == b.m.Iteration {
			out.Row.Items = append(out.Row.Items, it.ID)
		}
	}
	if loop.Record.Iteration >= b.m.Iteration {
		out.Row.Gates = came(b.q(), b.m.Iteration)
	}
	out.Row.Summary = b.summary(said)
	if loop.Phase.Final() {
		out.Stop = &session.Decision{Stop: true, Reason: loop.Reason, Why: loop.Why}
	}
	if loop.Phase == workqueue.Paused {
		out.Pause, err = b.pause()
	}
	return out, err
}

// came is what the gates came to. The session's strategy counts passes, so
// only a full one is called so: gates that pass while work is left say nothing.
func came(q *workqueue.Queue, iteration int) string {
	switch {
	case len(failingGates(q, iteration)) > 0:
		return session.Fail
	case q.Loop.Record.Passes > 0:
		return session.Pass
	}
	return ""
}

// failingGates are the gates that did not pass in this iteration.
func failingGates(q *workqueue.Queue, iteration int) (names []string) {
	for _, g := range q.GateResults {
		if g.Iteration == iteration && !g.Passed() {
			names = append(names, g.Name)
		}
	}
	return names
}

// said is what the agent told of what it built.
func (b *Loop) said() (r engine.Report) {
	if a := b.answered(build); a != nil {
		r = engine.ReportOf(*a)
	}
	return r
}

func (b *Loop) summary(r engine.Report) string {
	parts := []string{strings.TrimSpace(r.Summary)}
	if b.answered(build) == nil && b.answered(scan) != nil {
		parts = []string{fmt.Sprintf("Assessed: %d items are open.", b.q().Open())}
	}
	if names := failingGates(b.q(), b.m.Iteration); len(names) > 0 {
		parts = append(parts, "Failing gates: "+strings.Join(names, ", ")+".")
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}

// pause says why a person is to look, and remembers what for: the same items are
// not asked about again as long as they are open.
func (b *Loop) pause() (string, error) {
	list := b.urgent(b.q(), b.m.Seen)
	b.m.Seen = nil
	for _, it := range b.urgent(b.q(), nil) {
		b.m.Seen = append(b.m.Seen, it.ID)
	}
	if len(list) == 0 { // it was told before a crash
		list = b.urgent(b.q(), nil)
	}
	var why []string
	for _, it := range list {
		why = append(why, fmt.Sprintf("%s (%s) %s", it.ID, it.Priority, it.Title))
	}
	return "there is urgent work: " + strings.Join(why, "; "), b.mark("pause_marked")
}
