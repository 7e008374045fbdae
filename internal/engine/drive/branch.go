package drive

import (
	"context"
	"errors"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/engine/forge"
	"warp/internal/engine/land"
)

// makeBranch is the branch to work on: the user's at level 2, else one made for the
// issue, from the newest that is merged into.
func (e *finder) makeBranch(ctx context.Context, s *drive.State, i forge.Issue) (string, error) {
	if s.Session.Level == 2 && !e.Own {
		on, err := e.trees.checkedOut()
		if err != nil {
			return "", err
		}
		return on, e.committer.dropEarlierWIP(ctx, s, on)
	}
	branch := BranchOf(i)
	from := s.MergeTarget
	var diverged *land.DivergedError
	if err := e.merger.updateTarget(ctx, s.MergeTarget); errors.As(err, &diverged) {
		return "", needsPerson("bring "+diverged.Branch+" and "+diverged.Remote+"/"+diverged.Branch+" together, then warp resume", "%v", err)
	} else if err != nil {
		e.ledger.remark("%s could not be brought up to date: %v", s.MergeTarget, err)
	}
	e.Drive.Tree.AssumeChanged()
	if err := e.Work.Branch(ctx, branch, from); err != nil {
		return "", needsPerson("commit or move what is in the way, then warp resume", "making the branch %s: %v", branch, err)
	}
	return branch, e.committer.dropEarlierWIP(ctx, s, branch)
}

// dropEarlierWIP takes back a commit of work in progress that an earlier drive left at
// the branch's tip when it was stopped: nobody has judged it, so it is no base
// to build on. It is kept under a reference.
func (e *committer) dropEarlierWIP(ctx context.Context, s *drive.State, branch string) error {
	tip, err := e.trees.branchTip(branch)
	if err != nil || tip == "" {
		return err
	}
	parent := e.trees.parent(ctx, tip)
	if parent == "" {
		return nil
	}
	made, err := e.trees.repo().Commits(tip, parent)
	if err != nil || len(made) != 1 || !strings.HasPrefix(made[0].Message, wipPrefix) || !strings.Contains(made[0].Message, trailerName) {
		return err
	}
	kept := e.trees.salvage(ctx, s, "wip", tip)
	if kept == "" {
		return errors.New("work in progress of an earlier drive could not be kept, so it is not taken back")
	}
	if err := e.runner.lander.Follow(ctx, branch, parent); err != nil {
		return needsPerson("commit or put aside your own changes, then warp resume", "work in progress of an earlier drive cannot be taken back: %v", err)
	}
	if err := e.Drive.Watch.RecordMoves("drive", drive.Move{Branch: branch, Old: tip, New: parent}); err != nil {
		return err
	}
	e.ledger.remark("work in progress that an earlier drive left was taken off the branch; it is kept as %s", kept)
	return nil
}

// updateTarget brings the local merge target to where the remote has it. Where it is
// there already, and the engine died before it could say so, it is said.
func (e *merger) updateTarget(ctx context.Context, target string) error {
	if err := e.runner.lander.Update(ctx, target); err != nil {
		return err
	}
	tip, err := e.trees.branchTip(target)
	if err != nil {
		return err
	}
	v, err := e.Drive.Read()
	if err != nil {
		return err
	}
	if was := v.State.Watch[target].Tip; was != "" && was != tip && e.runner.remotes != nil {
		return e.Drive.Watch.RecordMoves("drive", drive.Move{Branch: target, Old: was, New: tip})
	}
	return nil
}
