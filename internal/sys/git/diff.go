package git

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// A Change is the difference of one path between two trees. Status is git's letter: A added, D
// deleted, M content or mode changed, R renamed, T type changed (file, symbolic link, submodule).
// OldPath is only set with R.
type Change struct {
	Status        byte
	OldPath, Path string
}

// IsHash reports whether s is a full SHA-1 or SHA-256 hash. Only hashes are accepted as trees, so
// that no argument from outside can be read as an option.
func IsHash(s string) bool {
	return (len(s) == 40 || len(s) == 64) && strings.Trim(s, "0123456789abcdef") == ""
}

// Trees reads a repository's trees and their files. Objects never change, so git is asked only once
// about those named by hash.
type Trees struct{ repo Repo }

// Trees returns the repository's trees.
func (r Repo) Trees() Trees { return Trees{r} }

// emptyTrees maps a hash kind's null hash to its hash of the empty tree.
var emptyTrees = lazy.Table[string, string]{
	{zeroSHA1, "4b825dc642cb6eb9a060e54bf8d69288fbee4904"},
	{zeroSHA256, "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"},
}

// Empty returns the hash of the empty tree, which every repository has.
func (t Trees) Empty() (string, error) {
	if t.repo.root != nil && emptyTrees.Get(t.repo.root.Zero) != "" {
		return emptyTrees.Get(t.repo.root.Zero), nil
	}
	out, err := t.repo.must(Call{Args: []string{"hash-object", "-t", "tree", "--stdin"}, Stdin: []byte{}})
	return strings.TrimSpace(string(out)), err
}

// Changes returns the changes from one tree to the other, ordered by path. A commit stands for its
// tree.
func (t Trees) Changes(fromTree, toTree string) ([]Change, error) {
	for _, name := range []string{fromTree, toTree} {
		if !IsHash(name) {
			return nil, fmt.Errorf("comparing trees in %s: %q is not a full hash; use what Snapshot or Head returned", t.repo.Dir, name)
		}
	}
	list, err := t.Diff(context.Background(), fromTree, toTree, true)
	if err != nil {
		return nil, err
	}
	var changes []Change
	for _, d := range list {
		changes = append(changes, d.Change)
	}
	return changes, nil
}

// A Difference is a change with the modes and hashes of both sides, zeros if a side is missing.
type Difference struct {
	Change
	Modes, Hashes [2]string // before and after
}

// Diff lists the changes from one tree to the other, with renames or with deletions and additions
// instead. It ignores attributes.
func (t Trees) Diff(ctx context.Context, from, to string, renames bool) ([]Difference, error) {
	if list, ok := t.loose().differences(from, to); ok && !(renames && mayRename(list)) {
		return list, nil
	}
	args := []string{"diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames",
		// .gitmodules, which is part of the work tree, could hide changes.
		"--ignore-submodules=none", "--end-of-options", from, to, "--"}
	if renames {
		args[5] = "-M"
	}
	out, err := t.repo.About(ctx, Call{Args: args}, from, to)
	if err != nil {
		return nil, err
	}
	list, err := parseDiff(Split(out))
	if err != nil {
		return nil, fmt.Errorf("comparing %s and %s in %s: %w", from, to, t.repo.Dir, err)
	}
	return list, nil
}

// loose reads trees without a process. Without a root it knows none.
func (t Trees) loose() treeReader {
	if t.repo.root == nil {
		return treeReader{}
	}
	return treeReader{*t.repo.root}
}

// mayRename reports whether files were both deleted and added; otherwise nothing was renamed.
func mayRename(list []Difference) bool {
	has := func(status byte) bool {
		return slices.ContainsFunc(list, func(d Difference) bool { return d.Status == status })
	}
	return has('D') && has('A')
}

// Of returns the tree of a commit.
func (t Trees) Of(ctx context.Context, commit string) (string, error) {
	if tree, ok := t.loose().treeOf(commit); ok {
		return tree, nil
	}
	out, err := t.repo.About(ctx, Call{Args: []string{"rev-parse", "--verify", "-q", commit + "^{tree}"}}, commit)
	return strings.TrimSpace(string(out)), err
}

// parseDiff parses «:MODE MODE HASH HASH STATUS», each followed by a path, or two for a rename.
func parseDiff(f []string) (list []Difference, err error) {
	for len(f) > 0 {
		m := strings.Fields(strings.TrimPrefix(f[0], ":"))
		if len(m) != 5 || len(f) < 2 {
			return nil, errTorn
		}
		d := Difference{Change{Status: m[4][0], Path: f[1]}, [2]string{m[0], m[1]}, [2]string{m[2], m[3]}}
		f = f[2:]
		if d.Status == 'R' || d.Status == 'C' {
			if len(f) == 0 {
				return nil, errTorn
			}
			d.OldPath, d.Path, f = d.Path, f[0], f[1:]
		}
		list = append(list, d)
	}
	return list, nil
}

// Content returns the content of a file in a tree, or the target of a symbolic link. The error is
// fs.ErrNotExist if there is no such path, ErrNotFile for a folder or submodule, and errTooLarge
// beyond the limit.
func (t Trees) Content(tree, name string, limit int64) ([]byte, error) {
	b, err := t.content(tree, name, limit)
	if err != nil {
		return nil, fmt.Errorf("reading %q of the tree %s in %s: %w", name, tree, t.repo.Dir, err)
	}
	return b, nil
}

func (t Trees) content(tree, name string, limit int64) ([]byte, error) {
	if !IsHash(tree) {
		return nil, fmt.Errorf("%q is not a full hash; use what Snapshot or Head returned", tree)
	}
	if !inTree(name) {
		return nil, fs.ErrNotExist
	}
	list, err := t.Folder(tree, path.Dir(name))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(e TreeEntry) bool { return e.Path == name })
	if i < 0 {
		return nil, fs.ErrNotExist
	}
	if list[i].Kind != "blob" {
		return nil, fmt.Errorf("%w but a %s", ErrNotFile, list[i].Kind)
	}
	return t.blob(list[i].Hash, limit)
}

// TreeEntry is an entry of a tree: a blob, a tree, or a submodule's commit.
type TreeEntry struct{ Path, Mode, Kind, Hash string }

// Folder lists the entries of a folder in a tree or commit; "." is its top.
func (t Trees) Folder(tree, folder string) (list []TreeEntry, err error) {
	if list, ok := t.loose().folder(tree, folder); ok {
		return list, nil
	}
	args := []string{"--literal-pathspecs", "ls-tree", "-z", "--full-tree", tree}
	if folder != "." {
		args = append(args, "--", folder+"/")
	}
	out, err := t.repo.About(context.Background(), Call{Args: args}, tree)
	for _, line := range Split(out) { // MODE TYPE HASH, a tab, PATH
		meta, name, _ := strings.Cut(line, "\t")
		f := strings.Fields(meta)
		if len(f) != 3 {
			return nil, errTorn
		}
		list = append(list, TreeEntry{name, f[0], f[1], f[2]})
	}
	return list, err
}

// Files lists the files of a commit or tree, all of them or those below the given paths.
func (t Trees) Files(tree string, below ...string) ([]string, error) {
	if len(below) < 2 && !slices.Contains(below, "") {
		if list, ok := t.loose().filesBelow(tree, strings.Join(below, "")); ok {
			return list, nil
		}
	}
	out, err := t.repo.About(context.Background(), Call{Args: append([]string{"--literal-pathspecs", "ls-tree", "-r", "-z", "--name-only", "--full-tree", tree, "--"}, below...)}, tree)
	return Split(out), err
}

// inTree reports whether name can be a path in a tree.
func inTree(name string) bool {
	return name != "" && path.Clean(name) == name && name[0] != '/' &&
		name != "." && name != ".." && !strings.HasPrefix(name, "../") && !strings.Contains(name, "\x00")
}

// Paths returns the paths of changes, both of them for a rename.
func Paths(changes []Change) (list []string) {
	for _, c := range changes {
		list = append(list, c.Path)
		if c.OldPath != "" {
			list = append(list, c.OldPath)
		}
	}
	return list
}
