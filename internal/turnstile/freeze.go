package turnstile

import (
	"errors"
	"slices"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/durable"
)

// refuseMoved refuses an event before its gates run, which can take minutes.
func (w *Watch) refuseMoved(v View, on drivestate.Event) error {
	if slices.Contains(brakes, on) {
		return nil
	}
	_, unseen := w.compareTips(v.State, w.readBranches(v.State).tips)
	f := drivestate.Freeze{Moves: unseen, State: w.IsTampered(v)}
	if !f.State && len(f.Moves) == 0 {
		return nil
	}
	return errors.Join(&drivestate.FrozenError{Phase: v.State.Phase, Freeze: f}, w.freeze(f))
}

// fillStep adds the current branches to the step. A branch that moved against the phase's rules
// blocks every event but the brakes.
func (w *Watch) fillStep(v View, st *drivestate.Step) *drivestate.FrozenError {
	s := v.State
	f := w.readBranches(s, st.Data.Branch)
	st.Head, st.Tips = f.head, f.tips
	if !slices.Contains(brakes, st.Event) {
		_, unseen := w.compareTips(s, f.tips)
		if found := (drivestate.Freeze{Moves: unseen, State: w.IsTampered(v)}); found.State || len(unseen) > 0 {
			return &drivestate.FrozenError{Phase: s.Phase, Freeze: found}
		}
	}
	st.Commits = w.listPhaseHashes(s, f)
	return nil
}

// freeze freezes the phase, once per reason.
func (w *Watch) freeze(f drivestate.Freeze) error {
	_, err := w.doc.update(func(tx *durable.Tx[drivestate.State]) error {
		if tx.Doc.Frozen.Same(f) && !tx.Foreign {
			return durable.ErrUnchanged
		}
		w.doc.fold(tx)
		f.At = drivestate.Stamp(w.project.env.Now())
		tx.Doc.Frozen = &f
		tx.Log("frozen", f)
		return nil
	})
	return err
}

// Override lets a person move the guarded branches for a while, and accepts where they are now.
func (w *Watch) Override(reason string, window time.Duration) (*drivestate.State, error) {
	var after *drivestate.State
	_, err := w.doc.update(func(tx *durable.Tx[drivestate.State]) error {
		s, now := tx.Doc, w.project.env.Now()
		w.doc.fold(tx)
		s.Override = &drivestate.Override{Reason: reason, At: drivestate.Stamp(now), Until: drivestate.Stamp(now.Add(window))}
		f := w.readBranches(s)
		for _, hash := range w.listPhaseHashes(s, f) {
			s.Committed(hash)
		}
		s.Accept(f.tips)
		tx.Log("override", s.Override)
		after = s
		return nil
	})
	if err == nil && !after.Phase.Active() { // a person accepts that the drive is over
		unregisterDrive(w.project.root)
	}
	return after, err
}
