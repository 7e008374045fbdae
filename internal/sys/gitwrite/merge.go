package gitwrite

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/sys/git"
)

// A three is a path whose two changed states are to become one.
type three struct {
	path               string
	ours, base, theirs entry
}

// quick resolves what needs no look into the files.
func (m three) quick() (to entry, done, conflict bool) {
	switch {
	case m.ours == m.theirs || m.theirs == m.base:
		return m.ours, true, false
	case m.ours == m.base:
		return m.theirs, true, false
	case !m.ours.file() || !m.base.file() || !m.theirs.file():
		return entry{}, true, true
	}
	hash, same := pick(m.ours.hash, m.base.hash, m.theirs.hash)
	mode, _ := pick(m.ours.mode, m.base.mode, m.theirs.mode) // of two modes there is always one to pick
	return entry{mode, hash}, same, false
}

// pick is the side that has changed, unless both have.
func pick(ours, base, theirs string) (string, bool) {
	if ours == base {
		return theirs, true
	}
	return ours, theirs == base || ours == theirs
}

// merge resolves each three, and lists those that are in conflict.
func (t Tree) merge(ctx context.Context, dir string, list []three) (to map[string]entry, conflicts []string, err error) {
	to = map[string]entry{}
	for _, m := range list {
		e, done, conflict := m.quick()
		if !done {
			e.hash, conflict, err = t.mergeFiles(ctx, dir, m)
			if err != nil {
				return nil, nil, fmt.Errorf("merging %q in %s: %w", m.path, t.root.Top, err)
			}
		}
		if conflict {
			conflicts = append(conflicts, m.path)
			continue
		}
		to[m.path] = e
	}
	return to, conflicts, nil
}

// mergeFiles merges the content of files and stores the result.
func (t Tree) mergeFiles(ctx context.Context, dir string, m three) (hash string, conflict bool, err error) {
	blobs, err := t.blobs(ctx, m.ours.hash, m.base.hash, m.theirs.hash)
	if err != nil {
		return "", false, err
	}
	args := []string{"merge-file", "-p"}
	for i, b := range blobs {
		name := filepath.Join(dir, "merge-"+strconv.Itoa(i))
		if err := os.WriteFile(name, b, 0o600); err != nil {
			return "", false, err
		}
		args = append(args, name)
	}
	c := git.Call{Args: args}
	a, err := t.run(ctx, c)
	switch {
	case err != nil:
		return "", false, err
	case a.Exit == 0:
	case a.Exit < 128 || strings.Contains(a.Stderr, "Cannot merge binary files"):
		return "", true, nil
	default:
		return "", false, failure(t.root.Top, c, a)
	}
	out, err := t.must(ctx, git.Call{Args: []string{"hash-object", "-w", "--stdin"}, Stdin: a.Stdout})
	return strings.TrimSpace(string(out)), false, err
}

// blobs reads the content of objects.
func (t Tree) blobs(ctx context.Context, hashes ...string) (list [][]byte, err error) {
	contents, err := t.Repo().Contents(ctx, hashes)
	for _, hash := range hashes {
		text, there := contents[hash]
		if err == nil && !there {
			err = fmt.Errorf("git has no object %s; run «git fsck»", hash)
		}
		list = append(list, text)
	}
	return list, err
}
