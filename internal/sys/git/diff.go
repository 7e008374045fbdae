package git

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A Change is how one path differs between two trees. Status is git's letter:
// A added, D deleted, M content or mode changed, R renamed, T its type changed
// (file, symbolic link, submodule). OldPath is only set with R.
type Change struct {
	Status        byte
	OldPath, Path string
}

// IsHash tells a full hash, of SHA-1 or of SHA-256. As nothing else is taken
// for a tree, no argument that comes from outside can be read as an option.
func IsHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// EmptyTree is the hash of the tree without files, which every repository has.
func (r Repo) EmptyTree() (string, error) {
	out, err := r.must(Call{Args: []string{"hash-object", "-t", "tree", "--stdin"}, Stdin: []byte{}})
	return strings.TrimSpace(string(out)), err
}

// Changes returns what has to be done to one tree to get the other, ordered by
// path. A commit stands for its tree.
func (r Repo) Changes(fromTree, toTree string) ([]Change, error) {
	for _, t := range []string{fromTree, toTree} {
		if !IsHash(t) {
			return nil, fmt.Errorf("comparing trees in %s: %q is not a full hash; use what Snapshot or Head returned", r.Dir, t)
		}
	}
	out, err := r.must(Call{Args: []string{"diff-tree", "-r", "-M", "-z", "--name-status",
		// .gitmodules, which is part of the work tree, could hide some.
		"--ignore-submodules=none", fromTree, toTree, "--"}})
	if err != nil {
		return nil, err
	}
	changes, err := parseChanges(Split(out))
	if err != nil {
		return nil, fmt.Errorf("comparing %s and %s in %s: %w", fromTree, toTree, r.Dir, err)
	}
	return changes, nil
}

// parseChanges reads a status, such as M or R087, followed by its paths.
func parseChanges(f []string) ([]Change, error) {
	var list []Change
	for len(f) > 0 {
		if len(f) < 2 || f[0] == "" {
			return nil, errTorn
		}
		c := Change{Status: f[0][0], Path: f[1]}
		f = f[2:]
		if c.Status == 'R' || c.Status == 'C' {
			if len(f) == 0 {
				return nil, errTorn
			}
			c.OldPath, c.Path, f = c.Path, f[0], f[1:]
		}
		list = append(list, c)
	}
	return list, nil
}

// Content returns the content of a file in a tree, of a symbolic link its
// target. It is fs.ErrNotExist when there is no such path, ErrNotFile when it is
// a folder or a submodule, and ErrTooLarge beyond the limit, in which case
// nothing is read.
func (r Repo) Content(tree, name string, limit int64) ([]byte, error) {
	b, err := r.content(tree, name, limit)
	if err != nil {
		return nil, fmt.Errorf("reading %q of the tree %s in %s: %w", name, tree, r.Dir, err)
	}
	return b, nil
}

func (r Repo) content(tree, name string, limit int64) ([]byte, error) {
	if !IsHash(tree) {
		return nil, fmt.Errorf("%q is not a full hash; use what Snapshot or Head returned", tree)
	}
	if !inTree(name) {
		return nil, fs.ErrNotExist
	}
	out, err := r.must(Call{Args: []string{"--literal-pathspecs", "ls-tree", "-z", "-l", "--full-tree", tree, "--", name}})
	if err != nil {
		return nil, err
	}
	// MODE TYPE HASH SIZE, a tab, PATH.
	meta, found, _ := strings.Cut(strings.TrimSuffix(string(out), "\x00"), "\t")
	f := strings.Fields(meta)
	if found != name || len(f) != 4 {
		return nil, fs.ErrNotExist
	}
	if f[1] != "blob" {
		return nil, fmt.Errorf("%w but a %s", ErrNotFile, f[1])
	}
	size, err := strconv.ParseInt(f[3], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("its size %q: %w; run «git fsck»", f[3], err)
	}
	if size > limit {
		return nil, fmt.Errorf("%w: it has %d bytes, %d are the limit", errTooLarge, size, limit)
	}
	return r.must(Call{Args: []string{"cat-file", "blob", f[2]}, Max: int(size) + 1})
}

// inTree says that a name can be that of a path in a tree.
func inTree(name string) bool {
	return name != "" && path.Clean(name) == name && name[0] != '/' &&
		name != "." && name != ".." && !strings.HasPrefix(name, "../") && !strings.Contains(name, "\x00")
}

// Paths are those that some changes are about, of a renamed file both.
func Paths(changes []Change) (list []string) {
	for _, c := range changes {
		list = append(list, c.Path)
		if c.OldPath != "" {
			list = append(list, c.OldPath)
		}
	}
	return list
}

// Graft is a tree with some files of another, or without them where that has none.
func (r Repo) Graft(ctx context.Context, tree, other string, paths []string) (string, error) {
	root, err := r.Root()
	if err != nil {
		return "", err
	}
	stage, err := root.Blank()
	if err != nil {
		return "", err
	}
	defer stage.Remove()
	at := Repo{Dir: root.Top}
	remove := []byte(strings.Join(paths, "\x00") + "\x00")
	var out []byte
	calls := []Call{
		{Args: []string{"read-tree", tree}},
		{Args: []string{"update-index", "--force-remove", "-z", "--stdin"}, Stdin: remove},
		{Args: append([]string{"--literal-pathspecs", "ls-tree", "-r", "-z", "--full-tree", other, "--"}, paths...)},
		{Args: []string{"update-index", "-z", "--index-info"}}, // of what the one before has listed
		{Args: []string{"write-tree", "--missing-ok"}},
	}
	if len(paths) == 0 { // ls-tree would list everything
		calls = slices.Delete(calls, 1, 4)
	}
	for _, c := range calls {
		if c.Stdin == nil && len(out) > 0 {
			c.Stdin = out
		}
		c.Env = stage.Env
		if out, err = at.Must(ctx, c); err != nil {
			return "", err
		}
	}
	return strings.TrimSpace(string(out)), nil
}
