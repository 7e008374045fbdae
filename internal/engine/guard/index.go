package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/durable"
	"warp/internal/sys/git"
)

// index is what is known of the index of a work tree.
type index struct {
	hidden  map[string]bool // paths that it tells git not to look at
	tracked map[string]bool // paths of .claude that it has, which a print leaves out
	seen    fs.FileInfo     // the file, as it was looked at last
}

func (g *repository) indexFile() string { return filepath.Join(g.place.GitDir(), "index") }

// readIndex lists the paths that the index says are as they were, or are to be
// skipped, and those of .claude.
func (g *Guard) readIndex(ctx context.Context) (x index, err error) {
	list, err := g.Work.Root().IndexEntries(ctx)
	if err != nil {
		return x, err
	}
	x.hidden, x.tracked = map[string]bool{}, map[string]bool{}
	for _, e := range list {
		if e.Assumed || e.Skipped {
			x.hidden[e.Path] = true
		}
		if strings.Contains("/"+e.Path, "/"+stateFolder+"/") {
			x.tracked[e.Path] = true
		}
	}
	x.seen, _ = os.Stat(g.repo.indexFile()) // else it is read again
	return x, nil
}

// restoreIndex stages again what a person had staged, and takes out what the run
// has staged: an ignored file that was added by force would be committed with the
// person's next commit. Gentle is for a person who works beside, who stages and commits
// by themselves: only what is not staged any more is staged again. It returns the work
// tree as it is then.
func (r *Run) restoreIndex(ctx context.Context, gentle bool) (now git.Print, err error) {
	g := r.g
	if err := g.showHidden(ctx); err != nil {
		if err = g.repo.dropIndex(err); err != nil {
			return now, err
		}
	}
	if _, err := os.Lstat(g.repo.indexFile()); errors.Is(err, fs.ErrNotExist) && r.before.Head != "" {
		if _, err := g.repo.git(ctx, "", "read-tree", "HEAD"); err != nil {
			return now, err
		}
	}
	if now, err = g.printer.Print(ctx); err != nil {
		if g.repo.dropIndex(err) != nil { // what git stops at is made again
			return now, err
		}
		if _, err := g.repo.git(ctx, "", "read-tree", "HEAD"); err != nil && r.before.Head != "" {
			return now, err
		}
		if now, err = g.printer.Print(ctx); err != nil {
			return now, err
		}
	}
	var lines strings.Builder
	var lost []string
	for path, was := range r.before.Staged {
		if is, staged := now.Staged[path]; is != was && !(gentle && (staged || now.Head != r.before.Head)) {
			lost = append(lost, path)
			lines.WriteString(was.Index + "\t" + path + "\x00")
		}
	}
	for path, is := range now.Staged {
		if _, was := r.before.Staged[path]; !was && (!gentle || covered(r.before.Ignored, path)) {
			lines.WriteString(is.Head + "\t" + path + "\x00")
		}
	}
	if lines.Len() == 0 {
		return now, nil
	}
	if _, err := g.repo.git(ctx, lines.String(), "update-index", "-z", "--index-info"); err != nil {
		return now, err
	}
	r.reportPaths(Destroyed, "", "the agent changed what a person had staged; it is staged again", lost)
	return g.printer.Print(ctx)
}

// resetIndex makes the index what the commit has; the flags of what that does not
// change are kept.
func (g *repository) resetIndex(ctx context.Context) error {
	_, err := g.git(ctx, "", "reset", "-q")
	if err != nil && g.dropIndex(err) == nil {
		_, err = g.git(ctx, "", "reset", "-q")
	}
	return err
}

// dropIndex removes an index that git could not read: it is made again, and what was
// staged is staged again.
func (g *repository) dropIndex(why error) error {
	if failed := (*git.Failure)(nil); !errors.As(why, &failed) {
		return why
	}
	return durable.RemoveFolder(g.indexFile())
}

// showHidden has git look again at files that the run made it ignore, and
// takes out what it has added of .claude. The index is read only when it is
// another than it was: git never changes the file, it makes another.
func (g *Guard) showHidden(ctx context.Context) error {
	was := &g.index
	info, err := os.Stat(g.repo.indexFile())
	if err != nil || was.seen != nil && os.SameFile(info, was.seen) && info.ModTime().Equal(was.seen.ModTime()) {
		return nil
	}
	now, err := g.readIndex(ctx)
	if err != nil {
		return err
	}
	update := func(option string, now, was map[string]bool) error {
		var list strings.Builder
		for p := range now {
			if !was[p] {
				list.WriteString(p + "\x00")
			}
		}
		if list.Len() == 0 {
			return nil
		}
		_, err := g.repo.git(ctx, list.String(), "update-index", option, "-z", "--stdin")
		return err
	}
	err = errors.Join(
		update("--no-assume-unchanged", now.hidden, was.hidden),
		update("--no-skip-worktree", now.hidden, was.hidden),
		update("--force-remove", now.tracked, was.tracked),
	)
	was.seen, _ = os.Stat(g.repo.indexFile())
	return err
}
