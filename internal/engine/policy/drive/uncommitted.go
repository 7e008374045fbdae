package drive

import (
	"context"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// noteUncommitted says, before an agent is paid, that a person's changes may stop the commit: which
// files the work needs, nobody knows yet.
func noteUncommitted(ctx context.Context, t *turn) error {
	if t.Own {
		return nil
	}
	out, err := t.repo().Must(ctx, git.Call{Args: []string{"status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", "--", ".", ":(exclude).claude"}})
	if err != nil {
		return err
	}
	var paths []string
	for _, entry := range git.Split(out) {
		paths = append(paths, entry[min(3, len(entry)):])
	}
	if len(paths) > 0 {
		t.remark("your uncommitted changes stay yours, and out of the work: %s; where the work changes the same lines, it waits for you before the commit: commit or stash them now, or give it its own work tree (warp drive --worktree)", text.Quote(paths, 5))
	}
	return nil
}
