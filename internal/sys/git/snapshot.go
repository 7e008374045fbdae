package git

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// Unreadable means that a snapshot lacks some paths. A tracked file among them is in the tree as
// the index has it, or not at all if it is in conflict there.
type Unreadable struct{ Paths []string }

func (e *Unreadable) Error() string {
	return fmt.Sprintf("taking a snapshot of the work tree: these could not be read: %s; make them readable or have git ignore them", text.Quote(e.Paths, 10))
}

// Snapshot returns the hash of a tree with the whole work tree as it is now, wherever in it Dir is:
// with untracked files, without ignored ones. It includes files that the index tells git not to
// look at. It leaves out everything under exclude (paths relative to Dir, separated by slashes),
// tracked or not. A submodule or nested repository is included as its checked-out commit, if it has
// one.
//
// With an *Unreadable error the tree is returned as well.
func (r Repo) Snapshot(exclude ...string) (tree string, err error) {
	root, err := r.Root()
	if err != nil {
		return "", err
	}
	return root.Snapshot(exclude...)
}

// Snapshot is Repo.Snapshot for a repository that was already located.
func (o Root) Snapshot(exclude ...string) (tree string, err error) {
	s, err := o.Stage(context.Background(), exclude...)
	if err != nil {
		return "", err
	}
	defer s.Remove()
	tree, ok := o.WriteTree(s)
	if !ok {
		// Do not fetch objects that a partial clone left on the server.
		sha, err := Repo{Dir: o.Top}.must(Call{Args: []string{"write-tree", "--missing-ok"}, Env: s.Env})
		if err != nil {
			return "", err
		}
		tree = strings.TrimSpace(string(sha))
	}
	if len(s.Unreadable) > 0 {
		return tree, &Unreadable{Paths: s.Unreadable}
	}
	return tree, nil
}

// excludes are paths, relative to the top, that are left out of a snapshot.
type excludes []string

// excludes drops paths behind a symbolic link: they are not in the tree anyway, and git would
// refuse them.
func (o Root) excludes(names []string) (excludes, error) {
	var e excludes
	for _, n := range names {
		p := path.Join(o.Prefix, n)
		if n == "" || path.IsAbs(n) || p == "." || p == ".." || strings.HasPrefix(p, "../") {
			return nil, fmt.Errorf("taking a snapshot of %s: %q cannot be left out of %q; name a path below that folder", o.Top, n, o.Prefix)
		}
		if !behindLink(o.Top, p) {
			e = append(e, p)
		}
	}
	return e, nil
}

func behindLink(top, p string) bool {
	for d := path.Dir(p); d != "."; d = path.Dir(d) {
		if st, err := os.Lstat(filepath.Join(top, filepath.FromSlash(d))); err == nil && st.Mode()&fs.ModeSymlink != 0 {
			return true
		}
	}
	return false
}

func (e excludes) match(p string) bool {
	return slices.ContainsFunc(e, func(x string) bool {
		return p == x || strings.HasPrefix(p, x) && p[len(x)] == '/'
	})
}

// pathspecs selects everything else.
func (e excludes) pathspecs() []string {
	specs := []string{":(top)"}
	for _, x := range e {
		specs = append(specs, ":(top,exclude,literal)"+x)
	}
	return specs
}
