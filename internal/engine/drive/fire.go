package drive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/turnstile"
)

// fireEvent lets the turnstile decide about an event. A gate that refuses it sends
// the drive back to where it can be mended, at the price of a retry.
func (e *Engine) fireEvent(ctx context.Context, s *drive.State, m move) (bool, error) {
	if n := e.ledger.tokens(); n > 0 {
		m.data.Tokens = &n
	}
	text, err := json.Marshal(m.data)
	if err != nil {
		return false, err
	}
	instead := drive.Event("")
	if m.on == drive.TestsPassed {
		instead = drive.TestsFailed
	}
	res, err := e.Drive.FireOr(ctx, m.on, instead, string(text), m.gates...)
	e.ledger.warn(res.Notes)
	e.keepGates(s, res.Gates)
	var refused *turnstile.GateError
	switch {
	case errors.As(err, &refused) && refused.Broken():
		return e.parkDrive(s, untried(refused))
	case errors.As(err, &refused):
		e.ledger.passPoint("refused " + string(m.on))
		e.tellMove(res)
		switch {
		case instead != "":
			return true, e.countSpent(ctx, res.State, instead)
		case m.on == drive.CodeComplete || res.Tripped():
			return true, nil
		}
		return e.parkDrive(s, needsPerson("mend it, then warp resume", "%s", refused.Error())) // no agent is asked here
	case err != nil:
		return e.handleRefused(ctx, s, err)
	}
	e.tellMove(res)
	e.ledger.passPoint(string(m.on))
	return true, e.countSpent(ctx, res.State, m.on)
}

// untried says why a gate could not be tried.
func untried(g *turnstile.GateError) error {
	if cause := g.Unwrap(); cause != nil {
		return cause
	}
	return needsPerson("mend it, then warp resume", "the gate %q could not be run: %s", g.Result.Gate, g.Result.Reason)
}

// countSpent has what was spent written down, and parks the drive when a budget is
// used up.
func (e *Engine) countSpent(ctx context.Context, s *drive.State, on drive.Event) error {
	if e.Counted == nil || s == nil {
		return nil
	}
	warnings, stop, err := e.Counted(ctx, s, on)
	if err != nil {
		e.ledger.remark("what was spent could not be written down: %v", err)
	}
	e.ledger.warn(warnings)
	if stop == "" || !s.Phase.Trips() {
		return nil
	}
	if _, err := e.Drive.ExceedBudget(drive.CostExceeded); err != nil {
		return err
	}
	e.runner.overspent = stop
	return nil
}

// handleRefused is an event that the turnstile did not take.
func (e *Engine) handleRefused(ctx context.Context, s *drive.State, err error) (bool, error) {
	var paused *drive.PausedError
	var frozen *drive.FrozenError
	switch {
	case errors.Is(err, context.Canceled):
		return false, err
	case errors.As(err, &paused):
		return true, nil // the next step waits
	case errors.As(err, &frozen) && !frozen.State && e.movedByOthers(ctx, frozen.Moves):
		return true, nil
	case errors.As(err, &frozen):
		return e.parkDrive(s, needsPerson("look at it, then warp override --reason \"…\" and warp resume", "%s", frozen.Error()))
	}
	if now, e2 := e.Drive.Read(); e2 == nil && now.State.Moves() != s.Moves() {
		return true, nil // somebody moved it meanwhile, warp stop for one
	}
	return e.parkDrive(s, err)
}

// movedByOthers tells whether branches moved because another drive of this repository
// merged into them: that it holds the lease on merging is waited for, so that
// it has said so in this drive's journal.
func (e *Engine) movedByOthers(ctx context.Context, moves []drive.Move) bool {
	free, err := e.runner.lander.Merging(ctx)
	if err != nil {
		return false
	}
	defer free()
	v, err := e.Drive.Read()
	if err != nil {
		return false
	}
	for _, m := range moves {
		told := v.State.Watch[m.Branch].Tip
		if told == m.New {
			continue
		}
		// A third may have merged since: then the branch is where that one has put it.
		now, err := e.Work.Repo().Ref("refs/heads/" + m.Branch)
		if err != nil || now != told {
			return false
		}
		if above, err := e.Work.Repo().Descends(told, m.New); err != nil || !above {
			return false
		}
	}
	return true
}

// tellMove tells people about a transition.
func (e *Engine) tellMove(res turnstile.Result) {
	if res.State == nil {
		return
	}
	e.ledger.tell(Note{Kind: Phased, From: res.From, Phase: res.To, Event: res.Event, Chunk: res.State.Chunk.Index, Total: res.State.Chunk.Total,
		Commits: res.State.Metrics.Commits, Chunks: res.State.Metrics.ChunksCompleted})
	for _, w := range res.Warnings {
		e.ledger.remark("a budget is outrun, as the settings allow: %s", w)
	}
	if res.Tripped() {
		e.ledger.remark("budget exceeded in %s: %v", res.From, res.Reasons)
	}
}

// keepGates tells people what the gates said, and keeps it where it outlives a work
// tree of the drive's own.
func (e *Engine) keepGates(s *drive.State, list []turnstile.GateResult) {
	var rows []any
	for _, g := range list {
		passed := g.Passed
		text := g.Gate
		if g.Reason != "" {
			text += ": " + g.Reason
		}
		e.ledger.tell(Note{Kind: Gated, Event: g.Event, Text: text, Passed: &passed})
		g.Excerpt = e.Redact(g.Excerpt)
		rows = append(rows, g)
	}
	if e.ledger.home().Dir() != e.Drive.Store().Dir() {
		e.ledger.keepRows(s, event.Gate, rows...)
	} else {
		e.ledger.remember(s, event.Gate, rows...) // the turnstile has journalled it
	}
}

// waitForContinue waits for the person who paused the drive.
func (e *Engine) waitForContinue(ctx context.Context, s *drive.State) error {
	e.ledger.tell(Note{Kind: Waiting, Text: "paused since " + s.Paused.At + "; warp continue goes on", Until: e.Now().Add(time.Hour)})
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		v, err := e.Drive.Read()
		if err != nil {
			return err
		}
		if v.State.Paused == nil {
			e.ledger.tell(Note{Kind: Waiting})
			return nil
		}
	}
}

func (e *ledger) tell(n Note) {
	if e.Tell == nil {
		return
	}
	n.At = e.Now()
	if e.issue != nil {
		n.Issue, n.Title, n.Branch = e.issue.id, e.issue.Title, e.issue.branch
	}
	n.Tokens, n.MicroUSD = e.runner.spent.Tokens()+e.runner.running.Tokens(), e.runner.spent.MicroUSD+e.runner.running.MicroUSD
	if !e.runner.until.IsZero() {
		n.Left = max(0, e.runner.until.Sub(n.At))
	}
	e.Tell(n)
}

func (e *ledger) remark(format string, args ...any) {
	e.tell(Note{Kind: Remark, Text: fmt.Sprintf(format, args...)})
}

func (e *ledger) warn(notes []string) {
	for _, n := range notes {
		e.remark("%s", n)
	}
}

func (e *ledger) passPoint(point string) {
	if e.Passed != nil {
		e.Passed(point)
	}
}
