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

// index is what is known of a work tree's index.
type index struct {
	Hidden  map[string]bool // paths that it tells git not to look at
	Tracked map[string]bool // tracked paths of .claude, which a print leaves out
	seen    fs.FileInfo     // the file as last read
}

// isSeen reports whether the file is as last read: git replaces it, and never changes it in place.
func (x *index) isSeen(now fs.FileInfo) bool {
	return x.seen != nil && os.SameFile(now, x.seen) && now.ModTime().Equal(x.seen.ModTime())
}

// refreshIndex reads the index before a run, unless it is as the last run left it: what a person
// or the engine tracks or hides in between is not the next run's.
func (g *Guard) refreshIndex(ctx context.Context) (err error) {
	if info, bad := os.Stat(g.repo.indexFile()); bad != nil && g.index.Hidden != nil || bad == nil && g.index.isSeen(info) {
		return nil
	}
	g.index, err = g.readIndex(ctx)
	return err
}

func (g *repository) indexFile() string { return filepath.Join(g.place.GitDir(), "index") }

// readIndex lists the paths that are assumed unchanged or skipped, and those of .claude.
func (g *Guard) readIndex(ctx context.Context) (x index, err error) {
	list, err := g.Work.Root().IndexEntries(ctx)
	if err != nil {
		return x, err
	}
	x.Hidden, x.Tracked = map[string]bool{}, map[string]bool{}
	for _, e := range list {
		if e.Assumed || e.Skipped {
			x.Hidden[e.Path] = true
		}
		if strings.Contains("/"+e.Path, "/"+stateFolder+"/") {
			x.Tracked[e.Path] = true
		}
	}
	x.seen, _ = os.Stat(g.repo.indexFile()) // on failure it is read again
	return x, nil
}

// restoreIndex stages again what a person had staged, and unstages what the run staged: an ignored
// file added by force would end up in the person's next commit. With gentle, for a person who
// stages and commits in parallel, it only stages again what is no longer staged. It returns the
// resulting work tree.
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
		if g.repo.dropIndex(err) != nil { // an index that git cannot read is rebuilt
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
		if _, was := r.before.Staged[path]; !was && (!gentle || isIgnored(r.before.Ignored, path)) {
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

// resetIndex resets the index to the commit; flags of unaffected entries are kept.
func (g *repository) resetIndex(ctx context.Context) error {
	_, err := g.git(ctx, "", "reset", "-q")
	if err != nil && g.dropIndex(err) == nil {
		_, err = g.git(ctx, "", "reset", "-q")
	}
	return err
}

// dropIndex removes an index that git could not read: it is rebuilt, and what was staged is staged
// again.
func (g *repository) dropIndex(why error) error {
	if failed := (*git.Failure)(nil); !errors.As(why, &failed) {
		return why
	}
	return durable.RemoveFolder(g.indexFile())
}

// showHidden makes git look again at files that the run hid, and removes what it added of .claude.
// It reads the index only if the file was replaced.
func (g *Guard) showHidden(ctx context.Context) error {
	was := &g.index
	info, err := os.Stat(g.repo.indexFile())
	if err != nil || was.isSeen(info) {
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
		update("--no-assume-unchanged", now.Hidden, was.Hidden),
		update("--no-skip-worktree", now.Hidden, was.Hidden),
		update("--force-remove", now.Tracked, was.Tracked),
	)
	was.seen, _ = os.Stat(g.repo.indexFile())
	return err
}
