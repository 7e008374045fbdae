package turnstile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"warp/internal/core/config"
	"warp/internal/core/drivestate"
	"warp/internal/durable"
)

// Result is the outcome of an event.
type Result struct {
	drivestate.Outcome
	State *drivestate.State
	Gates []GateResult // results up to the first gate that refused
	Notes []string     // advice and repairs
}

// DataError means that the data of an event was refused.
type DataError struct{ Err error }

func (e *DataError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *DataError) Unwrap() error { return e.Err }

// Fire applies one event to the drive. The data is JSON, "" for none. An event that the table does
// not allow changes nothing. If a gate fails, the error is a *GateError and one retry was counted.
// If a budget trips, the result says so and the drive waits in budget_exceeded. An engine passes
// its own gates in more.
func (d *Drive) Fire(ctx context.Context, on drivestate.Event, data string, more ...Gate) (Result, error) {
	return d.FireOr(ctx, on, "", data, more...)
}

// FireOr is Fire, except that a failed gate fires the event instead. The *GateError then comes with
// the result of that event, which is counted as usual.
func (d *Drive) FireOr(ctx context.Context, on, instead drivestate.Event, data string, more ...Gate) (Result, error) {
	cfg, err := d.Project.Settings()
	if err != nil && slices.Contains(brakes, on) {
		cfg = config.Settings{Workflow: config.Default(), Warnings: []string{err.Error()}}
	} else if err != nil {
		return Result{}, fmt.Errorf("the settings must be fixed first, nothing was changed: %w", err)
	}
	st := drivestate.Step{Event: on, Limits: cfg.Limits, Targets: cfg.Targets()}
	if d.Project.env.inputs != nil {
		st.Sign = d.Project.env.inputs.sign
	}
	if data != "" {
		if st.Data, err = drivestate.ParseData(data, on, cfg.Limits); err != nil {
			return Result{}, &DataError{err}
		}
	}
	gates, err := d.runGates(ctx, cfg, on, more)
	if err != nil {
		return Result{Notes: gates.seen.Notes}, err
	}
	failed := gates.failure()
	if failed != nil && failed.Result.Untried {
		return Result{Gates: gates.results, Notes: gates.seen.Notes}, failed // not the agent's failure: it costs no retry
	}
	switch {
	case failed == nil:
	case instead != "":
		st.Event, st.Data.Failure = instead, failed.signature()
	default:
		st.Blocked, st.Cycle = failed.signature(), failed.Result.cycle
	}
	st.Tree = gates.tree
	for _, g := range more {
		if g.Tested != nil {
			st.Tested = *g.Tested
		}
	}
	if st.Tree == "" && needsTree(st) && d.Project.env.inputs != nil {
		if st.Tree, err = d.Project.env.inputs.fingerprint(&d.Tree); err != nil {
			cfg.Warnings = append(cfg.Warnings, fmt.Sprintf("the work tree was not recorded, so the last commit is used instead: %v", err))
		}
	}
	res, err := d.apply(st, gates, failed, cfg)
	res.Gates = gates.results
	return res, err
}

// Verify runs the gates of an event and changes nothing. An engine passes its own gates in more.
func (d *Drive) Verify(ctx context.Context, on drivestate.Event, more ...Gate) ([]GateResult, error) {
	cfg, err := d.Project.Settings()
	if err != nil {
		return nil, err
	}
	now, err := d.Read()
	if err != nil {
		return nil, err
	}
	run, err := d.gates.run(ctx, now, cfg, on, more)
	if err != nil {
		return nil, err
	}
	if failed := run.failure(); failed != nil {
		return run.results, failed
	}
	return run.results, nil
}

// runGates runs the gates of an event if it has any and is allowed. Gates can take minutes, so they
// run on a state that was read without holding the lock.
func (d *Drive) runGates(ctx context.Context, cfg config.Settings, on drivestate.Event, more []Gate) (gateRun, error) {
	if drivestate.Semantic.Get(on) == "" && len(cfg.Gates[on]) == 0 && len(more) == 0 {
		return gateRun{event: on}, nil
	}
	now, err := d.Read()
	if err != nil {
		return gateRun{}, err
	}
	if _, err := now.State.Check(on); err != nil {
		return gateRun{seen: now}, err
	}
	if err := d.Watch.refuseMoved(now, on); err != nil {
		return gateRun{seen: now}, err
	}
	return d.gates.run(ctx, now, cfg, on, more)
}

// brakes are events that work even with broken settings: no gate can guard them.
var brakes = []drivestate.Event{drivestate.Abort, drivestate.BudgetAbort}

// needsTree reports whether the event depends on the work tree's fingerprint.
func needsTree(st drivestate.Step) bool {
	return st.Blocked != "" || st.Data.Failure != "" || slices.Contains([]drivestate.Event{drivestate.ChunksDefined, drivestate.NextChunk}, st.Event)
}

func (d *Drive) apply(st drivestate.Step, gates gateRun, failed *GateError, cfg config.Settings) (Result, error) {
	if err := d.Sleep.Count(); err != nil { // during the gates
		return Result{}, err
	}
	res := Result{Notes: slices.Clone(cfg.Warnings)}
	var frozen *drivestate.FrozenError
	notes, err := d.doc.update(func(tx *durable.Tx[drivestate.State]) error {
		if was := gates.seen.State; was != nil && tx.Doc.Moves() != was.Moves() {
			return fmt.Errorf("the drive moved from %s to %s while the gates of %s ran; nothing was changed, check the phase and try again", was.Phase, tx.Doc.Phase, st.Event)
		}
		st.Now = d.Project.env.Now()
		tx.Doc.Fold(tx.Since, st.Limits)
		if frozen = d.Watch.fillStep(View{State: tx.Doc, Foreign: tx.Foreign}, &st); frozen != nil {
			return durable.ErrUnchanged
		}
		if err := checkClaims(&d.Project, tx.Doc, st); err != nil {
			return err
		}
		out, err := tx.Doc.Apply(st)
		if err != nil {
			return err
		}
		res.Outcome, res.State = out, tx.Doc
		tx.Log("transition", logged{out.Event, out.From, out.To, out.Reasons, st.Data.Failure != "" || failed != nil})
		return nil
	})
	res.Notes = append(append(gates.seen.Notes, res.Notes...), notes...)
	if frozen != nil {
		return Result{Notes: res.Notes}, errors.Join(frozen, d.Watch.freeze(frozen.Freeze))
	}
	if err != nil {
		return Result{Notes: res.Notes}, err
	}
	switch {
	case !res.State.Phase.Active():
		unregisterDrive(d.Root())
	case st.Event == drivestate.Start:
		registerDrive(d.Root(), res.State.Session.ClaudeSession)
	}
	res.Notes = append(res.Notes, advice(res, st.Limits)...)
	if failed != nil {
		return res, failed
	}
	return res, nil
}

// logged is what the journal row of a transition holds besides the change itself.
type logged struct {
	Event   drivestate.Event `json:"event"`
	From    drivestate.Phase `json:"from"`
	To      drivestate.Phase `json:"to"`
	Reasons []string         `json:"reasons,omitempty"`
	Failed  bool             `json:"failed,omitempty"`
}

// advice returns notes on what is unusual about an allowed transition.
func advice(r Result, l drivestate.Limits) (notes []string) {
	for _, w := range r.Warnings {
		notes = append(notes, fmt.Sprintf("%s: phase %s lasted longer than max_phase_minutes (%d)", w, r.From, l.PhaseMinutes))
	}
	c := r.State.Chunk
	switch {
	case r.To == drivestate.RequirementComplete && c.Index < c.Total:
		notes = append(notes, fmt.Sprintf("the requirement is reported done after chunk %d of %d", c.Index, c.Total))
	case r.Event == drivestate.NextChunk && c.Total > len(c.ACs) && len(c.ACs) > 0:
		notes = append(notes, fmt.Sprintf("chunk %d is past the %d chunks that were defined", c.Index, len(c.ACs)))
	}
	return notes
}

// Reset deletes the state; the journal keeps its rows.
func (d *Drive) Reset() ([]string, error) {
	if !d.Store().Exists() {
		return nil, &durable.MissingError{Path: d.doc.file.Path()}
	}
	notes, err := d.doc.file.Remove()
	if err == nil {
		unregisterDrive(d.Root())
		err = d.Ownership.remove()
	}
	return notes, err
}

// Permit reports whether an operation is allowed now.
func (d *Drive) Permit(operation, branch string) (drivestate.Permission, error) {
	if _, err := (drivestate.Guards{}).Permit(operation, branch); err != nil {
		return drivestate.Permission{}, &DataError{err}
	}
	v, err := d.Read()
	if durable.IsMissing(err) {
		return drivestate.Permission{Allowed: true, Reason: "there is no session here, so nothing is guarded"}, nil
	}
	if err != nil {
		return drivestate.Permission{}, err
	}
	return v.State.Guards().Permit(operation, branch)
}
