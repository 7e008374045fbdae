package gate

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// CheckChange returns why a change of the work tree is worthless: it cannot be committed. top is
// the work tree, began the start of the work, and changes its parts.
func CheckChange(ctx context.Context, changes []git.Change, top string, began time.Time) (string, error) {
	list, err := listSubmodules(ctx, top, began, changes)
	if err != nil || len(list) == 0 {
		return "", err
	}
	return "changes inside a submodule cannot be committed by a drive: " + text.Quote(list, 5) + "; undo them, and work in the files of this repository", nil
}

// EditsIgnores reports whether a change edits what git ignores.
func EditsIgnores(changes []git.Change) bool {
	return slices.ContainsFunc(changes, func(c git.Change) bool {
		return path.Base(c.Path) == ".gitignore" || path.Base(c.OldPath) == ".gitignore"
	})
}

// Resolution is an agent's resolution of a rebase's conflicts: tip, rebased onto target, became
// next. Files were in conflict.
type Resolution struct {
	Tip, Target, Next string
	Files             []string
}

// FindStray returns what else the agent did: commits that are not the branch's, and changes in
// files that were neither in conflict nor the branch's.
func (r Resolution) FindStray(ctx context.Context, repo git.Repo) (string, error) {
	had, err := repo.Commits(r.Tip, r.Target)
	if err != nil {
		return "", err
	}
	has, err := repo.Commits(r.Next, r.Target)
	if err != nil {
		return "", err
	}
	for _, c := range has {
		if !slices.ContainsFunc(had, func(h git.Commit) bool { return h.Message == c.Message }) {
			return fmt.Sprintf("it has a commit that is not the branch's: %q", text.FirstLine(c.Message)), nil
		}
	}
	base, err := MergeBase(ctx, repo, r.Tip, r.Target)
	if err != nil {
		return "", err
	}
	var own, theirs, now []git.Change
	for _, d := range []struct {
		into     *[]git.Change
		from, to string
	}{{&own, base, r.Tip}, {&theirs, base, r.Target}, {&now, r.Target, r.Next}} {
		if *d.into, err = repo.Trees().Changes(d.from, d.to); err != nil {
			return "", err
		}
	}
	allowed := append(git.Paths(own), r.Files...)
	for _, c := range theirs {
		if c.Status == 'R' && slices.Contains(allowed, c.OldPath) { // it has another name now
			allowed = append(allowed, c.Path)
		}
	}
	if list := text.Without(git.Paths(now), allowed); len(list) > 0 {
		return "it changes files that were not in conflict and are not the branch's: " + text.Quote(list, 5), nil
	}
	return "", nil
}

// listSubmodules lists the submodules in which files were changed since a time, or commits made
// that none of their remotes has: neither would be in a commit of the work. What a person changed
// there before does not count.
func listSubmodules(ctx context.Context, top string, began time.Time, changes []git.Change) (list []string, err error) {
	if _, none := os.Stat(filepath.Join(top, ".gitmodules")); none != nil || began.IsZero() {
		return nil, nil
	}
	entries, err := runGit(ctx, git.Repo{Dir: top}, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	for _, line := range entries { // MODE HASH STAGE, a tab, PATH
		meta, name, _ := strings.Cut(line, "\t")
		if !strings.HasPrefix(meta, "160000 ") {
			continue
		}
		sub := filepath.Join(top, filepath.FromSlash(name))
		if _, err := os.Lstat(filepath.Join(sub, ".git")); err != nil {
			continue // it was removed, which can be committed
		}
		moved := slices.ContainsFunc(changes, func(c git.Change) bool { return c.Path == name })
		if losesWork(sub, began, moved) {
			list = append(list, name)
		}
	}
	return list, nil
}

// losesWork reports whether a submodule has work that its parent's commit lacks. Git is not run
// there: an agent may have written its settings.
func losesWork(sub string, began time.Time, moved bool) (lost bool) {
	if moved {
		return !git.IsPublished(sub)
	}
	_ = filepath.WalkDir(sub, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err == nil && e.Name() == ".git":
			if e.IsDir() {
				return fs.SkipDir
			}
		case err == nil && !modifiedAt(path).Before(began):
			lost = true
			return fs.SkipAll
		}
		return nil
	})
	return lost
}

// modifiedAt returns when a file was changed, or else its folder.
func modifiedAt(path string) time.Time {
	info, err := os.Lstat(path)
	if err != nil {
		info, err = os.Lstat(filepath.Dir(path))
	}
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}
