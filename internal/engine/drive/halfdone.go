package drive

import (
	"context"
	"strconv"

	"warp/internal/engine/forge"
	"warp/internal/engine/guard"
	"warp/internal/engine/recovery"
)

// findUnmergedBranch is the branch with all chunks of an issue on it, which a drive that
// was stopped before it merged has left; "" when there is none.
func (e *finder) findUnmergedBranch(ctx context.Context, issue string) string {
	target, err := e.trees.repo().MainBranch()
	if err != nil {
		return ""
	}
	found, err := recovery.Scan(ctx, e.trees.repo(), "", target)
	if err != nil {
		return ""
	}
	for _, f := range found {
		if f.Issue == issue && !f.Merged && f.Total > 0 && len(f.Done) == f.Total {
			return f.Branch
		}
	}
	return ""
}

// refuseHalfDone refuses to begin an issue anew whose work is on a branch that another
// machine has pushed: its boxes are checked, and its commits would be missing.
func (e *finder) refuseHalfDone(ctx context.Context, i forge.Issue) error {
	remote, ok, err := e.trees.remote(ctx)
	if err != nil || !ok {
		return err
	}
	target, err := e.trees.repo().MainBranch()
	if err != nil {
		return err
	}
	from := e.runner.remotes
	if from == nil { // no run has begun
		from = &guard.Remote{Work: e.Work, Name: remote, Remark: e.ledger.remark}
	}
	if _, err := from.Fetch(ctx, BranchOf(i), target); err != nil {
		e.ledger.remark("%s could not be asked for work on #%d: %v", remote, i.Number, err)
		return nil
	}
	found, err := recovery.Scan(ctx, e.trees.repo(), remote, target)
	if err != nil {
		return err
	}
	for _, f := range recovery.Unfinished(found) {
		if f.Issue != strconv.Itoa(i.Number) || f.There == "" || f.There == f.Here {
			continue
		}
		if f.Here != "" {
			if in, err := e.trees.repo().Descends(f.Here, f.There); err != nil || in {
				return err
			}
		}
		return needsPerson("warp recover run "+f.Issue+", then warp drive "+f.Issue, "#%s is half done on %s/%s, %d of %d chunks: it is not begun anew", f.Issue, remote, f.Branch, len(f.Done), f.Total)
	}
	return nil
}
