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
	Moved  []drive.Move // since a guard looked last, as the phase allows
	Frozen []drive.Move // and as it does not
}

// Look compares the guarded branches with where a drive that was just read saw
// them last. Moves that the phase allows are journalled; one that it does not
// freezes the drive. Nothing is written where nothing moved.
func (d *Drive) Look(s *drive.State) (Sight, error) {
	if !s.Phase.Active() {
		return Sight{}, nil
	}
	allowed, unseen := s.Moved(d.refs(s).tips, d.env.Now())
	sight := Sight{allowed, unseen}
	if len(allowed) > 0 {
		if err := d.Saw("tool call", allowed...); err != nil {
			return sight, err
		}
	}
	if len(unseen) > 0 {
		return sight, d.freeze(unseen)
	}
	return sight, nil
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

// freeze holds the phase, once for the same moves.
func (d *Drive) freeze(moves []drive.Move) error {
	_, err := d.update(func(tx *durable.Tx[drive.State]) error {
		if f := tx.Doc.Frozen; f != nil && slices.Equal(f.Moves, moves) {
			return errUnchanged
		}
		cfg, _ := d.Settings() // only the doom-loop threshold is wanted
		tx.Doc.Fold(tx.Since, cfg.Limits)
		tx.Doc.FreezeFor(moves, d.env.Now())
		tx.Log("frozen", moves)
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
