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
	"warp/internal/sys/proc"
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
	return d.doc.note("terms", func(s *drivestate.State, _ time.Time) { s.Session.Sandbox, s.Session.Caps = sandbox, caps })
}

// FoldObservations folds observers' rows into the document, so that the next reader need not.
func (d *Drive) FoldObservations() error {
	return d.doc.note("settled", func(*drivestate.State, time.Time) {})
}

// ParkIfOutOfTime parks a drive whose session or phase exceeds its time limit, because an agent
// that fires no event would never be stopped. It returns the reasons, none if time is left.
func (d *Drive) ParkIfOutOfTime() (reasons []string, to drivestate.Phase, err error) {
	cfg, err := d.Project.Settings()
	if err != nil {
		return nil, "", err
	}
	_, err = d.doc.update(func(tx *durable.Tx[drivestate.State]) error {
		s, from := tx.Doc, tx.Doc.Phase
		d.doc.fold(tx)
		if drivestate.EngineAt(s) {
			return durable.ErrUnchanged // the engine watches the clock itself
		}
		if reasons = s.OutOfTime(cfg.Limits, d.Project.env.Now()); len(reasons) == 0 {
			return durable.ErrUnchanged
		}
		to = s.Phase
		tx.Log("transition", logged{From: from, To: to, Reasons: reasons})
		return nil
	})
	return reasons, to, err
}

// Sleep keeps account of time that counts against no budget: the engine's machine was asleep, or
// the engine waited for a person.
type Sleep struct {
	doc   *document
	meter *proc.SleepMeter // nil if another process drives
	tell  func(notes []string)
}

// LeaveOut excludes sleep from all budgets from now on. Only the driving engine may call it: two
// would count twice. tell receives notes for people.
func (s *Sleep) LeaveOut(m *proc.SleepMeter, tell func(notes []string)) { s.meter, s.tell = m, tell }

// CountWait excludes time spent waiting for a person from all budgets.
func (s *Sleep) CountWait(took time.Duration) error {
	return s.doc.note("waited", func(st *drivestate.State, now time.Time) { st.AddWaited(took, now) })
}

// Park records that the drive is left to a person.
func (s *Sleep) Park() error { return s.doc.note("parked", (*drivestate.State).Park) }

// Unpark excludes the time since Park from all budgets.
func (s *Sleep) Unpark() error { return s.doc.note("waited", (*drivestate.State).Unpark) }

// CountAbsence excludes the time since a killed engine's last heartbeat from all budgets. If the
// clock was set back since, it excludes nothing.
func (s *Sleep) CountAbsence(last time.Time) error {
	return s.doc.note("waited", func(st *drivestate.State, now time.Time) { st.AddAsleep(max(0, now.Sub(last)), now) })
}

// Count excludes the sleep since the last call, and notes it.
func (s *Sleep) Count() error {
	slept := s.meter.Uncounted().Truncate(time.Second)
	if slept <= 0 {
		return nil
	}
	notes, err := s.doc.update(func(tx *durable.Tx[drivestate.State]) error {
		s.doc.fold(tx)
		tx.Doc.AddAsleep(slept, s.doc.project.env.Now())
		tx.Log("asleep", map[string]int64{"seconds": int64(slept.Seconds())})
		return nil
	})
	if durable.IsMissing(err) {
		return nil
	}
	if err == nil {
		s.meter.Count(slept)
		s.tell(append(notes, text.Asleep(slept)))
	}
	return err
}
