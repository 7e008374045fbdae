package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// folderMost is how many files an ignored folder may have to be copied: more are
// dependencies or caches, which tools make again.
const folderMost = 1000

// copy copies what git does not have: what is uncommitted, what it ignores, and
// .claude.
func (g *Guard) copy(ctx context.Context, now git.Print) error {
	wanted := map[string]bool{}
	add := func(rel string, whole bool) error {
		wanted[rel] = true
		return g.files.add(rel, whole)
	}
	for p, is := range now.Dirty {
		if is == git.Gone {
			continue
		}
		if strings.HasSuffix(p, "/") { // a repository inside this one
			g.files.left = append(g.files.left, p)
			continue
		}
		if err := add(p, true); err != nil {
			return err
		}
	}
	for p := range g.hidden { // git does not look at them, but they are there
		if err := add(p, true); err != nil {
			return err
		}
	}
	var left []string
	own := path.Join(filepath.ToSlash(g.prefix()), stateFolder) + "/"
	for _, p := range now.Ignored {
		if strings.HasPrefix(p, own) { // it is copied by itself, locks and logs left out
			continue
		}
		if !strings.HasSuffix(p, "/") {
			if err := add(p, false); err != nil {
				return err
			}
			continue
		}
		list, ok := g.folder(p)
		if !ok {
			left = append(left, p)
			continue
		}
		for _, f := range list {
			if err := add(f, false); err != nil {
				return err
			}
		}
	}
	if err := g.files.only(func(rel string) bool { return wanted[rel] }); err != nil {
		return err
	}
	if left = append(left, g.files.left...); !g.files.named && len(left) > 0 {
		g.Remark("not protected while agents run, as they are too many or too large to be copied: %s", text.Quote(left, 5))
	}
	g.files.named, g.files.left = true, nil
	if err := g.own.state(); err != nil {
		return err
	}
	return ctx.Err()
}

// prefix is the project's folder from the top of the work tree.
func (g *Guard) prefix() string {
	rel, _ := filepath.Rel(g.Work.Top(), g.Root) // New has made sure of it
	return rel
}

// folder lists the files of an ignored folder; false when there are too many.
func (g *Guard) folder(p string) (list []string, ok bool) {
	err := filepath.WalkDir(g.files.live(p), func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what cannot be read cannot be copied
		}
		if len(list) >= folderMost {
			return fs.SkipAll
		}
		rel, err := filepath.Rel(g.files.root, full)
		list = append(list, filepath.ToSlash(rel))
		return err
	})
	return list, err == nil && len(list) < folderMost
}

// large are parts of .claude that are nobody's loss.
var large = []string{".claude/state/runs", ".claude/state/gates", ".claude/state/tests", ".claude/worktrees", ".claude/projects"}

// state copies .claude. A folder that has not changed since is not read again:
// warp replaces its files, and only its journal grows in place.
func (c *copies) state() error {
	if err := c.walk(stateFolder); err != nil {
		return err
	}
	// What its owner has removed since the run before is not brought back.
	if err := c.only(func(rel string) bool { _, err := os.Lstat(c.live(rel)); return err == nil }); err != nil {
		return err
	}
	journals, err := filepath.Glob(c.live(".claude/state/events*.jsonl"))
	for _, j := range journals {
		if rel, err := filepath.Rel(c.root, j); err == nil {
			if err := c.grow(filepath.ToSlash(rel)); err != nil {
				return err
			}
		}
	}
	return err
}

func (c *copies) walk(folder string) error {
	info, err := os.Lstat(c.live(folder))
	if err != nil || !info.IsDir() || slices.Contains(large, folder) {
		return nil
	}
	entries, err := []os.DirEntry(nil), error(nil)
	known := c.folders[folder].Equal(info.ModTime())
	if entries, err = os.ReadDir(c.live(folder)); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	for _, e := range entries {
		rel := folder + "/" + e.Name()
		switch {
		case e.IsDir():
			err = c.walk(rel)
		case known || isJournal(rel) || strings.HasSuffix(rel, ".tmp"):
		default:
			err = c.add(rel, false)
		}
		if err != nil {
			return err
		}
	}
	c.folders[folder] = info.ModTime()
	return nil
}

// isJournal tells the journal's files: they only grow.
func isJournal(rel string) bool {
	return strings.HasPrefix(rel, ".claude/state/events") && strings.HasSuffix(rel, ".jsonl")
}
