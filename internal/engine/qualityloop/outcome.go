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
		a, answered := b.known.Answers[name]
		if !answered {
			continue
		}
		out.Files = append(out.Files, a.Changed...)
		out.Row.Agent = a.Agent
		out.Spent = out.Spent.Add(a.Usage.Spent())
		out.Row.Changed = out.Row.Changed || len(a.Changed)+len(a.Yours) > 0
		if a.Failed() {
			out.Row.End, out.Row.Summary = string(a.End), a.Why
			return out, nil
		}
	}
	q := b.q()
	for _, it := range q.Items {
		if it.CompletedIteration != nil && *it.CompletedIteration == q.Iteration {
			out.Row.Items = append(out.Row.Items, it.ID)
		}
	}
	failing := q.Facts(0).Failed
	switch { // the session's strategy counts passes, so only a full one is called so
	case q.Loop.Record.Iteration < q.Iteration:
	case len(failing) > 0:
		out.Row.Gates = session.Fail
	case q.Loop.Record.Passes > 0:
		out.Row.Gates = session.Pass
	}
	out.Row.Summary, out.Learnings = b.summary(failing), b.said().Learnings
	if q.Loop.Phase.Final() {
		out.Stop = &session.Decision{Stop: true, Reason: q.Loop.Reason, Why: q.Loop.Why}
	}
	if q.Loop.Phase == workqueue.Paused {
		out.Pause, err = b.pause()
	}
	return out, err
}

func (b *Loop) summary(failing []string) string {
	text := b.said().Summary
	_, assessed := b.known.Answers[scan]
	if _, built := b.known.Answers[build]; assessed && !built {
		text = fmt.Sprintf("Assessed: %d items are open.", b.q().Open())
	}
	if len(failing) > 0 {
		text += " Failing gates: " + strings.Join(failing, ", ") + "."
	}
	return strings.TrimSpace(text)
}

// pause says why a person is to look, and remembers what for: the same items are
// not asked about again as long as they are open.
func (b *Loop) pause() (string, error) {
	open, list := b.q().Urgent(b.PauseOn), b.unseen(b.q())
	if len(list) == 0 { // it was told before a crash
		list = open
	}
	var why []string
	for _, it := range list {
		why = append(why, fmt.Sprintf("%s (%s) %s", it.ID, it.Priority, it.Title))
	}
	b.m.Seen = ids(open)
	return "there is urgent work: " + strings.Join(why, "; "), b.mark("pause_marked")
}
