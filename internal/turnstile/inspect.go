package turnstile

import (
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
)

// Inspection is what InspectBranches found.
type Inspection struct {
	Moved  []drivestate.Move  // since a guard looked last, as the phase allows
	Frozen *drivestate.Freeze // why the drive is frozen; nil: it is not
	Tips   map[string]string  // where the branches are
}

// InspectBranches compares the guarded branches with where a drive that was just read saw
// them last. Moves that the phase allows are journalled; one that it does not,
// and a state that something else wrote, freeze the drive. A freeze whose
// branches are back ends. Nothing is written where nothing has changed.
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
	case (cause.State || len(cause.Moves) > 0) && s.Session.Headless: // its engine puts branches and state back itself
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

// IsTampered tells whether something else than warp wrote the state of a drive
// that an agent owns. Without an agent a person may: the file is theirs.
func (w *Watch) IsTampered(v View) bool { return w.doc.isTampered(v.State, v.Foreign) }

// splitDropped sorts out moves of the branch that is merged into which would drop what
// was there when the phase began: a merge only adds.
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
		rows[i] = struct {
			Ref string `json:"ref"`
			Old string `json:"old"`
			New string `json:"new"`
			By  string `json:"by"`
		}{m.Branch, m.Old, m.New, by}
	}
	return w.project.store.Append(event.Ref, rows...)
}
