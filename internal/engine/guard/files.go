package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/git"
)

// changes sorts the paths that a run changed by what happens to them.
type changes struct {
	Outcome
	lost   []string // to be restored
	nested []string // nested repositories, which are not touched
}

// sortChanges sorts what has changed since before the run. reverted are the commits that the work
// tree was reset to.
func (r *Run) sortChanges(ctx context.Context, now git.Print, reverted []string) (c changes, err error) {
	paths, _ := now.Since(r.before)
	back, err := r.resetTo(ctx, reverted, paths)
	if err != nil {
		return c, err
	}
	for _, p := range paths {
		was, had := r.before.Dirty[p]
		is, dirty := now.Dirty[p]
		theirs := r.theirs[p] && had && was != git.Gone
		list := &c.Changed
		switch {
		case !had && dirty && isIgnored(r.before.Ignored, p):
			list = &c.Revealed
		case r.g.files.isRepository(p):
			list = &c.nested
		case theirs && !dirty && movedOnBeside(r, now, p):
			if r.g.files.isCopied(p) {
				continue // the person committed it as it was
			}
			list = &c.Yours
		case theirs && (!dirty || is == git.Gone || !r.g.files.sameKind(p) || r.asCommitted(ctx, now, p)), back[p]:
			list = &c.lost
		case theirs:
			list = &c.Yours
		case r.ReadOnly:
			list = &c.lost
		case r.Allows != nil && !r.Allows(p):
			list = &c.Outside
		}
		*list = append(*list, p)
	}
	return c, nil
}

// movedOnBeside reports whether a changed file in a person's own work tree is committed now, on top
// of what was checked out. The person may have committed it, or an agent elsewhere may have reset
// the tree to what is ahead; a reset further back is never taken for a person's.
func movedOnBeside(r *Run, now git.Print, p string) bool {
	if !r.Beside || now.Head == r.before.Head {
		return false
	}
	if _, err := os.Lstat(r.g.files.live(p)); err != nil {
		return false
	}
	forward, err := r.g.Work.Repo().Descends(now.Head, r.before.Head)
	return err == nil && forward
}

// isCopied reports whether a file equals its copy.
func (c *copies) isCopied(p string) bool {
	was, ok := c.read(p)
	now, err := readFile(c.live(p))
	return ok && err == nil && bytes.Equal(now.Text, was.Text)
}

// isRepository reports whether a path is a submodule or another nested repository, even a deleted
// one: its contents are not ours to restore.
func (c *copies) isRepository(p string) bool {
	_, err := os.Lstat(filepath.Join(c.live(p), ".git"))
	return err == nil || strings.HasSuffix(p, "/")
}

// sameKind reports whether a path still holds a file where a file was, or a link where a link was.
func (c *copies) sameKind(p string) bool {
	now, err := os.Lstat(c.live(p))
	if err != nil {
		return false
	}
	was, err := os.Lstat(c.at(p))
	return err != nil || now.Mode().Type() == was.Mode().Type()
}

// asCommitted reports whether a staged file has the content of the commit or the index: then git
// put it there.
func (r *Run) asCommitted(ctx context.Context, now git.Print, p string) bool {
	_, head, staged := strings.Cut(now.Staged[p].Head, " ")
	_, index, _ := strings.Cut(now.Staged[p].Index, " ")
	return staged && (r.g.hasContent(ctx, p, head) || r.g.hasContent(ctx, p, index))
}

// resetTo returns the paths whose content is that of a commit the work tree was reset to: the run
// did not write them, it lost what was there.
func (r *Run) resetTo(ctx context.Context, reverted, paths []string) (map[string]bool, error) {
	back := map[string]bool{}
	for _, commit := range reverted {
		out, err := r.g.repo.git(ctx, "", "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", commit, r.before.Head, "--")
		if failed := (*git.Failure)(nil); err != nil && !errors.As(err, &failed) { // the run may have made an orphan branch
			return nil, err
		}
		for f := git.Split(out); len(f) > 1; f = f[2:] {
			m := strings.Fields(f[0]) // :MODE MODE HASH HASH STATUS
			if len(m) == 5 && slices.Contains(paths, f[1]) {
				back[f[1]] = back[f[1]] || r.g.hasContent(ctx, f[1], m[2])
			}
		}
	}
	return back, nil
}

// hasContent reports whether the file at a path has an object's content; an all-zero object means
// no file.
func (g *Guard) hasContent(ctx context.Context, p, object string) bool {
	full := g.files.live(p)
	if strings.Trim(object, "0") == "" {
		_, err := os.Lstat(full)
		return errors.Is(err, fs.ErrNotExist)
	}
	hash, err := g.repo.git(ctx, "", "hash-object", "--path="+p, "--", full)
	return err == nil && strings.TrimSpace(string(hash)) == object
}

// restoreFiles restores what is lost, and keeps the old versions of a person's changed files. It
// reports whether it changed the work tree.
func (r *Run) restoreFiles(ctx context.Context, c changes) (again bool, err error) {
	g := r.g
	yours := slices.DeleteFunc(slices.Clone(c.Yours), func(p string) bool { return g.record.Written[p] == r.before.Dirty[p] })
	for _, p := range yours {
		if was, ok := g.files.read(p); ok {
			err = errors.Join(err, g.repo.setAside(p, was))
		}
	}
	kept := g.repo.replacedFolder()
	r.reportPaths(Yours, kept, "files with your uncommitted changes were changed while the agent ran; the old versions are kept in "+kept, yours)
	again, bad := r.restoreIgnored()
	if len(c.Revealed) > 0 {
		g.Remark("the agent changed what git ignores; these files were ignored before, so they stay yours and are not committed: %s", text.Quote(c.Revealed, 5))
	}
	r.reportPaths(Yours, "", "nested repositories were changed while the agent ran; warp does not protect them and restored nothing there", c.nested)
	if len(c.lost) > 0 {
		again, bad = true, errors.Join(bad, r.restoreLost(ctx, c.lost))
	}
	return again, errors.Join(err, bad)
}

// restoreLost restores files from their copies or from the commit.
func (r *Run) restoreLost(ctx context.Context, lost []string) error {
	g := r.g
	if err := r.makeRoom(lost); err != nil {
		return err
	}
	kept := ""
	if r.ReadOnly {
		if tree, err := g.Snapshot(); err == nil {
			kept = r.keep(ctx, "verifier", tree)
		}
	}
	var copied, committed, missing []string
	for _, p := range lost {
		switch was := r.before.Dirty[p]; {
		case was == "" || was == git.Gone:
			committed = append(committed, p)
		case g.files.intact(p):
			copied = append(copied, p)
		default:
			missing = append(missing, p)
		}
	}
	r.reportPaths(Destroyed, "", "LOST: the agent destroyed these, and no unchanged copy is left", missing)
	err := r.putCopies(copied)
	if len(committed) > 0 {
		head, bad := r.before.Head, error(nil)
		if head == "" {
			head, bad = g.Work.Repo().Trees().Empty()
		}
		if bad == nil {
			bad = g.Work.Restore(ctx, head, committed, true)
		}
		err = errors.Join(err, bad)
	}
	if err != nil {
		return err
	}
	if back := slices.Concat(copied, committed); r.ReadOnly {
		r.reportPaths(Looked, kept, "files were changed while a read-only agent ran; they were put back", back)
	} else {
		r.reportPaths(Destroyed, "", "the agent destroyed or reverted files that are not its own; they were put back", back)
	}
	return nil
}

func (r *Run) putCopies(paths []string) error {
	if err := r.makeRoom(paths); err != nil {
		return err
	}
	return r.g.Work.Put(r.g.files.dir, paths)
}

// makeRoom moves away what is in a file's place: a folder of its name, or a file in place of its
// folder.
func (r *Run) makeRoom(paths []string) error {
	for _, p := range paths {
		for q := p; q != "." && q != "/"; q = path.Dir(q) {
			info, err := os.Lstat(r.g.files.live(q))
			if err != nil || q == p && info.Mode().IsRegular() || q != p && info.IsDir() {
				continue
			}
			if _, err := os.Lstat(filepath.Join(r.g.files.live(q), ".git")); err == nil {
				return fmt.Errorf("%q is a repository where a file belongs: move it away", q)
			}
			to := r.g.repo.replacedFile(q, []byte(r.g.Now().String()))
			if err := durable.MoveFile(r.g.files.live(q), to); err != nil {
				return err
			}
			r.report(Destroyed, to, "the agent replaced a file that is not its own with something else, which was moved away: %q", q)
		}
	}
	return nil
}

// restoreAbsent restores a person's missing files: those unknown to git to their place, the others
// to the folder of replaced files.
func (r *Run) restoreAbsent(ctx context.Context) (err error) {
	g := r.g
	var absent []string
	for rel := range g.files.stamps {
		if _, err := os.Lstat(g.files.live(rel)); errors.Is(err, fs.ErrNotExist) && g.files.intact(rel) {
			absent = append(absent, rel)
		}
	}
	if len(absent) == 0 {
		return nil
	}
	out, err := g.repo.git(ctx, "", append([]string{"--literal-pathspecs", "ls-files", "-z", "--"}, absent...)...)
	if err != nil {
		return err
	}
	all := slices.Clone(absent)
	tracked := git.Split(out)
	back := slices.DeleteFunc(absent, func(rel string) bool {
		was, ok := g.files.read(rel)
		if !ok || !slices.Contains(tracked, rel) {
			return false
		}
		err = errors.Join(err, g.repo.setAside(rel, was))
		return true
	})
	if err = errors.Join(err, r.putCopies(back)); err == nil {
		r.reportPaths(Destroyed, "", "missing since an agent ran; put back, or kept in "+g.repo.replacedFolder(), all)
	}
	return err
}
