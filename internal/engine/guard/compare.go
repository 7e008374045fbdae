package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/sys/git"
)

// changes are the paths that a run changed, by what becomes of them.
type changes struct {
	Outcome
	lost   []string // to be put back
	nested []string // repositories inside this one, which are not touched
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
		list := &c.Changed
		switch {
		case !had && dirty && covered(r.before.Ignored, p):
			list = &c.Revealed
		case r.isRepository(p):
			list = &c.nested
		case r.Beside && theirs && !dirty && now.Head != r.before.Head: // the person has committed it
			continue
		case theirs && (!dirty || is == git.Gone || !r.sameKind(p) || r.asCommitted(ctx, now, p)), back[p]:
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
	return staged && (r.hasContent(ctx, p, head) || r.hasContent(ctx, p, index))
}

// resetTo are the paths whose content is that of a commit which the work tree was
// reset to: the run did not write them, it lost what was there.
func (r *Run) resetTo(ctx context.Context, reverted, paths []string) (map[string]bool, error) {
	back := map[string]bool{}
	for _, commit := range reverted {
		out, err := r.g.ask(ctx, "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", commit, r.before.Head, "--")
		if failed := (*git.Failure)(nil); err != nil && !errors.As(err, &failed) { // the run may have made a branch of nothing
			return nil, err
		}
		for f := git.Split(out); len(f) > 1; f = f[2:] {
			m := strings.Fields(f[0]) // :MODE MODE HASH HASH STATUS
			if len(m) == 5 && slices.Contains(paths, f[1]) {
				back[f[1]] = back[f[1]] || r.hasContent(ctx, f[1], m[2])
			}
		}
	}
	return back, nil
}

// hasContent tells whether the file at a path has the content of an object; one of
// zeros is nothing.
func (r *Run) hasContent(ctx context.Context, p, object string) bool {
	full := r.g.files.live(p)
	if strings.Trim(object, "0") == "" {
		_, err := os.Lstat(full)
		return errors.Is(err, fs.ErrNotExist)
	}
	hash, err := r.g.ask(ctx, "hash-object", "--path="+p, "--", full)
	return err == nil && strings.TrimSpace(string(hash)) == object
}
