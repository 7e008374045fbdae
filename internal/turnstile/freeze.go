package turnstile

import (
	"errors"
	"slices"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
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

// Inspection is the result of InspectBranches.
type Inspection struct {
	Moved  []drivestate.Move  // allowed moves since the last check
	Frozen *drivestate.Freeze // why the drive is frozen; nil if it is not
	Tips   map[string]string  // the branches' current commits
}

// InspectBranches compares the guarded branches with where the drive last saw them. It journals
// moves that the phase allows. Other moves, or a state that something else wrote, freeze the drive.
// A freeze ends when its branches are back. If nothing changed, it writes nothing.
func (w *Watch) InspectBranches(v View) (Inspection, error) {
	s := v.State
	if !s.Phase.Active() {
		return Inspection{}, nil
	}
	tips := w.readBranches(s).tips
	allowed, unseen := w.compareTips(s, tips)
	allowed, dropped := w.splitDropped(s, allowed)
	cause := drivestate.Freeze{Moves: append(unseen, dropped...), State: w.IsTampered(v)}
	seen := Inspection{Moved: allowed, Tips: tips}
	if len(allowed) > 0 {
		if err := w.RecordMoves("tool call", allowed...); err != nil {
			return seen, err
		}
	}
	switch {
	case (cause.State || len(cause.Moves) > 0) && s.Session.Headless: // the engine restores branches and state itself
		seen.Frozen = &cause
	case cause.State || len(cause.Moves) > 0:
		seen.Frozen = &cause
		return seen, w.freeze(cause)
	case s.Frozen.EndsByPerson():
		seen.Frozen = s.Frozen
	case s.Frozen != nil:
		return seen, w.doc.note("thawed", func(s *drivestate.State, _ time.Time) { s.Frozen = nil })
	}
	return seen, nil
}

// IsTampered reports whether something other than warp wrote the state of a drive that an agent
// owns. Without an agent, a person may edit the file.
func (w *Watch) IsTampered(v View) bool { return w.doc.isTampered(v.State, v.Foreign) }

// splitDropped separates moves of the target branch that would drop commits it had when the phase
// began: a merge only adds.
func (w *Watch) splitDropped(s *drivestate.State, moves []drivestate.Move) (kept, dropped []drivestate.Move) {
	for _, m := range moves {
		was := s.Watch[m.Branch].PhaseTip
		if m.Branch == s.BranchName() || was == "" || s.Override.InForce(w.project.env.Now()) {
			kept = append(kept, m)
			continue
		}
		repo, err := w.project.openRepo()
		if err == nil {
			var ok bool
			if ok, err = repo.Descends(m.New, was); err == nil && ok {
				kept = append(kept, m)
				continue
			}
		}
		dropped = append(dropped, m)
	}
	return kept, dropped
}

// RecordMoves journals moves that a guard saw.
func (w *Watch) RecordMoves(by string, moves ...drivestate.Move) error {
	rows := make([]any, len(moves))
	for i, m := range moves {
		rows[i] = lossless.Record("ref", m.Branch, "old", m.Old, "new", m.New, "by", by)
	}
	return w.project.store.Append(event.Ref, rows...)
}
