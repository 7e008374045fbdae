package turnstile

import (
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

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
	_, err := s.doc.change("waited", func(st *drivestate.State) error { st.AddWaited(took, s.doc.project.env.Now()); return nil })
	return err
}

// Park records that the drive is left to a person.
func (s *Sleep) Park() error {
	_, err := s.doc.change("parked", func(st *drivestate.State) error { st.Park(s.doc.project.env.Now()); return nil })
	return err
}

// Unpark excludes the time since Park from all budgets.
func (s *Sleep) Unpark() error {
	_, err := s.doc.change("waited", func(st *drivestate.State) error { st.Unpark(s.doc.project.env.Now()); return nil })
	return err
}

// CountAbsence excludes the time since a killed engine's last heartbeat from all budgets. If the
// clock was set back since, it excludes nothing.
func (s *Sleep) CountAbsence(last time.Time) error {
	_, err := s.doc.change("waited", func(st *drivestate.State) error {
		now := s.doc.project.env.Now()
		st.AddAsleep(max(0, now.Sub(last)), now)
		return nil
	})
	return err
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
