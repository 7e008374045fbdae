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

// Unreadable is the error of a snapshot that is whole but for some paths. A
// tracked file among them is in the tree as the index has it, or not at all
// when it is in conflict there.
type Unreadable struct{ Paths []string }

func (e *Unreadable) Error() string {
	return fmt.Sprintf("taking a snapshot of the work tree: these could not be read: %s; make them readable or have git ignore them", text.Quote(e.Paths, 10))
}

// Snapshot returns the hash of a tree that holds the whole work tree of the
// repository as it is now, wherever in it Dir is: untracked files too, ignored
// ones not. Files that the index tells git not to look at are looked at. What
// is under an exclude (a path relative to Dir, separated by slashes) is left
// out, tracked or not. A submodule or other repository inside is there as the
// commit that it has checked out, and not at all when it has none.
//
// With an *Unreadable the tree is returned as well; with any other error not.
func (r Repo) Snapshot(exclude ...string) (tree string, err error) {
	root, err := r.Root()
	if err != nil {
		return "", err
	}
	return root.Snapshot(exclude...)
}

// Snapshot is that of a repository that was found already.
func (o Root) Snapshot(exclude ...string) (tree string, err error) {
	s, err := o.Stage(context.Background(), exclude...)
	if err != nil {
		return "", err
	}
	defer s.Remove()
	tree, ok := o.writeTree(context.Background(), s)
	if !ok {
		// Objects that a partial clone has left on the server are no reason to
		// fetch them now.
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

// excludes are paths, from the top, of which nothing goes into a snapshot.
type excludes []string

// excludes leaves out those behind a symbolic link: they are not in the tree
// anyway, and git would refuse them.
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
