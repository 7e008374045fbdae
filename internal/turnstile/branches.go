package turnstile

import (
	"slices"

	"warp/internal/core/drivestate"
	"warp/internal/sys/git"
)

// Watch holds the guarded branches of a drive against where it saw them last. It
// may hold the drive where it is, and never moves it.
type Watch struct {
	project *Project
	doc     *document
}

// refFacts are the branches of a repository as they are now.
type refFacts struct {
	head string
	tips map[string]string // nil: there is no repository
}

// readBranches reads the guarded branches, the one that is checked out and any others
// that are wanted. A branch that cannot be read is left out: it is not known.
func (w *Watch) readBranches(s *drivestate.State, more ...string) refFacts {
	place, ok := git.Locate(w.project.root)
	if !ok {
		return refFacts{}
	}
	head, err := place.Checked()
	if err != nil {
		return refFacts{}
	}
	f := refFacts{head, map[string]string{}}
	for _, b := range slices.Concat(s.Guards().Branches(), []string{head}, more) {
		if _, known := f.tips[b]; known || b == "" {
			continue
		}
		if tip, err := place.Tip(b); err == nil {
			f.tips[b] = tip
		}
	}
	return f
}

// listPhaseHashes lists what the phase has added to the drive's branch, where it
// allows any: not what came from the branch that it is merged into.
func (w *Watch) listPhaseHashes(s *drivestate.State, f refFacts) []string {
	list, err := w.ListPhaseCommits(s, f.tips)
	if err != nil {
		return nil // the caller's word has to do
	}
	hashes := make([]string, len(list))
	for i, c := range list {
		hashes[i] = c.Hash
	}
	return hashes
}

// ListPhaseCommits lists the commits on the drive's branch since the phase began, the
// oldest first. Tips nil: they are read.
func (w *Watch) ListPhaseCommits(s *drivestate.State, tips map[string]string) ([]git.Commit, error) {
	if tips == nil {
		tips = w.readBranches(s).tips
	}
	branch := s.BranchName()
	was, watched := s.Watch[branch]
	tip := tips[branch]
	phase := *s
	phase.Frozen = nil // what was committed stays committed
	if !watched || tip == "" || tip == was.PhaseTip || !phase.Guards().MayMove(branch, w.project.env.Now()).Allowed {
		return nil, nil
	}
	repo, err := w.project.openRepo()
	if err != nil {
		return nil, err
	}
	return repo.Commits(tip, was.PhaseTip, tips[s.MergeTarget])
}

// compareTips tells which guarded branches are elsewhere than they were seen last: as the
// phase allows, or as it forbids.
func (w *Watch) compareTips(s *drivestate.State, tips map[string]string) (allowed, unseen []drivestate.Move) {
	phase := *s
	if isOver(s, tips) {
		phase.Frozen = nil
	}
	allowed, moved := phase.Guards().Moved(tips, w.project.env.Now())
	for _, m := range moved {
		if w.CatchesUp(s, m) {
			allowed = append(allowed, m)
		} else {
			unseen = append(unseen, m)
		}
	}
	return allowed, unseen
}

// isOver tells of a freeze whose branches are where they were seen last: put back, or told of
// late by the engine that moved them. It must not forbid what the phase allows, such as the
// commit that the drive has just made (one of three drives merged while another committed).
func isOver(s *drivestate.State, tips map[string]string) bool {
	return s.Frozen != nil && !s.Frozen.EndsByPerson() && !slices.ContainsFunc(s.Frozen.Moves, func(m drivestate.Move) bool {
		tip, known := tips[m.Branch]
		return !known || s.Watch[m.Branch].Tip != tip
	})
}

// CatchesUp tells whether a branch moves on to what a remote has, while no work is chosen:
// so a user begins (git pull --ff-only), and nothing of the agent's gets on it that way.
func (w *Watch) CatchesUp(s *drivestate.State, m drivestate.Move) bool {
	if !s.Phase.BeforeWork() || m.Old == "" || m.New == "" {
		return false
	}
	repo, err := w.project.openRepo()
	if err != nil {
		return false
	}
	descends, err := repo.Descends(m.New, m.Old)
	if err != nil || !descends {
		return false
	}
	fetched, err := repo.IsFetched(m.New)
	return err == nil && fetched
}
