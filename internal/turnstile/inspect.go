package turnstile

import (
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

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
		_, err := w.doc.change("thawed", func(s *drivestate.State) error { s.Frozen = nil; return nil })
		return seen, err
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
