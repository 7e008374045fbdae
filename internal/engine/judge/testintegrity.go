package judge

import (
	"cmp"
	"context"
	"errors"
	"path"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/project"
	"warp/internal/core/testintegrity"
	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// Candidate is work to be judged: a tree, its base, and the criteria.
type Candidate struct {
	Repo       git.Repo
	Base, Tree string   // trees or commits
	Prefix     string   // the project's folder relative to the top of the work tree
	Tests      string   // the test command; "": none runs
	Criteria   []string // their texts: only allow-test-change matters here
	Resolved   []string // files in which an agent resolved a conflict
	// Suite runs the old tests; nil: only the diff is read.
	Suite *Tests
}

// Integrity returns how work weakens its tests (deletes, skips or empties them, or changes what the
// test command runs), or "". Every engine uses this port.
type Integrity func(ctx context.Context, c Candidate) (why string, err error)

// CheckIntegrity is the Integrity of engines without a verifier that could compare old tests with
// new ones: a test that passes only in its new version does not count, unless a criterion allows
// it.
func CheckIntegrity(ctx context.Context, c Candidate) (string, error) {
	if why, err := ReadTests(c); err != nil || why != "" || c.Suite == nil || c.Base == "" || c.Base == c.Tree {
		return why, err
	}
	if touched, err := c.Suite.ChangesTests(c); err != nil || !touched {
		return "", err
	}
	f, err := c.Suite.CompareWithOldTests(ctx, c)
	if err != nil {
		return "", err
	}
	o, err := c.Suite.newComparison(c)
	if changed := slices.DeleteFunc(slices.Clone(f.Changed), o.isAllowed); len(changed) > 0 {
		f.block(o.filesOf(changed), "the old versions of these tests fail, only the new ones pass: %s; keep what they expect", text.Quote(changed, 10))
	}
	return f.Why(), err
}

// CheckEach checks the work once per command, with that command's old tests. For the command "" it
// only reads the diff.
func (s CommandSetup) CheckEach(ctx context.Context, ask Integrity, c Candidate, site Site, lines ...string) (why string, err error) {
	if ask == nil {
		ask = CheckIntegrity
	}
	for _, line := range lines {
		c.Tests, c.Suite = line, s.NewTests(c, site, Command{Line: line})
		if why, err = ask(ctx, c); err != nil || why != "" {
			return why, err
		}
	}
	return "", nil
}

// NewTests returns a command's tests, to compare with those at a candidate's base; nil without a
// command, or without rooms to run the old ones in.
func (s CommandSetup) NewTests(c Candidate, site Site, command Command) *Tests {
	if s.Rooms == nil || command.Line == "" {
		return nil
	}
	command.Environ, site.Rooms = s.Environ, s.Rooms
	return &Tests{Command: command, Site: site, Repo: c.Repo, Prefix: c.Prefix, Protected: s.Protected, CacheDir: CacheDirIn(s.State)}
}

// listChanges lists the work's changes; a suite caches them.
func (c Candidate) listChanges() ([]git.Change, error) {
	t := c.Suite
	if t == nil {
		return c.Repo.Trees().Changes(c.Base, c.Tree)
	}
	key := c.Base + " " + c.Tree
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.comparedTrees != key {
		list, err := c.Repo.Trees().Changes(c.Base, c.Tree)
		if err != nil {
			return nil, err
		}
		t.comparedTrees, t.changes = key, list
	}
	return slices.Clone(t.changes), nil
}

// Limits of a test's size, and of a script's that a test command runs.
const (
	maxTestFile = 4 << 20
	maxScript   = 1 << 20
)

// ReadTests finds weakened tests in the diff that no test runner reports.
func ReadTests(c Candidate) (string, error) {
	if c.Base == "" || c.Base == c.Tree {
		return "", nil
	}
	list, err := c.listChanges()
	if err != nil {
		return "", err
	}
	changes, err := c.readContents(list)
	if err != nil {
		return "", err
	}
	allowed := criteria.AllowedTestChanges(c.Criteria)
	weak, paths := testintegrity.Describe(testintegrity.FindWeakened(changes, c.Resolved...), func(path string) bool { return criteria.MatchesAny(allowed, path) })
	if weak != "" {
		return "tests are weakened: " + weak + criteria.ExplainAllowing(paths), nil
	}
	if files := c.findChangedRunners(list); len(files) > 0 && c.Suite == nil {
		return "the work changes how the tests run: " + text.Quote(files, 5) + "; undo it" + criteria.ExplainAllowing(files), nil
	}
	return "", nil
}

// readContents adds the content of tests to changes.
func (c Candidate) readContents(list []git.Change) (out []testintegrity.Change, err error) {
	read := func(tree, name string, there bool) (text []byte) {
		if !there || err != nil {
			return nil
		}
		if testintegrity.Reads(name) {
			text, err = c.Repo.Trees().Content(tree, name, maxTestFile)
		}
		if errors.Is(err, git.ErrNotFile) { // a nested repository
			err = nil
		}
		return append([]byte{}, text...)
	}
	if slices.ContainsFunc(list, func(ch git.Change) bool { return testintegrity.Reads(ch.Path) }) {
		c.Repo.Trees().Load(context.Background(), c.Base, c.Tree)
	}
	own := path.Join(c.Prefix, ".claude") + "/"
	for _, ch := range list {
		if strings.HasPrefix(ch.Path, own) && (ch.OldPath == "" || strings.HasPrefix(ch.OldPath, own)) {
			continue
		}
		q := testintegrity.Change{Path: ch.Path, OldPath: ch.OldPath}
		q.Before = read(c.Base, cmp.Or(ch.OldPath, ch.Path), ch.Status != 'A')
		q.After = read(c.Tree, ch.Path, ch.Status != 'D')
		out = append(out, q)
	}
	return out, err
}

// runnerFiles are files that a test command may run without naming them.
var runnerFiles = []string{"GNUmakefile", "makefile", "Makefile", "package.json"}

// findChangedRunners lists the changed files that make the test command run something else than
// before, and that no criterion allows to change.
func (c Candidate) findChangedRunners(list []git.Change) []string {
	names := append(strings.FieldsFunc(c.Tests, func(r rune) bool { return strings.ContainsRune(" \t\n;&|()<>\"'`", r) }), runnerFiles...)
	touched := func(ch git.Change) bool {
		return slices.ContainsFunc(names, func(n string) bool { n = path.Join(c.Prefix, n); return n == ch.Path || n == ch.OldPath })
	}
	if c.Tests == "" || !slices.ContainsFunc(list, touched) {
		return nil
	}
	in := func(tree string) project.Files {
		names := &listing{repo: c.Repo, tree: tree}
		return func(name string) ([]byte, bool) {
			if !names.mayHave(path.Join(c.Prefix, name)) {
				return nil, false
			}
			text, err := c.Repo.Trees().Content(tree, path.Join(c.Prefix, name), maxScript)
			return text, err == nil
		}
	}
	allowed := criteria.AllowedTestChanges(c.Criteria)
	files := project.ChangedRunners(c.Tests, in(c.Base), in(c.Tree))
	return slices.DeleteFunc(files, func(file string) bool { return criteria.MatchesAny(allowed, path.Join(c.Prefix, file)) })
}
