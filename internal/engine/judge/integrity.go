package judge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/project"
	"warp/internal/core/quality"
	"warp/internal/core/suite"
	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// Candidate is work that is about to count for something: a tree, the one that it
// began with, and what was asked for.
type Candidate struct {
	Repo       git.Repo
	Base, Tree string   // trees or commits
	Prefix     string   // the project's folder from the top of the work tree
	Tests      string   // the test command; "": none is run
	Asked      []string // what the criteria say: one may want a test to go
	// Suite holds it against the tests as they were; nil: they are only read.
	Suite *Tests
}

// Integrity says how work makes its tests worth less (deleted, skipped, emptied or
// weakened ones, a test command that runs something else), or "" when it does not.
// It is the one port for that question, for every engine.
type Integrity func(ctx context.Context, c Candidate) (why string, err error)

// CheckIntegrity is the Integrity of engines that have no verifier to compare old tests
// with new ones: what passes only in its new version does not count, unless a criterion
// gives it free.
func CheckIntegrity(ctx context.Context, c Candidate) (string, error) {
	if why, err := ReadTests(c); err != nil || why != "" || c.Suite == nil || c.Base == "" || c.Base == c.Tree {
		return why, err
	}
	if touched, err := c.Suite.Touched(c); err != nil || !touched {
		return "", err
	}
	f, err := c.Suite.Compare(ctx, c)
	if err != nil {
		return "", err
	}
	if changed := f.unasked(c); len(changed) > 0 {
		f.Blocks = append(f.Blocks, "these tests fail as they were, and pass only in their new version: "+text.Quote(changed, 10)+
			"; keep what they expect (a criterion that wants it otherwise says allow-test-change: PATH)")
	}
	return f.Why(), nil
}

// changes are those of the work, found out once for a suite.
func (c Candidate) changes() ([]git.Change, error) {
	t := c.Suite
	if t == nil {
		return c.Repo.Changes(c.Base, c.Tree)
	}
	key := c.Base + " " + c.Tree
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.compares != key {
		list, err := c.Repo.Changes(c.Base, c.Tree)
		if err != nil {
			return nil, err
		}
		t.compares, t.list = key, list
	}
	return slices.Clone(t.list), nil
}

// maxTestFile bounds what is read of a test, maxScript of what a test command is
// made of.
const (
	maxTestFile = 4 << 20
	maxScript   = 1 << 20
)

// ReadTests is the Integrity that reads the tests of the languages it knows.
func ReadTests(c Candidate) (string, error) {
	if c.Base == "" || c.Base == c.Tree {
		return "", nil
	}
	list, err := c.changes()
	if err != nil {
		return "", err
	}
	changes, err := c.contents(list)
	if err != nil {
		return "", err
	}
	if weak := c.unasked(quality.Weakened(changes)); len(weak) > 0 {
		lines := make([]string, len(weak))
		for i, f := range weak {
			lines[i] = fmt.Sprintf("  %s: %s: %s", f.Path, f.Kind, f.Detail)
		}
		return "tests are weakened:\n" + strings.Join(lines, "\n"), nil
	}
	if files := c.Rerouted(list); len(files) > 0 && c.Suite == nil {
		return "how the tests are run was changed, which no criterion asks for: " + text.Quote(files, 5), nil
	}
	return "", nil
}

// unasked are findings that no criterion gives free. Where tests are held against what
// they were, only allow-test-change does: that a criterion names a file says little.
func (c Candidate) unasked(weak []quality.Finding) []quality.Finding {
	if c.Suite == nil {
		return quality.Unasked(weak, c.Asked)
	}
	allowed := suite.AllowedTestChanges(c.Asked)
	return slices.DeleteFunc(weak, func(f quality.Finding) bool { return suite.MatchesAny(allowed, f.Path) })
}

// contents are the changes with the content of tests.
func (c Candidate) contents(list []git.Change) (out []quality.Change, err error) {
	read := func(tree, name string, there bool) (text []byte) {
		if !there || err != nil {
			return nil
		}
		if quality.Reads(name) {
			text, err = c.Repo.Content(tree, name, maxTestFile)
		}
		if errors.Is(err, git.ErrNotFile) { // a repository inside this one
			err = nil
		}
		return append([]byte{}, text...)
	}
	own := path.Join(c.Prefix, ".claude") + "/"
	for _, ch := range list {
		if strings.HasPrefix(ch.Path, own) && (ch.OldPath == "" || strings.HasPrefix(ch.OldPath, own)) {
			continue
		}
		q := quality.Change{Path: ch.Path, OldPath: ch.OldPath}
		q.Before = read(c.Base, cmp.Or(ch.OldPath, ch.Path), ch.Status != 'A')
		q.After = read(c.Tree, ch.Path, ch.Status != 'D')
		out = append(out, q)
	}
	return out, err
}

// runners are the files that a test command may stand for, besides those it names.
var runners = []string{"GNUmakefile", "makefile", "Makefile", "package.json"}

// Rerouted lists the files by which the test command comes to run something else,
// and that no criterion names. List is what has changed.
func (c Candidate) Rerouted(list []git.Change) []string {
	names := append(strings.FieldsFunc(c.Tests, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>\"'`", r) }), runners...)
	touched := func(ch git.Change) bool {
		return slices.ContainsFunc(names, func(n string) bool { n = path.Join(c.Prefix, n); return n == ch.Path || n == ch.OldPath })
	}
	if c.Tests == "" || !slices.ContainsFunc(list, touched) {
		return nil
	}
	in := func(tree string) project.Files {
		return func(name string) ([]byte, bool) {
			text, err := c.Repo.Content(tree, path.Join(c.Prefix, name), maxScript)
			return text, err == nil
		}
	}
	files := project.ChangedRunners(c.Tests, in(c.Base), in(c.Tree))
	return slices.DeleteFunc(files, func(file string) bool {
		return slices.ContainsFunc(c.Asked, func(text string) bool { return strings.Contains(text, path.Base(file)) })
	})
}
