package turnstile

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/drivestate"
	"warp/internal/core/text"
	"warp/internal/durable"
)

// Pause pauses the drive: only an abort moves it.
func (d *Drive) Pause() (View, error) {
	return d.doc.change("pause", func(s *drivestate.State) error {
		switch {
		case s.Paused != nil:
			return fmt.Errorf("the drive is already paused, since %s", text.LocalStamp(s.Paused.At))
		case !s.Phase.Active():
			return fmt.Errorf("there is nothing to pause: the drive is %s", s.Phase)
		}
		s.Pause(d.Project.env.Now())
		return nil
	})
}

// errNothingToContinue means that the drive is not waiting for anyone.
var errNothingToContinue = errors.New("the drive is neither paused nor waiting")

// Continue resumes the drive: it ends a pause, resets a tripped budget, or accepts the next
// requirement, whichever the drive waits for.
func (d *Drive) Continue(ctx context.Context) (Result, error) {
	now, err := d.Read()
	if err != nil {
		return Result{}, err
	}
	switch {
	case now.State.Paused != nil:
		v, err := d.doc.change("continue", func(s *drivestate.State) error {
			if s.Paused == nil {
				return errNothingToContinue
			}
			s.Resume(d.Project.env.Now())
			return nil
		})
		if err != nil {
			return Result{}, err
		}
		return Result{Outcome: drivestate.Outcome{From: v.State.Phase, To: v.State.Phase}, State: v.State, Notes: v.Notes}, nil
	case now.State.Phase == drivestate.BudgetExceeded:
		return d.Fire(ctx, drivestate.BudgetContinue, "")
	case now.State.Phase == drivestate.AwaitingContinue:
		return d.Fire(ctx, drivestate.ContinueYes, "")
	}
	return Result{}, fmt.Errorf("%w: it is in phase %s", errNothingToContinue, now.State.Phase)
}

// SetWaiting records that the drive waits for something that ends without help; a zero time clears
// it. It does nothing without a drive.
func (d *Drive) SetWaiting(until time.Time, why string) error {
	if err := d.Sleep.Count(); err != nil {
		return err
	}
	_, err := d.doc.change("waits", func(s *drivestate.State) error {
		s.Waited(d.Project.env.Now())
		if !until.IsZero() {
			s.Waiting = &drivestate.Waiting{Until: drivestate.Stamp(until), Why: why, Since: drivestate.Stamp(d.Project.env.Now())}
		}
		return nil
	})
	if durable.IsMissing(err) {
		return nil
	}
	return err
}

// SetTerms records how well an engine that resumes a drive contains its agents, and the limits that
// its command line gave.
func (d *Drive) SetTerms(sandbox string, caps budget.Caps) error {
	_, err := d.doc.change("terms", func(s *drivestate.State) error {
		s.Session.Sandbox, s.Session.Caps = sandbox, caps
		return nil
	})
	return err
}

// FoldObservations folds observers' rows into the document, so that the next reader need not.
func (d *Drive) FoldObservations() error {
	_, err := d.doc.change("settled", func(*drivestate.State) error { return nil })
	return err
}
