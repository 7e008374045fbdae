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

// A three is a path with two changed states to merge.
type three struct {
	path               string
	ours, base, theirs entry
}

// quick resolves cases that do not need the content of files.
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
	mode, _ := pick(m.ours.mode, m.base.mode, m.theirs.mode) // of two modes, one side always equals the base
	return entry{mode, hash}, same, false
}

// pick returns the side that changed, unless both did.
func pick(ours, base, theirs string) (string, bool) {
	if ours == base {
		return theirs, true
	}
	return ours, theirs == base || ours == theirs
}

// merger merges changes, with a folder for temporary files.
type merger struct {
	root git.Root
	dir  string
}

// merge resolves each three, and lists those in conflict.
func (m merger) merge(ctx context.Context, list []three) (to map[string]entry, conflicts []string, err error) {
	to = map[string]entry{}
	for _, one := range list {
		e, done, conflict := one.quick()
		if !done {
			e.hash, conflict, err = m.mergeFiles(ctx, one)
			if err != nil {
				return nil, nil, fmt.Errorf("merging %q in %s: %w", one.path, m.root.Top, err)
			}
		}
		if conflict {
			conflicts = append(conflicts, one.path)
			continue
		}
		to[one.path] = e
	}
	return to, conflicts, nil
}

// mergeFiles merges the content of files and stores the result.
func (m merger) mergeFiles(ctx context.Context, one three) (hash string, conflict bool, err error) {
	hashes := []string{one.ours.hash, one.base.hash, one.theirs.hash}
	blobs, err := m.root.Repo(m.root.Top).Trees().Contents(ctx, hashes)
	if err != nil {
		return "", false, err
	}
	args := []string{"merge-file", "-p"}
	for i, h := range hashes {
		b, there := blobs[h]
		if !there {
			return "", false, fmt.Errorf("git has no object %s; run «git fsck»", h)
		}
		name := filepath.Join(m.dir, "merge-"+strconv.Itoa(i))
		if err := os.WriteFile(name, b, 0o600); err != nil {
			return "", false, err
		}
		args = append(args, name)
	}
	c := git.Call{Args: args}
	a, err := run(ctx, m.root.Top, c)
	switch {
	case err != nil:
		return "", false, err
	case a.Exit == 0:
	case a.Exit < 128 || strings.Contains(a.Stderr, "Cannot merge binary files"):
		return "", true, nil
	default:
		return "", false, failure(m.root.Top, c, a)
	}
	out, err := must(ctx, m.root.Top, git.Call{Args: []string{"hash-object", "-w", "--stdin"}, Stdin: a.Stdout})
	return strings.TrimSpace(string(out)), false, err
}
