package turnstile

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// checkClaims checks an agent's claims against git. It believes a person, or an engine that drives
// without an agent; what git knows still counts.
func checkClaims(p *Project, s *drivestate.State, st drivestate.Step) error {
	if s.Session.ClaudeSession == "" || drivestate.EngineAt(s) || st.Tips == nil || s.Watch == nil {
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

// checkMerged requires, at level 3, that the target branch contains the work, unless people merge.
func checkMerged(p *Project, s *drivestate.State, st drivestate.Step) error {
	tip, target := st.Tips[s.BranchName()], st.Tips[s.MergeTarget]
	if cfg, err := p.Settings(); err == nil && !cfg.AutoMerge {
		return nil // a pull request is its end
	}
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

// testAgain tells how an untested commit can still count.
const testAgain = "run warp test, which tests what is there now"

// CheckCommit returns why the phase's commits are not the chunk's commit, and what to do about it.
// It returns "" if they are: the commit has exactly what the tests ran on, and the drive's trailer.
// tested is the tree that passed. It runs no tests, so that hooks can call it.
func (w *Watch) CheckCommit(s *drivestate.State, tested string) (why, do string, err error) {
	made, err := w.ListPhaseCommits(s, nil)
	if err != nil {
		return "", "", err
	}
	line := drivestate.Trailer(s, s.Chunk.Index)
	if len(made) == 0 {
		return fmt.Sprintf("nothing was committed on %s in this phase", s.BranchName()),
			fmt.Sprintf("commit the chunk's files: git commit -m 'feat(scope): description' --trailer '%s'", line), nil
	}
	if tested == "" {
		return "no recorded test run of this chunk passed", testAgain, nil
	}
	if why, do, err = w.compareCommit(s, made[len(made)-1].Hash, tested); err != nil || why != "" {
		return why, do, err
	}
	if !slices.ContainsFunc(made, func(c git.Commit) bool { return slices.Contains(strings.Split(c.Message, "\n"), line) }) {
		return fmt.Sprintf("commit %s lacks the trailer by which warp recover finds it", text.Hash(made[len(made)-1].Hash)),
			fmt.Sprintf("git commit --amend --no-edit --trailer '%s'", line), nil
	}
	return "", "", nil
}

// compareCommit compares the tip with the tested tree: the chunk's files must be the same in both,
// and the tip must change no others. Changes that a person made before the chunk and did not commit
// are in neither.
func (w *Watch) compareCommit(s *drivestate.State, tip, tested string) (why, do string, err error) {
	repo, err := w.project.openRepo()
	if err != nil {
		return "", "", err
	}
	from := s.Watch[s.BranchName()].PhaseTip
	if from == "" {
		if from, err = repo.Trees().Empty(); err != nil {
			return "", "", err
		}
	}
	own := path.Join(w.project.found.Prefix, stateFolder)
	var lists [3][]string
	for i, pair := range [3][2]string{{from, tip}, {s.Chunk.Base, tested}, {tip, tested}} {
		if pair[0] == "" {
			continue // the chunk's base is unknown: use the commit's own files
		}
		changes, err := repo.Trees().Changes(pair[0], pair[1])
		if err != nil {
			return "", "", err
		}
		for _, p := range git.Paths(changes) {
			if !isUnder(p, own) {
				lists[i] = append(lists[i], p)
			}
		}
	}
	committed, chunk, apart := lists[0], lists[1], lists[2]
	if len(committed) == 0 {
		return "the commit is empty", "git add the chunk's files, then git commit --amend --no-edit", nil
	}
	wrong := slices.DeleteFunc(apart, func(p string) bool { return !slices.Contains(committed, p) && !slices.Contains(chunk, p) })
	if len(wrong) > 0 {
		return "the commit is not what the tests ran on: " + text.Quote(wrong, 5),
			"commit these files as they were tested, or " + testAgain, nil
	}
	return "", "", nil
}
