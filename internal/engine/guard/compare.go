package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// changes are the paths that a run changed, by what becomes of them.
type changes struct {
	run      []string // its own
	lost     []string // to be put back
	yours    []string // a person's, changed and not lost
	outside  []string // not its own, and left where they are
	revealed []string // ignored before
	nested   []string // repositories inside this one, which are not touched
}

// compare sorts what has changed since before the run. Reverted are the commits
// that the work tree was reset to.
func (r *Run) compare(ctx context.Context, now git.Print, reverted []string) (c changes, err error) {
	paths, _ := now.Since(r.before)
	back, err := r.resetTo(ctx, reverted, paths)
	if err != nil {
		return c, err
	}
	for _, p := range paths {
		was, had := r.before.Dirty[p]
		is, dirty := now.Dirty[p]
		theirs := r.theirs[p] && had && was != git.Gone
		switch {
		case !had && dirty && covered(r.before.Ignored, p):
			c.revealed = append(c.revealed, p)
		case r.isRepository(p):
			c.nested = append(c.nested, p)
		case r.Beside && theirs && !dirty && now.Head != r.before.Head: // the person has committed it
		case theirs && (!dirty || is == git.Gone || !r.sameKind(p) || r.asCommitted(ctx, now, p)), back[p]:
			c.lost = append(c.lost, p)
		case theirs:
			c.yours = append(c.yours, p)
		case r.ReadOnly:
			c.lost = append(c.lost, p)
		case r.Allows != nil && !r.Allows(p):
			c.outside = append(c.outside, p)
		default:
			c.run = append(c.run, p)
		}
	}
	return c, nil
}

// isRepository tells a submodule or another repository inside this one, also one
// that is gone: what is in it is not ours to put back.
func (r *Run) isRepository(p string) bool {
	_, err := os.Lstat(filepath.Join(r.g.files.live(p), ".git"))
	return err == nil || strings.HasSuffix(p, "/")
}

// sameKind tells whether what stands at a path is a file, where a file was, or a
// link where a link was.
func (r *Run) sameKind(p string) bool {
	now, err := os.Lstat(r.g.files.live(p))
	if err != nil {
		return false
	}
	was, err := os.Lstat(r.g.files.at(p))
	return err != nil || now.Mode().Type() == was.Mode().Type()
}

// asCommitted tells whether a file that is staged has the content that the commit
// or the index has: git has put it there.
func (r *Run) asCommitted(ctx context.Context, now git.Print, p string) bool {
	_, head, staged := strings.Cut(now.Staged[p].Head, " ")
	_, index, _ := strings.Cut(now.Staged[p].Index, " ")
	return staged && (r.is(ctx, p, head) || r.is(ctx, p, index))
}

// resetTo are the paths whose content is that of a commit which the work tree was
// reset to: the run did not write them, it lost what was there.
func (r *Run) resetTo(ctx context.Context, reverted, paths []string) (map[string]bool, error) {
	back := map[string]bool{}
	repo := r.g.Work.Repo()
	for _, commit := range reverted {
		a, err := repo.Run(ctx, git.Call{Args: []string{"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", commit, r.before.Head, "--"}})
		if err != nil {
			return nil, err
		}
		f := git.Split(a.Stdout)
		for ; len(f) > 1; f = f[2:] {
			m := strings.Fields(f[0]) // :MODE MODE HASH HASH STATUS
			if len(m) != 5 || !slices.Contains(paths, f[1]) {
				continue
			}
			back[f[1]] = back[f[1]] || r.is(ctx, f[1], m[2])
		}
	}
	return back, nil
}

// is tells whether the file at a path has the content of an object; one of zeros
// is nothing.
func (r *Run) is(ctx context.Context, p, object string) bool {
	full := r.g.files.live(p)
	if strings.Trim(object, "0") == "" {
		_, err := os.Lstat(full)
		return errors.Is(err, fs.ErrNotExist)
	}
	a, err := r.g.Work.Repo().Run(ctx, git.Call{Args: []string{"hash-object", "--path=" + p, "--", full}})
	return err == nil && a.Exit == 0 && strings.TrimSpace(string(a.Stdout)) == object
}

// restoreFiles puts back what is lost, and keeps a person's files as they were
// where they were changed. It tells whether the work tree is another now.
func (r *Run) restoreFiles(ctx context.Context, c changes) (bool, error) {
	g := r.g
	if len(c.yours) > 0 {
		kept := g.replacedFolder()
		for _, p := range c.yours {
			if text, ok := g.files.read(p); ok {
				if err := writeNew(g.replacedFile(p, text), text); err != nil {
					return false, err
				}
			}
		}
		r.report(Yours, kept, "files with uncommitted changes of yours were changed while the agent ran; as they were, they are kept in %s: %s", kept, text.Quote(c.yours, 5))
	}
	gone, err := r.restoreIgnored()
	if err != nil {
		return false, err
	}
	if len(c.revealed) > 0 {
		g.Remark("git ignored these before the agent changed what it ignores; they stay yours, and are not committed: %s", text.Quote(c.revealed, 5))
	}
	if len(c.nested) > 0 {
		r.report(Yours, "", "repositories inside this one were changed while the agent ran; they are not protected, and stay as they are: %s", text.Quote(c.nested, 5))
	}
	if len(c.lost) == 0 {
		return gone, nil
	}
	if err := r.makeRoom(c.lost); err != nil {
		return false, err
	}
	kept := ""
	if r.ReadOnly {
		if tree, err := g.Snapshot(); err == nil {
			kept = r.keep(ctx, "verifier", tree)
		}
	}
	var copied, committed, missing []string
	for _, p := range c.lost {
		was := r.before.Dirty[p]
		switch _, err := os.Lstat(g.files.at(p)); {
		case was != "" && was != git.Gone && err == nil:
			copied = append(copied, p)
		case was != "" && was != git.Gone:
			missing = append(missing, p)
		default:
			committed = append(committed, p)
		}
	}
	if len(missing) > 0 {
		r.report(Destroyed, "", "LOST: the agent destroyed these, and there is no copy of them: %s", text.Quote(missing, 5))
		c.lost = slices.DeleteFunc(c.lost, func(p string) bool { return slices.Contains(missing, p) })
	}
	if err := g.Work.Put(g.files.dir, copied); err != nil {
		return false, err
	}
	if len(committed) > 0 {
		if err := g.Work.Restore(ctx, r.before.Head, committed, true); err != nil {
			return false, err
		}
	}
	if r.ReadOnly {
		r.report(Looked, kept, "files were changed while an agent ran that may only look; they were put back: %s", text.Quote(c.lost, 5))
	} else {
		r.report(Destroyed, "", "the agent destroyed or reverted files that are not its own; they were put back: %s", text.Quote(c.lost, 5))
	}
	return true, nil
}

// restoreIgnored puts back ignored files that are gone or emptied. In an ignored
// folder that has been made anew, as npm ci does, what is gone stays gone, and is
// kept beside.
func (r *Run) restoreIgnored() (bool, error) {
	g := r.g
	var back []string
	for rel := range g.files.stamps {
		if _, dirty := r.before.Dirty[rel]; dirty || !covered(r.before.Ignored, rel) && !g.hidden[rel] {
			continue
		}
		was, err := os.Lstat(g.files.at(rel))
		if err != nil {
			continue
		}
		now, err := os.Lstat(g.files.live(rel))
		switch {
		case err == nil && now.Mode().Type() == was.Mode().Type() && (now.Size() > 0 || r.g.files.stamps[rel].size == 0):
			if err := r.keepSecret(rel, was, now); err != nil {
				return false, err
			}
		default:
			back = append(back, rel)
		}
	}
	remade := r.remade(back)
	for _, rel := range back {
		if text, ok := g.files.read(rel); ok && remade[topFolder(r.before.Ignored, rel)] {
			if err := writeNew(g.replacedFile(rel, text), text); err != nil {
				return false, err
			}
			g.Remark("%s is gone from an ignored folder that was made anew; it is kept in %s", rel, g.replacedFolder())
		}
	}
	back = slices.DeleteFunc(back, func(rel string) bool { return remade[topFolder(r.before.Ignored, rel)] })
	if len(back) == 0 {
		return false, nil
	}
	slices.Sort(back)
	if err := errors.Join(r.makeRoom(back), g.Work.Put(g.files.dir, back)); err != nil {
		return false, err
	}
	r.report(Destroyed, "", "the agent deleted files that git does not have; they were put back: %s", text.Quote(back, 5))
	return true, nil
}

// remade are the ignored folders with files gone in which there are others now
// that were not there before.
func (r *Run) remade(gone []string) map[string]bool {
	folders := map[string]bool{}
	for _, rel := range gone {
		top := topFolder(r.before.Ignored, rel)
		if top == "" || folders[top] {
			continue
		}
		list, _ := r.g.folder(top)
		folders[top] = slices.ContainsFunc(list, func(f string) bool { return r.g.files.stamps[f] == stamp{} })
	}
	return folders
}

// topFolder is the ignored folder that a path is in; "": it is ignored by itself.
func topFolder(ignored []string, rel string) string {
	for _, i := range ignored {
		if strings.HasSuffix(i, "/") && strings.HasPrefix(rel, i) {
			return i
		}
	}
	return ""
}

// makeRoom moves away what stands where a file has to be: a folder of its name,
// or a file in the place of its folder.
func (r *Run) makeRoom(paths []string) error {
	for _, p := range paths {
		for q := p; q != "." && q != "/"; q = filepath.ToSlash(filepath.Dir(q)) {
			info, err := os.Lstat(r.g.files.live(q))
			if err != nil || q != p && info.IsDir() {
				continue
			}
			if q == p && !info.IsDir() && info.Mode().IsRegular() {
				continue
			}
			if _, err := os.Lstat(filepath.Join(r.g.files.live(q), ".git")); err == nil {
				return fmt.Errorf("%q stands in the place of a file, and is a repository: move it away", q)
			}
			to := r.g.replacedFile(q, []byte(r.g.Now().String()))
			if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.Rename(r.g.files.live(q), to)); err != nil {
				return err
			}
			r.report(Destroyed, to, "what the agent put in the place of a file that is not its own was moved away: %q", q)
		}
	}
	return nil
}
