package drive

import (
	"context"
	"encoding/json"
	"errors"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/turnstile"
)

// fireEvent fires an event in the turnstile. A gate that refuses sends the drive back to where it
// can be fixed, at the price of a retry.
func fireEvent(ctx context.Context, t *turn, m move) (bool, error) {
	if n := t.spent.Tokens(); n > 0 {
		m.data.Tokens = &n
	}
	text, err := json.Marshal(m.data)
	if err != nil {
		return false, err
	}
	instead := drivestate.Event("")
	if m.on == drivestate.TestsPassed {
		instead = drivestate.TestsFailed
	}
	res, err := t.Drive.FireOr(ctx, m.on, instead, string(text), m.gates...)
	t.warn(res.Notes)
	t.keepGates(res.Gates)
	var refused *turnstile.GateError
	sentBack := new(takeBackError)
	switch {
	case errors.As(err, &sentBack):
		return true, nil // coding continues, and no retry is counted
	case errors.As(err, &refused) && refused.Broken():
		return t.parkDrive(ctx, t.s, explainBrokenGate(refused))
	case errors.As(err, &refused):
		t.pass("refused " + string(m.on))
		t.tellMove(res)
		switch {
		case instead != "":
			return true, countSpent(ctx, t.Engine, res.State, instead)
		case m.on == drivestate.CodeComplete || res.Tripped():
			return true, nil
		}
		return t.parkDrive(ctx, t.s, needsPerson("fix it, then warp resume", "%s", refused.Error())) // no agent is asked here
	case err != nil:
		return handleRefused(ctx, t, err)
	}
	t.tellMove(res)
	t.pass(string(m.on))
	return true, countSpent(ctx, t.Engine, res.State, m.on)
}

// explainBrokenGate returns why a gate could not be run.
func explainBrokenGate(g *turnstile.GateError) error {
	if cause := g.Unwrap(); cause != nil {
		return cause
	}
	return needsPerson("fix it, then warp resume", "the gate %q could not be run: %s", g.Result.Gate, g.Result.Reason)
}

// countSpent records the spending, and trips the drive's budget if one is used up.
func countSpent(ctx context.Context, e *Engine, s *drivestate.State, on drivestate.Event) error {
	if e.Counted == nil || s == nil {
		return nil
	}
	warnings, stop, err := e.Counted(ctx, s, on)
	if err != nil {
		e.remark("recording what was spent: %v", err)
	}
	e.warn(warnings)
	if stop == "" || !s.Phase.Trips() {
		return nil
	}
	_, err = e.Drive.ExceedBudget(noteOverspent(e, stop))
	return err
}

// handleRefused handles an event that the turnstile refused.
func handleRefused(ctx context.Context, t *turn, err error) (bool, error) {
	var paused *drivestate.PausedError
	var frozen *drivestate.FrozenError
	switch {
	case errors.Is(err, context.Canceled):
		return false, err
	case errors.As(err, &paused):
		return true, nil // the next step waits
	case errors.As(err, &frozen) && !frozen.State && movedByOthers(ctx, t, frozen.Moves):
		return true, nil
	case errors.As(err, &frozen):
		return t.parkDrive(ctx, t.s, needsPerson("check it, then warp override --reason \"…\" and warp resume", "%s", frozen.Error()))
	}
	if now, e2 := t.Drive.Read(); e2 == nil && now.State.Moves() != t.s.Moves() {
		return true, nil // moved meanwhile, for example by warp stop
	}
	return t.parkDrive(ctx, t.s, err)
}

// movedByOthers reports whether branches moved because other drives of this repository merged into
// them. It takes the merge lease first, so that those drives have recorded the move in this drive's
// journal.
func movedByOthers(ctx context.Context, t *turn, moves []drivestate.Move) bool {
	free, err := t.lander.TakeMergeLease(ctx)
	if err != nil {
		return false
	}
	defer free()
	v, err := t.Drive.Read()
	if err != nil {
		return false
	}
	for _, m := range moves {
		told := v.State.Watch[m.Branch].Tip
		if told == m.New {
			continue
		}
		// A third drive may have merged since: then the branch is where that one put it.
		now, err := t.repo().Ref("refs/heads/" + m.Branch)
		if err != nil || now != told {
			return false
		}
		if above, err := t.repo().Descends(told, m.New); err != nil || !above {
			return false
		}
	}
	return true
}

func (e *Engine) tellMove(res turnstile.Result) {
	if res.State == nil {
		return
	}
	e.tell(Note{Kind: Phased, Move: Move{res.From, res.To, res.Event, res.State.Chunk.Index, res.State.Chunk.Total},
		Made: Made{res.State.Metrics.Commits, res.State.Metrics.ChunksCompleted}})
	for _, w := range res.Warnings {
		e.remark("over budget, as the settings allow: %s", w)
	}
}

// keepGates tells people the gates' results, and records them.
func (t *turn) keepGates(list []turnstile.GateResult) {
	var rows []any
	for _, g := range list {
		tellGate(t.ledger, g.Event, g.Gate, g.Reason, g.Passed)
		g.Excerpt = t.Redact(g.Excerpt)
		rows = append(rows, g)
	}
	t.mirrorEvidence(t.s, event.Gate, rows...)
}

func tellGate(l *ledger, on drivestate.Event, gate, reason string, passed bool) {
	if reason != "" {
		gate += ": " + reason
	}
	l.tell(Note{Kind: Gated, Move: Move{Event: on}, Text: gate, Passed: &passed})
}
