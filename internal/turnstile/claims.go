package turnstile

import (
	"errors"
	"fmt"

	"warp/internal/core/drivestate"
)

// checkClaims checks an agent's claims against git. It believes a person, or an engine that drives
// without an agent; what git knows still counts.
func checkClaims(p *Project, s *drivestate.State, st drivestate.Step) error {
	if s.Session.ClaudeSession == "" || st.Tips == nil || s.Watch == nil {
		return nil
	}
	if _, err := s.Check(st.Event); err != nil {
		return nil // the table gives the reason
	}
	switch b := st.Data.Branch; {
	case b != "" && b != st.Head:
		return &DataError{fmt.Errorf("data.branch: %q is not checked out, %q is: the drive's branch is the one that is worked on", b, st.Head)}
	case st.Event != drivestate.Committed && st.Event != drivestate.CommitWithDocGate && st.Event != drivestate.Merged:
		return nil
	case st.Event == drivestate.Merged:
		return checkMerged(p, s, st)
	case len(st.Commits) == 0 && st.Head != s.BranchName():
		return fmt.Errorf("nothing was committed on the drive's branch %q in this phase: %q is checked out", s.BranchName(), st.Head)
	case len(st.Commits) == 0:
		return fmt.Errorf("nothing was committed in this phase, so %s is not true", st.Event)
	}
	return nil
}

// checkMerged requires, at level 3, that the target branch contains the work.
func checkMerged(p *Project, s *drivestate.State, st drivestate.Step) error {
	tip, target := st.Tips[s.BranchName()], st.Tips[s.MergeTarget]
	if s.Session.Level < 3 || s.BranchName() == s.MergeTarget || tip == "" || target == "" {
		return nil
	}
	repo, err := p.openRepo()
	if err != nil {
		return err
	}
	if in, err := repo.Descends(target, tip); err != nil || !in {
		return errors.Join(fmt.Errorf("%s does not contain %s, so merged is not true: merge it first", s.MergeTarget, s.BranchName()), err)
	}
	return nil
}
