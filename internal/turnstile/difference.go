package turnstile

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"warp/internal/core/drive"
	"warp/internal/core/quality"
	"warp/internal/sys/git"
)

// stateFolder holds what warp and the agent keep for themselves: it is never
// part of a chunk's diff.
const stateFolder = ".claude"

// tree is the fingerprint of the work tree; "" where there is no repository.
func (d *Drive) tree() (string, error) {
	if d.still != "" {
		return d.still, nil
	}
	_, err := d.repo()
	if errors.Is(err, git.ErrNotRepo) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return d.snapshot()
}

// snapshot is the work tree without the state folder. Files that cannot be
// read are taken as git last saw them: they are the user's, not the chunk's.
func (d *Drive) snapshot() (string, error) {
	tree, err := d.found.Snapshot(stateFolder)
	var unreadable *git.Unreadable
	if errors.As(err, &unreadable) {
		return tree, nil
	}
	return tree, err
}

// diffRelevance is the gate before code_complete: the chunk changed something
// that matters, and no test was weakened. It returns the work tree's
// fingerprint and why it refuses, "" when it does not.
func (d *Drive) diffRelevance(s *drive.State) (tree, reason string, err error) {
	repo, err := d.repo()
	if err != nil {
		return "", "", err
	}
	own := path.Join(d.found.Prefix, stateFolder)
	tree, err = d.tree()
	if err != nil {
		return "", "", err
	}
	changes, err := d.changes(repo, s.Chunk.Base, tree, own)
	if err != nil {
		return "", "", err
	}
	if len(changes) == 0 {
		return tree, "the chunk's diff is empty: nothing but " + stateFolder + "/ changed since the chunk began", nil
	}
	var asked []string // a criterion may want a test to go
	for _, id := range s.Present() {
		asked = append(asked, s.Written(id))
	}
	if weak := quality.Unasked(quality.Weakened(changes), asked); len(weak) > 0 {
		lines := make([]string, len(weak))
		for i, f := range weak {
			lines[i] = fmt.Sprintf("  %s: %s: %s", f.Path, f.Kind, f.Detail)
		}
		return tree, "the chunk weakens tests:\n" + strings.Join(lines, "\n"), nil
	}
	return tree, "", nil
}

// maxTestFile bounds the size of a test file that is read.
const maxTestFile = 4 << 20

// changes lists what differs between the chunk's base and the work tree, with
// the content of tests. Without a base, or with one that git has since
// collected, the last commit is the base.
func (d *Drive) changes(repo git.Repo, base, tree, own string) ([]quality.Change, error) {
	list, err := []git.Change(nil), errors.New("no base")
	if base != "" {
		list, err = d.Changes(base, tree)
	}
	if err != nil {
		if base, err = repo.Head(); err == nil && base == "" {
			base, err = repo.EmptyTree() // nothing was committed yet
		}
		if err != nil {
			return nil, err
		}
		if list, err = repo.Changes(base, tree); err != nil {
			return nil, err
		}
	}
	var out []quality.Change
	for _, c := range list {
		if under(c.Path, own) && (c.OldPath == "" || under(c.OldPath, own)) {
			continue
		}
		q := quality.Change{Path: c.Path, OldPath: c.OldPath}
		before := c.Path
		if c.OldPath != "" {
			before = c.OldPath
		}
		if c.Status != 'A' {
			if q.Before, err = content(repo, base, before); err != nil {
				return nil, err
			}
		}
		if c.Status != 'D' {
			if q.After, err = content(repo, tree, c.Path); err != nil {
				return nil, err
			}
		}
		out = append(out, q)
	}
	return out, nil
}

// content is a file's text where it could hold tests, and empty elsewhere: what
// is no test is not looked into.
func content(repo git.Repo, tree, path string) ([]byte, error) {
	if !quality.Reads(path) {
		return []byte{}, nil
	}
	text, err := repo.Content(tree, path, maxTestFile)
	if errors.Is(err, git.ErrNotFile) { // a repository inside this one
		return []byte{}, nil
	}
	return text, err
}

func under(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}
