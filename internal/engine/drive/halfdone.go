package drive

import (
	"context"
	"strconv"

	"warp/internal/engine/forge"
	"warp/internal/engine/guard"
	"warp/internal/engine/recovery"
)

// unmerged is the branch with all chunks of an issue on it, which a drive that
// was stopped before it merged has left; "" when there is none.
func (e *Engine) unmerged(ctx context.Context, issue string) string {
	target, err := e.repo().MainBranch()
	if err != nil {
		return ""
	}
	found, err := recovery.Scan(ctx, e.repo(), "", target)
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

// halfDone refuses to begin an issue anew whose work is on a branch that another
// machine has pushed: its boxes are checked, and its commits would be missing.
func (e *Engine) halfDone(ctx context.Context, i forge.Issue) error {
	remote, ok, err := e.remote(ctx)
	if err != nil || !ok {
		return err
	}
	target, err := e.repo().MainBranch()
	if err != nil {
		return err
	}
	from := e.remotes
	if from == nil { // no run has begun
		from = &guard.Remote{Work: e.Work, Name: remote, Remark: e.remark}
	}
	if _, err := from.Fetch(ctx, BranchOf(i), target); err != nil {
		e.remark("%s could not be asked for work on #%d: %v", remote, i.Number, err)
		return nil
	}
	found, err := recovery.Scan(ctx, e.repo(), remote, target)
	if err != nil {
		return err
	}
	for _, f := range recovery.Unfinished(found) {
		if f.Issue != strconv.Itoa(i.Number) || f.There == "" || f.There == f.Here {
			continue
		}
		if f.Here != "" {
			if in, err := e.repo().Descends(f.Here, f.There); err != nil || in {
				return err
			}
		}
		return needsPerson("warp recover run "+f.Issue+", then warp drive "+f.Issue, "#%s is half done on %s/%s, %d of %d chunks: it is not begun anew", f.Issue, remote, f.Branch, len(f.Done), f.Total)
	}
	return nil
}
