package land

import (
	"context"
	"errors"
)

// DropMerged deletes a branch, here and on the remote, when all of it is in the target.
// Where it has more commits, or is checked out, it stays there.
func (l *Lander) DropMerged(ctx context.Context, branch, target string) error {
	into, err := l.Tip(target)
	if err != nil || into == "" || branch == target {
		return err
	}
	isMerged := func(tip string) bool {
		merged, err := l.Work.Repo().Descends(into, tip)
		return err == nil && merged // a tip that is not known here is not
	}
	remote, err := l.FindRemote(ctx)
	if err != nil {
		return err
	}
	var errs []error
	if remote != nil {
		refs, err := l.Work.RemoteRefs(ctx, remote.Name)
		if tip := refs["refs/heads/"+branch]; tip != "" && isMerged(tip) {
			if err = l.Work.DeleteRemote(ctx, remote.Name, branch, tip); err == nil {
				remote.Pushed(branch, "")
			}
		}
		errs = append(errs, err)
	}
	tip, err := l.Tip(branch)
	if err == nil && tip != "" && isMerged(tip) {
		err = l.Work.DeleteBranch(ctx, branch, tip)
	}
	return errors.Join(append(errs, err)...)
}
