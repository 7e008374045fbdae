package judge

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/suite"
	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// Finding is what the tests as they were say of work that has changed tests, or how
// they are run.
type Finding struct {
	Blocks  []string // why it does not count
	Changed []string // tests that pass only in their new version, for a verifier and the report
	Points  []string // what else a person should know
}

// Why is all that blocks.
func (f Finding) Why() string { return strings.Join(f.Blocks, "\n") }

// unasked are changed tests that no criterion gives free.
func (f Finding) unasked(c Candidate) []string {
	o := old{Tests: c.Suite, c: c, allowed: suite.AllowedTestChanges(c.Asked)}
	if o.list, _ = c.changes(); len(o.list) > 0 { // it was listed before
		o.sort()
	}
	return slices.DeleteFunc(slices.Clone(f.Changed), func(name string) bool {
		return suite.MatchesAny(o.allowed, name) || o.isAllowed(name)
	})
}

// again is how often a test that fails now is repeated, on both trees.
const again = 3

// Compare holds work against the tests as they were: every test that ran and passed at
// the base must still run and pass. Files that decide how tests are run count in the
// base's version; tests that were changed are run in theirs, too.
func (t *Tests) Compare(ctx context.Context, c Candidate) (f Finding, err error) {
	o, now, err := t.compared(ctx, c)
	if o == nil || err != nil {
		return f, err
	}
	o.lost(now, &f)
	if len(o.runners) > 0 {
		if err := o.runTheOldWay(ctx, now, &f); err != nil {
			return f, err
		}
	}
	if len(o.tests)+len(o.runners) > 0 {
		err = o.runOldTests(ctx, &f)
	}
	return f, err
}

// Touched tells whether work changes tests, or how they are run.
func (t *Tests) Touched(c Candidate) (bool, error) {
	list, err := c.changes()
	o := old{Tests: t, c: c, list: list}
	o.sort()
	return len(o.tests)+len(o.runners) > 0, err
}

// Lost says which tests passed at the base and do not run any more, by their names:
// work may lose one without touching it.
func (t *Tests) Lost(ctx context.Context, c Candidate) (f Finding, err error) {
	o, now, err := t.compared(ctx, c)
	if o != nil && err == nil {
		o.lost(now, &f)
	}
	return f, err
}

// CheckRunners holds a command that passes against the files that decide how it is run:
// they count in the base's version, unless a criterion gives one free.
func (t *Tests) CheckRunners(ctx context.Context, c Candidate) (why string, err error) {
	o, err := t.oldWay(c)
	if err != nil || len(o.open()) == 0 {
		return "", err
	}
	ran, err := o.with(ctx, o.open())
	if err != nil || ran.Said.Passed {
		return "", err
	}
	return o.onlyNew(o.open(), ran), nil
}

// oldWay finds what work has changed of a command's own files, before anything is run.
func (t *Tests) oldWay(c Candidate) (*old, error) {
	list, err := c.changes()
	o := &old{Tests: t, c: c, list: list, allowed: suite.AllowedTestChanges(c.Asked)}
	o.sort()
	return o, err
}

// compared runs the tests on both trees; nil: there is nothing to compare.
func (t *Tests) compared(ctx context.Context, c Candidate) (o *old, now Ran, err error) {
	if t.Command.Line == "" || c.Base == "" || c.Base == c.Tree {
		return nil, now, nil
	}
	list, err := c.changes()
	if err != nil || len(list) == 0 {
		return nil, now, err
	}
	o = &old{Tests: t, c: c, list: list, allowed: suite.AllowedTestChanges(c.Asked)}
	o.sort()
	if o.before, err = t.Run(ctx, c.Base); err == nil {
		now, err = t.Run(ctx, c.Tree)
	}
	return o, now, err
}

// old is one comparison.
type old struct {
	*Tests
	c              Candidate
	list           []git.Change
	before         Ran
	allowed        []string // by allow-test-change in a criterion
	tests, runners []string // paths that were changed, with the old ones of renames
}

// sort finds out which changes are of tests, and which of how they are run.
func (o *old) sort() {
	patterns := suite.RunnerFiles(o.Command.Line, o.files(o.c.Base), o.Protected)
	own := path.Join(o.Prefix, ".claude") + "/"
	for _, ch := range o.list {
		for _, name := range []string{ch.Path, ch.OldPath} {
			rel, inside := o.within(name)
			switch {
			case name == "" || strings.HasPrefix(name, own):
			case inside && suite.MatchesAny(patterns, rel) && o.decides(name) && !o.wanted(rel):
				o.runners = append(o.runners, name)
			case suite.IsTest(name):
				o.tests = append(o.tests, name)
			}
		}
	}
}

// within is a path from the project's folder.
func (o *old) within(name string) (string, bool) {
	if o.Prefix == "" {
		return name, true
	}
	return strings.CutPrefix(name, o.Prefix+"/")
}

// wanted tells whether the command names a file that the base lacks: it cannot be run
// without it, so the work is to make it.
func (o *old) wanted(rel string) bool {
	_, was := o.files(o.c.Base)(rel)
	return !was && suite.MentionsFile(o.Command.Line, rel)
}

// decides tells whether a change of a file changes how tests are run.
func (o *old) decides(name string) bool {
	read := func(tree string) []byte {
		text, err := o.Repo.Content(tree, name, maxFile)
		if err != nil {
			return nil
		}
		return append([]byte{}, text...)
	}
	return suite.RunnerChanged(name, read(o.c.Base), read(o.c.Tree))
}

// lost finds tests that passed before, and are not there any more or are skipped.
func (o *old) lost(now Ran, f *Finding) {
	if o.before.Named != nil && now.Named != nil {
		d := suite.Compare(o.before.Named, now.Named)
		for how, names := range map[string][]string{"are not there any more": d.Vanished, "are skipped now": d.Skipped} {
			if names = slices.DeleteFunc(names, o.isAllowed); len(names) > 0 {
				f.Blocks = append(f.Blocks, fmt.Sprintf("tests that passed before %s: %s", how, text.Quote(names, 10)))
			}
		}
		slices.Sort(f.Blocks)
		return
	}
	if len(o.before.Named) > 0 && now.Said.Passed && len(o.open()) == len(o.runners) {
		f.Blocks = append(f.Blocks, fmt.Sprintf("%s named %d tests before, and names none now", o.Command.Line, len(o.before.Named)))
		return
	}
	var gone []string
	for _, ch := range o.list {
		if ch.Status == 'D' && suite.IsTest(ch.Path) && !suite.MatchesAny(o.allowed, ch.Path) {
			gone = append(gone, ch.Path)
		}
	}
	if len(gone) > 0 {
		f.Blocks = append(f.Blocks, "tests were deleted: "+text.Quote(gone, 10))
	}
}

// isAllowed tells whether a criterion lets a test go: it is in a file that one names.
func (o *old) isAllowed(name string) bool {
	last := name[strings.LastIndexAny(name, " >/.:")+1:]
	for _, file := range o.tests {
		if !suite.MatchesAny(o.allowed, file) {
			continue
		}
		content, err := o.Repo.Content(o.c.Base, file, maxTestFile)
		if err == nil && (strings.Contains(string(content), last) || strings.Contains(name, file)) {
			return true
		}
	}
	return false
}

// runTheOldWay runs the tests as they are now in the way that they were run before.
func (o *old) runTheOldWay(ctx context.Context, now Ran, f *Finding) error {
	f.Points = append(f.Points, "how the tests are run was changed ("+text.Quote(o.runners, 5)+"); they were run in both ways")
	open := o.open()
	ran, err := o.with(ctx, o.runners)
	if err != nil {
		return err
	}
	if now.Named == nil && now.Said.Passed { // nothing tells whether the new way runs any test at all
		f.Changed = append(f.Changed, open...)
	}
	if len(open) > 0 && now.Said.Passed && !ran.Said.Passed {
		f.Blocks = append(f.Blocks, o.onlyNew(open, ran))
	}
	return nil
}

// open are files that decide how tests are run, and that no criterion gives free.
func (o *old) open() []string {
	return slices.DeleteFunc(slices.Clone(o.runners), func(name string) bool { return suite.MatchesAny(o.allowed, name) })
}

func (o *old) onlyNew(files []string, ran Ran) string {
	return fmt.Sprintf("%s fails with %s as before, and passes only with the new version: %s", o.Command.Line, text.Quote(files, 5), text.Opening(ran.Said.String()))
}

// runOldTests runs the tests as they were, in the way that they were run, on the new
// code. What fails then passes only in its new version.
func (o *old) runOldTests(ctx context.Context, f *Finding) error {
	paths := slices.Concat(o.tests, o.runners)
	ran, err := o.with(ctx, paths)
	if err != nil || ran.Said.Passed || !o.before.Said.Passed {
		return err
	}
	flaky, err := o.failsAtBase(ctx)
	if err != nil {
		return err
	}
	if flaky {
		f.Points = append(f.Points, ByChance+": "+text.Opening(ran.Said.String()))
		return nil
	}
	changed := paths
	if o.before.Named != nil && ran.Named != nil {
		if d := suite.Compare(o.before.Named, ran.Named); !d.Empty() {
			changed = slices.Concat(d.Failed, d.Vanished, d.Skipped)
		}
	}
	f.Changed = append(f.Changed, changed...)
	return nil
}

// failsAtBase tells whether the tests fail by chance: they passed at the base once.
func (o *old) failsAtBase(ctx context.Context) (bool, error) { return o.failsOn(ctx, o.c.Base) }

// with runs the tests on the work with some files as the base has them.
func (o *old) with(ctx context.Context, paths []string) (Ran, error) {
	tree, err := o.Repo.Graft(ctx, o.c.Tree, o.c.Base, paths)
	if err != nil {
		return Ran{}, err
	}
	return o.Run(ctx, tree)
}
