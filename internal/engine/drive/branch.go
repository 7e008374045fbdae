package drive

import (
	"context"
	"errors"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/engine/forge"
)

// branch is the branch to work on: the user's at level 2, else one made for the
// issue, from the newest that is merged into.
func (e *Engine) branch(ctx context.Context, s *drive.State, i forge.Issue) (string, error) {
	if s.Session.Level == 2 && !e.Own {
		on, err := e.checkedOut()
		if err != nil {
			return "", err
		}
		return on, e.dropWIP(ctx, s, on)
	}
	branch := BranchOf(i)
	from := s.MergeTarget
	if remote, ok, err := e.remote(ctx); err == nil && ok {
		var p *parked
		if err := e.upToDate(ctx, remote, s.MergeTarget); errors.As(err, &p) {
			return "", err
		} else if err != nil {
			e.remark("%s could not be brought up to date: %v", s.MergeTarget, err)
		}
	}
	e.Drive.Tree.AssumeChanged()
	if err := e.Work.Branch(ctx, branch, from); err != nil {
		return "", needsPerson("commit or move what is in the way, then warp resume", "making the branch %s: %v", branch, err)
	}
	return branch, e.dropWIP(ctx, s, branch)
}

// dropWIP takes back a commit of work in progress that an earlier drive left at
// the branch's tip when it was stopped: nobody has judged it, so it is no base
// to build on. It is kept under a reference.
func (e *Engine) dropWIP(ctx context.Context, s *drive.State, branch string) error {
	tip, err := e.branchTip(branch)
	if err != nil || tip == "" {
		return err
	}
	parent := e.parent(ctx, tip)
	if parent == "" {
		return nil
	}
	made, err := e.repo().Commits(tip, parent)
	if err != nil || len(made) != 1 || !strings.HasPrefix(made[0].Message, wipPrefix) || !strings.Contains(made[0].Message, trailerName) {
		return err
	}
	kept := e.salvage(ctx, s, "wip", tip)
	if kept == "" {
		return errors.New("work in progress of an earlier drive could not be kept, so it is not taken back")
	}
	if err := e.Work.Follow(ctx, branch, parent); err != nil {
		return needsPerson("commit or put aside your own changes, then warp resume", "work in progress of an earlier drive cannot be taken back: %v", err)
	}
	if err := e.Drive.Watch.RecordMoves("drive", drive.Move{Branch: branch, Old: tip, New: parent}); err != nil {
		return err
	}
	e.remark("work in progress that an earlier drive left was taken off the branch; it is kept as %s", kept)
	return nil
}

// upToDate brings the local merge target to where the remote has it, where that
// only adds.
func (e *Engine) upToDate(ctx context.Context, remote, target string) error {
	var at map[string]string
	err := e.retrying(ctx, func() (err error) { at, err = e.Work.Fetch(ctx, remote, target); return err })
	there := at[target]
	if err != nil || there == "" {
		return err
	}
	here, err := e.branchTip(target)
	if err != nil {
		return err
	}
	if here == there {
		return e.caughtUp(target, there)
	}
	ahead, err := e.repo().Descends(here, there)
	if err != nil {
		return err
	}
	if ahead {
		e.remark("%s has commits that were never pushed: merging will push them, too", target)
		return nil
	}
	if behind, err := e.repo().Descends(there, here); err != nil || !behind {
		return errors.Join(err, needsPerson("bring "+target+" and "+remote+"/"+target+" together, then warp resume", "%s and %s/%s have diverged", target, remote, target))
	}
	return e.advance(ctx, target, there)
}

// caughtUp says that a branch is where the remote has it, where the engine died
// before it could.
func (e *Engine) caughtUp(branch, tip string) error {
	v, err := e.Drive.Read()
	if err != nil {
		return err
	}
	if was := v.State.Watch[branch].Tip; was != "" && was != tip {
		return e.Drive.Watch.RecordMoves("drive", drive.Move{Branch: branch, Old: was, New: tip})
	}
	return nil
}

// retrying tries again what failed on the way to another machine.
func (e *Engine) retrying(ctx context.Context, do func() error) error {
	err := do()
	for n := 1; err != nil && passing(err) && n <= networkTries; n++ {
		at := e.Now().Add(networkPause << n)
		if wait := e.Agents.Wait(ctx, at, "network: "+err.Error()); wait != nil {
			return wait
		}
		err = do()
	}
	return err
}
