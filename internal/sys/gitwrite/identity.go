package gitwrite

import (
	"context"

	"warp/internal/sys/git"
)

// Identity returns errIdentity if git has no identity to commit with.
func (t Tree) Identity(ctx context.Context) error {
	a, err := run(ctx, t.root.Top, git.Call{Args: []string{"var", "GIT_COMMITTER_IDENT"}})
	if err != nil {
		return err
	}
	if a.Exit != 0 {
		return errIdentity
	}
	return nil
}
