package gitwrite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/sys/git"
)

// Clone clones a repository and checks out a branch; "" means the remote's default. The clone is
// complete or absent; anything else at its path is lost. Errors leave out the URL, which may hold a
// password.
func Clone(ctx context.Context, url, dir, branch string) error {
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".clone-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(fresh) }() // it is renamed once it is complete
	c := git.Call{Args: []string{"clone", "-q", "--no-tags"}, Env: silent, Limit: slow}
	if branch != "" {
		if err := branchName(branch); err != nil {
			return err
		}
		c.Args = append(c.Args, "--branch="+branch)
	}
	c.Args = append(c.Args, "--", url, fresh)
	a, err := git.Repo{Dir: filepath.Dir(dir)}.Run(ctx, c)
	if err != nil {
		return err
	}
	if a.Exit != 0 {
		return errors.New(strings.ReplaceAll(strings.TrimSpace(a.Stderr), url, "its address"))
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.Rename(fresh, dir)
}
