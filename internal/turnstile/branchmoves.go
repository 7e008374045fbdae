package turnstile

import (
	"slices"

	"warp/internal/core/drivestate"
	"warp/internal/sys/git"
)

// Watch compares the guarded branches of a drive with where it saw them last. It may freeze the
// drive, but never moves it.
type Watch struct {
	project *Project
	doc     *document
}

// refFacts is the current state of a repository's branches.
type refFacts struct {
	head string
	tips map[string]string // nil if there is no repository
}

// readBranches reads the guarded branches, the one that is checked out and those in more. It leaves
// out branches that cannot be read.
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

// listPhaseHashes lists the commits that the phase added to the drive's branch, if it allows any,
// without those merged in from the target branch.
func (w *Watch) listPhaseHashes(s *drivestate.State, f refFacts) []string {
	list, err := w.ListPhaseCommits(s, f.tips)
	if err != nil {
		return nil // rely on what the caller claims
	}
	hashes := make([]string, len(list))
	for i, c := range list {
		hashes[i] = c.Hash
	}
	return hashes
}

// ListPhaseCommits lists the commits on the drive's branch since the phase began, oldest first. If
// tips is nil, it reads them.
func (w *Watch) ListPhaseCommits(s *drivestate.State, tips map[string]string) ([]git.Commit, error) {
	if tips == nil {
		tips = w.readBranches(s).tips
	}
	branch := s.BranchName()
	was, watched := s.Watch[branch]
	tip := tips[branch]
	phase := *s
	phase.Frozen = nil // a freeze does not undo commits
	if !watched || tip == "" || tip == was.PhaseTip || !phase.Guards().MayMove(branch, w.project.env.Now()).Allowed {
		return nil, nil
	}
	repo, err := w.project.openRepo()
	if err != nil {
		return nil, err
	}
	return repo.Commits(tip, was.PhaseTip, tips[s.MergeTarget])
}

// compareTips returns the guarded branches that moved since they were last seen, split by whether
// the phase allows it.
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

// isOver reports whether a freeze has ended because its branches are where they were seen last:
// they were put back, or the engine that moved them reported late. An ended freeze must not forbid
// what the phase allows, such as the drive's own commit (one of three drives merged while another
// committed).
func isOver(s *drivestate.State, tips map[string]string) bool {
	return s.Frozen != nil && !s.Frozen.EndsByPerson() && !slices.ContainsFunc(s.Frozen.Moves, func(m drivestate.Move) bool {
		tip, known := tips[m.Branch]
		return !known || s.Watch[m.Branch].Tip != tip
	})
}

// CatchesUp reports whether a branch moves forward to a remote's commit before work is chosen. That
// is how a user starts (git pull --ff-only), and it cannot carry the agent's work.
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
