package drive

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/drive"
	"warp/internal/sys/git"
)

// listSubmoduleChanges lists the submodules in which the chunk has changed files, or made
// commits that no remote of theirs has: neither would be in the drive's commit.
// What a person changed there before does not count.
func (e *reviewer) listSubmoduleChanges(ctx context.Context, s *drive.State, changes []git.Change) (list []string, err error) {
	began, err := time.Parse(time.RFC3339, began(s))
	if _, none := os.Stat(filepath.Join(e.Work.Top(), ".gitmodules")); none != nil || err != nil {
		return nil, nil
	}
	status, err := lines(ctx, e.Work.Top(), "status", "--porcelain=v2", "-z", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return nil, err
	}
	for _, line := range status {
		f := strings.SplitN(line, " ", 9) // 1 XY SCMU mode mode mode hash hash path
		if len(f) < 9 || f[0] != "1" || len(f[2]) != 4 || f[2][0] != 'S' {
			continue
		}
		path := f[8]
		sub := filepath.Join(e.Work.Top(), filepath.FromSlash(path))
		if _, err := os.Lstat(filepath.Join(sub, ".git")); err != nil {
			continue // it was removed, which can be committed
		}
		files, err := lines(ctx, sub, "status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
		if err != nil {
			return nil, err
		}
		lost := false
		for _, file := range files {
			lost = lost || len(file) > 3 && !touchedAt(filepath.Join(sub, filepath.FromSlash(file[3:]))).Before(began)
		}
		if !lost && moved(changes, path) {
			known, err := lines(ctx, sub, "for-each-ref", "--count=1", "--contains=HEAD", "refs/remotes", "refs/tags")
			if err != nil {
				return nil, err
			}
			lost = len(known) == 0
		}
		if lost {
			list = append(list, path)
		}
	}
	return list, nil
}

// touchedAt is when a file was changed, or else its folder.
func touchedAt(path string) time.Time {
	info, err := os.Lstat(path)
	if err != nil {
		info, err = os.Lstat(filepath.Dir(path))
	}
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

func moved(changes []git.Change, path string) bool {
	for _, c := range changes {
		if c.Path == path {
			return true
		}
	}
	return false
}

// lines is what git says in a folder, in parts that end with a zero byte or as
// one.
func lines(ctx context.Context, dir string, args ...string) ([]string, error) {
	a, err := git.Repo{Dir: dir}.Run(ctx, git.Call{Args: args})
	if err == nil && a.Exit != 0 {
		err = errors.New(a.Stderr)
	}
	return git.Split(a.Stdout), err
}
