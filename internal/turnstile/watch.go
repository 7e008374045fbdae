package turnstile

import (
	"errors"
	"slices"
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// refFacts are the branches of a repository as they are now.
type refFacts struct {
	head string
	tips map[string]string // nil: there is no repository
}

// refs reads the guarded branches, the one that is checked out and any others
// that are wanted. A branch that cannot be read is left out: it is not known.
func (d *Drive) refs(s *drive.State, more ...string) refFacts {
	place, ok := git.Locate(d.root)
	if !ok {
		return refFacts{}
	}
	head, err := place.Checked()
	if err != nil {
		return refFacts{}
	}
	f := refFacts{head, map[string]string{}}
	for _, b := range slices.Concat(s.Guarded(), []string{head}, more) {
		if b == "" {
			continue
		}
		if tip, err := place.Tip(b); err == nil {
			f.tips[b] = tip
		}
	}
	return f
}

// commits lists what the phase has added to the drive's branch, where it
// allows any: not what came from the branch that it is merged into.
func (d *Drive) commits(s *drive.State, f refFacts) []string {
	list, err := d.Made(s, f.tips)
	if err != nil {
		return nil // the caller's word has to do
	}
	hashes := make([]string, len(list))
	for i, c := range list {
		hashes[i] = c.Hash
	}
	return hashes
}

// Made lists the commits on the drive's branch since the phase began, the
// oldest first. Tips nil: they are read.
func (d *Drive) Made(s *drive.State, tips map[string]string) ([]git.Commit, error) {
	if tips == nil {
		tips = d.refs(s).tips
	}
	branch := s.BranchName()
	was, watched := s.Watch[branch]
	tip := tips[branch]
	if !watched || tip == "" || tip == was.PhaseTip || !s.MayMove(branch, d.env.Now()).Allowed {
		return nil, nil
	}
	repo, err := d.repo()
	if err != nil {
		return nil, err
	}
	return repo.Commits(tip, was.PhaseTip, tips[s.MergeTarget])
}

// Sight is what a look at the guarded branches found.
type Sight struct {
	Moved  []drive.Move  // since a guard looked last, as the phase allows
	Frozen *drive.Freeze // why the drive is frozen; nil: it is not
}

// Look compares the guarded branches with where a drive that was just read saw
// them last. Moves that the phase allows are journalled; one that it does not,
// and a state that something else wrote, freeze the drive. A freeze whose
// branches are back ends. Nothing is written where nothing has changed.
func (d *Drive) Look(v View) (Sight, error) {
	s := v.State
	if !s.Phase.Active() {
		return Sight{}, nil
	}
	now := d.env.Now()
	allowed, unseen := s.Moved(d.refs(s).tips, now)
	allowed, dropped := d.kept(s, allowed)
	found := drive.Freeze{Moves: append(unseen, dropped...), State: d.tampered(v)}
	sight := Sight{Moved: allowed}
	if len(allowed) > 0 {
		if err := d.Saw("tool call", allowed...); err != nil {
			return sight, err
		}
	}
	switch {
	case found.State || len(found.Moves) > 0:
		sight.Frozen = &found
		return sight, d.freeze(found)
	case s.Frozen != nil && s.Frozen.State:
		sight.Frozen = s.Frozen
	case s.Frozen != nil:
		_, err := d.change("thawed", func(s *drive.State) error { s.Frozen = nil; return nil })
		return sight, err
	}
	return sight, nil
}

// tampered tells whether something else than warp wrote the state of a drive
// that an agent owns. Without an agent a person may: the file is theirs.
func (d *Drive) tampered(v View) bool {
	return v.Foreign && v.State.Session.ClaudeSession != "" && !v.State.Overridden(d.env.Now())
}

// kept sorts out moves of the branch that is merged into which would drop what
// was there when the phase began: a merge only adds.
func (d *Drive) kept(s *drive.State, moves []drive.Move) (kept, dropped []drive.Move) {
	for _, m := range moves {
		was := s.Watch[m.Branch].PhaseTip
		if m.Branch == s.BranchName() || was == "" || s.Overridden(d.env.Now()) {
			kept = append(kept, m)
			continue
		}
		repo, err := d.repo()
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

// Saw journals moves that a guard saw.
func (d *Drive) Saw(by string, moves ...drive.Move) error {
	rows := make([]any, len(moves))
	for i, m := range moves {
		rows[i] = struct {
			Ref string `json:"ref"`
			Old string `json:"old"`
			New string `json:"new"`
			By  string `json:"by"`
		}{m.Branch, m.Old, m.New, by}
	}
	return d.store.Append(event.Ref, rows...)
}

// freeze holds the phase, once for the same reason.
func (d *Drive) freeze(f drive.Freeze) error {
	_, err := d.update(func(tx *durable.Tx[drive.State]) error {
		if tx.Doc.Frozen.Same(f) {
			return errUnchanged
		}
		cfg, _ := d.Settings() // only the doom-loop threshold is wanted
		tx.Doc.Fold(tx.Since, cfg.Limits)
		f.At = drive.Stamp(d.env.Now())
		tx.Doc.Frozen = &f
		tx.Log("frozen", f)
		return nil
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// Override lets a person move the guarded branches for a while, and accepts
// where they are now.
func (d *Drive) Override(reason string, window time.Duration) (*drive.State, error) {
	var after *drive.State
	_, err := d.update(func(tx *durable.Tx[drive.State]) error {
		s, now := tx.Doc, d.env.Now()
		cfg, _ := d.Settings() // only the doom-loop threshold is wanted
		s.Fold(tx.Since, cfg.Limits)
		s.Override = &drive.Override{Reason: reason, At: drive.Stamp(now), Until: drive.Stamp(now.Add(window))}
		f := d.refs(s)
		for _, hash := range d.commits(s, f) {
			s.Committed(hash)
		}
		s.Accept(f.tips)
		tx.Log("override", s.Override)
		after = s
		return nil
	})
	return after, err
}
