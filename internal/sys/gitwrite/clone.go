package gitwrite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/sys/git"
)

// Clone makes a clone of a repository with a branch checked out ("": the remote's
// choice). It is there as a whole or not at all; what was at its place before, and is no
// clone, is lost. The address is left out of errors: it may hold a password.
func Clone(ctx context.Context, url, dir, branch string) error {
	fresh, err := os.MkdirTemp(filepath.Dir(dir), ".clone-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(fresh) }() // it is renamed when it is whole
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
