package turnstile

import (
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/proc"
)

// ParkIfOutOfTime parks a drive whose session or phase has lasted longer than it may: an agent that
// fires no event would never be held to it. It tells why; nothing: time is left.
func (d *Drive) ParkIfOutOfTime() (reasons []string, to drivestate.Phase, err error) {
	cfg, err := d.Project.Settings()
	if err != nil {
		return nil, "", err
	}
	_, err = d.doc.update(func(tx *durable.Tx[drivestate.State]) error {
		s, from := tx.Doc, tx.Doc.Phase
		d.doc.fold(tx)
		if drivestate.EngineAt(s) {
			return durable.ErrUnchanged // its engine looks at the clock itself
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

// Sleep is the account of the time that no budget is charged for: the drive's engine was
// asleep, or waited for a person.
type Sleep struct {
	doc   *document
	meter *proc.SleepMeter // nil: another process drives
	tell  func(notes []string)
}

// LeaveOut has time asleep charged to no budget from now on. It is for the engine
// that drives: two that count would count twice. Tell gets notes for people.
func (s *Sleep) LeaveOut(m *proc.SleepMeter, tell func(notes []string)) { s.meter, s.tell = m, tell }

// CountWait charges time to no budget, in which a person was waited for.
func (s *Sleep) CountWait(took time.Duration) error {
	_, err := s.doc.change("waited", func(st *drivestate.State) error { st.AddWaited(took, s.doc.project.env.Now()); return nil })
	return err
}

// Park notes that the drive is left to a person.
func (s *Sleep) Park() error {
	_, err := s.doc.change("parked", func(st *drivestate.State) error { st.Park(s.doc.project.env.Now()); return nil })
	return err
}

// Unpark charges no budget for the time since.
func (s *Sleep) Unpark() error {
	_, err := s.doc.change("waited", func(st *drivestate.State) error { st.Unpark(s.doc.project.env.Now()); return nil })
	return err
}

// CountAbsence charges no budget for the time since the engine's last sign of life, where it was
// killed. A clock that was set back since then leaves nothing out.
func (s *Sleep) CountAbsence(last time.Time) error {
	_, err := s.doc.change("waited", func(st *drivestate.State) error {
		now := s.doc.project.env.Now()
		st.AddAsleep(max(0, now.Sub(last)), now)
		return nil
	})
	return err
}

// Count leaves out what was slept since the last call, and says so.
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
