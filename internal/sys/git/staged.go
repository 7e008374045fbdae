package git

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"warp/internal/durable"
)

// Staged lists the differences between the index and a tree or commit. The answer is cached while
// the index stays the same byte for byte; if nothing is staged, git is not asked at all. env makes
// git use another index, about which it is always asked.
func (o Root) Staged(ctx context.Context, from string, env ...string) ([]Difference, error) {
	if env == nil && o.isUnstaged(from) {
		return nil, nil
	}
	was, before := o.sumIndex()
	key := "staged " + from + " " + before
	out, known := o.memory.get(key)
	if !known || env != nil {
		var err error
		if out, err = o.Repo(o.Top).Must(ctx, Call{Args: []string{"diff-index", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--ignore-submodules=none", "--cached", "--end-of-options", from, "--"}, Env: env}); err != nil {
			return nil, err
		}
		// Git may have read an index that was there only in between.
		is, after := o.sumIndex()
		if env == nil && IsHash(from) && before != "" && before == after && os.SameFile(was, is) && was.ModTime().Equal(is.ModTime()) {
			o.memory.set(key, out)
		}
	}
	list, err := ParseDiff(Split(out))
	if err != nil {
		return nil, fmt.Errorf("reading what is staged in %s: %w", o.Top, err)
	}
	return list, nil
}

// isUnstaged reports whether the index equals a tree or commit, if that is quick to tell.
func (o Root) isUnstaged(from string) bool {
	tree, ok := (treeReader{o}).treeOf(from)
	if !ok {
		return false
	}
	text, err := durable.ReadPlain(o.indexFile())
	if err != nil {
		return false
	}
	name, ok := (&treeWriter{root: o}).nameIndex(text)
	return ok && name == tree
}

// sumIndex returns a checksum of the index, "" if it cannot be read or refers to other files.
func (o Root) sumIndex() (info fs.FileInfo, sum string) {
	info, err := os.Lstat(o.indexFile())
	if err != nil {
		return nil, ""
	}
	text, err := durable.ReadPlain(o.indexFile())
	if _, whole := parseIndex(text, len(o.Zero)/2); err != nil || !whole || o.objects() == nil {
		return nil, ""
	}
	return info, o.objects().Sum(text)
}
