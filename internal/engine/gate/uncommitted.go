package gate

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/sys/git"
)

const mostEntries = 20_000 // of ignored folders that are looked at

var errEnough = errors.New("enough was seen")

// ListUncommitted lists what tests see in a project's folder and a commit has not:
// the difference to the work tree, and what git ignores and came or changed since a
// time. A folder that is too large to be looked through counts as changed.
func ListUncommitted(ctx context.Context, repo git.Repo, root, commit, tree string, since time.Time) (list []string, err error) {
	changes, err := repo.Changes(commit, tree)
	if err != nil {
		return nil, err
	}
	for _, p := range git.Paths(changes) {
		if !strings.HasPrefix(p, ".claude/") && !strings.Contains(p, "/.claude/") {
			list = append(list, p)
		}
	}
	if since.IsZero() {
		return list, nil
	}
	ignored, err := listIgnored(ctx, repo)
	if err != nil {
		return list, err
	}
	left := mostEntries
	for _, p := range ignored {
		err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(p)), func(_ string, d fs.DirEntry, err error) error {
			if err != nil {
				return nil // gone, or not to be read
			}
			left--
			if info, err := d.Info(); left < 0 || err == nil && !info.ModTime().Before(since) {
				return errEnough
			}
			return nil
		})
		if errors.Is(err, errEnough) {
			list = append(list, p)
		}
	}
	return list, nil
}

// ListIgnoredFiles lists the files that git ignores one by one: not those in
// folders that are ignored whole, which tools make and can make again.
func ListIgnoredFiles(ctx context.Context, repo git.Repo) (list []string, err error) {
	ignored, err := listIgnored(ctx, repo)
	for _, p := range ignored {
		if !strings.HasSuffix(p, "/") {
			list = append(list, p)
		}
	}
	return list, err
}

// listIgnored lists what git ignores, files or whole folders, but warp's own.
func listIgnored(ctx context.Context, repo git.Repo) (list []string, err error) {
	paths, err := ask(ctx, repo, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory")
	for _, p := range paths {
		if !strings.HasPrefix(p, ".claude/") {
			list = append(list, p)
		}
	}
	return list, err
}

// ask is what git says, in parts that end with a zero byte or as one.
func ask(ctx context.Context, repo git.Repo, args ...string) ([]string, error) {
	a, err := repo.Run(ctx, git.Call{Args: args})
	if err == nil && a.Exit != 0 {
		err = &git.Failure{Args: args, Dir: repo.Dir, Exit: a.Exit, Stderr: a.Stderr}
	}
	return git.Split(a.Stdout), err
}

// askLine is the one line that git says.
func askLine(ctx context.Context, repo git.Repo, args ...string) (string, error) {
	said, err := ask(ctx, repo, args...)
	return strings.TrimSpace(strings.Join(said, "")), err
}

// MergeBase is the commit that two others have in common.
func MergeBase(ctx context.Context, repo git.Repo, a, b string) (string, error) {
	return askLine(ctx, repo, "merge-base", a, b)
}

// TreeOf is the tree of a commit.
func TreeOf(ctx context.Context, repo git.Repo, commit string) (string, error) {
	return askLine(ctx, repo, "rev-parse", "--verify", "-q", commit+"^{tree}")
}
