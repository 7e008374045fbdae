package judge

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/suite"
	"warp/internal/core/text"
	"warp/internal/sys/git"
)

// Finding is what the old tests show about work that changes tests or how they run.
type Finding struct {
	Blocks  []string // why the work does not count
	Changed []string // pass only in their new version; for the verifier and the report
	Points  []string // what else a person should know
}

// Why returns everything that blocks the work, or "".
func (f Finding) Why() string { return strings.Join(f.Blocks, "\n") }

// block adds why the work does not count, and how a criterion can allow it: by the paths of the
// tests. Both stand in one line, since reports show the first line of a reason.
func (f *Finding) block(paths []string, format string, args ...any) {
	f.Blocks = append(f.Blocks, fmt.Sprintf(format, args...)+criteria.ExplainAllowing(paths))
}

// comparison compares one candidate with the old tests.
type comparison struct {
	*Tests
	c              Candidate
	list           []git.Change
	before, now    TestRun
	allowed        []string // patterns of allow-test-change
	tests, runners []string // changed paths, including old ones of renames
}

// newComparison sorts a candidate's changes; it runs nothing yet.
func (t *Tests) newComparison(c Candidate) (*comparison, error) {
	list, err := c.listChanges()
	o := &comparison{Tests: t, c: c, list: list, allowed: criteria.AllowedTestChanges(c.Criteria)}
	o.sortChanges()
	return o, err
}

// runBoth runs the tests on both trees; nil if there is nothing to compare.
func (t *Tests) runBoth(ctx context.Context, c Candidate) (o *comparison, err error) {
	if t.Command.Line == "" || c.Base == "" || c.Base == c.Tree {
		return nil, nil
	}
	o, err = t.newComparison(c)
	if err != nil || len(o.list) == 0 {
		return nil, err
	}
	if o.before, err = t.Run(ctx, c.Base); err == nil {
		o.now, err = t.Run(ctx, c.Tree)
	}
	return o, err
}

// CompareWithOldTests requires that every test that passed at the base still runs and passes. Files
// that decide how tests run count in the base's version; changed tests also run in theirs.
func (t *Tests) CompareWithOldTests(ctx context.Context, c Candidate) (f Finding, err error) {
	o, err := t.runBoth(ctx, c)
	if o == nil || err != nil {
		return f, err
	}
	o.findLost(&f)
	o.refuseRewriting(&f)
	if len(o.runners) > 0 {
		if err := o.runWithOldRunners(ctx, &f); err != nil {
			return f, err
		}
	}
	if len(o.tests)+len(o.runners) > 0 {
		err = o.runOldTests(ctx, &f)
	}
	return f, err
}

// ChangesTests reports whether work changes tests, or how they run.
func (t *Tests) ChangesTests(c Candidate) (bool, error) {
	o, err := t.newComparison(c)
	return len(o.tests)+len(o.runners) > 0, err
}

// FindLostTests returns tests that passed at the base and no longer run, by name: work may lose one
// without touching it.
func (t *Tests) FindLostTests(ctx context.Context, c Candidate) (f Finding, err error) {
	o, err := t.runBoth(ctx, c)
	if o != nil && err == nil {
		o.findLost(&f)
	}
	return f, err
}

// CheckRunners runs a passing command with the base's version of the files that decide how it runs,
// except for those that a criterion allows to change.
func (t *Tests) CheckRunners(ctx context.Context, c Candidate) (why string, err error) {
	o, err := t.newComparison(c)
	if err != nil || len(o.unallowedRunners()) == 0 {
		return "", err
	}
	run, err := o.runWithOld(ctx, o.unallowedRunners())
	if err != nil || run.Result.Passed {
		return "", err
	}
	return o.explainOldRunFails(o.unallowedRunners(), run), nil
}

// sortChanges finds the changes of tests, and of how tests run.
func (o *comparison) sortChanges() {
	patterns := suite.RunnerFiles(o.Command.Line, o.readFiles(o.c.Base), o.Protected)
	own := path.Join(o.Prefix, ".claude") + "/"
	for _, ch := range o.list {
		for _, name := range []string{ch.Path, ch.OldPath} {
			rel, inside := o.within(name)
			switch {
			case name == "" || strings.HasPrefix(name, own):
			case inside && criteria.MatchesAny(patterns, rel) && o.changesRunner(name) && !o.isMissingInBase(rel):
				o.runners = append(o.runners, name)
			case suite.IsTest(name):
				o.tests = append(o.tests, name)
			}
		}
	}
}

// within makes a path relative to the project's folder.
func (o *comparison) within(name string) (string, bool) {
	if o.Prefix == "" {
		return name, true
	}
	return strings.CutPrefix(name, o.Prefix+"/")
}

// isMissingInBase reports whether the command names a file that the base lacks: it cannot run
// without the file, so the work has to create it.
func (o *comparison) isMissingInBase(rel string) bool {
	_, was := o.readFiles(o.c.Base)(rel)
	return !was && suite.MentionsFile(o.Command.Line, rel)
}

// changesRunner reports whether a file's change affects how tests run.
func (o *comparison) changesRunner(name string) bool {
	read := func(tree string) []byte {
		text, err := o.Repo.Trees().Content(tree, name, maxFile)
		if err != nil {
			return nil
		}
		return append([]byte{}, text...)
	}
	return suite.RunnerChanged(name, read(o.c.Base), read(o.c.Tree))
}

// runWithOldRunners runs the new tests the old way.
func (o *comparison) runWithOldRunners(ctx context.Context, f *Finding) error {
	f.Points = append(f.Points, "the work changes how the tests run ("+text.Quote(o.runners, 5)+"); they ran both ways")
	open := o.unallowedRunners()
	run, err := o.runWithOld(ctx, o.runners)
	if err != nil {
		return err
	}
	if o.now.Named == nil && o.now.Result.Passed { // nothing shows whether the new way runs any test
		f.Changed = append(f.Changed, open...)
	}
	if len(open) > 0 && o.now.Result.Passed && !run.Result.Passed {
		f.Blocks = append(f.Blocks, o.explainOldRunFails(open, run))
	}
	return nil
}

// unallowedRunners returns the changed files that decide how tests run, and that no criterion
// allows to change.
func (o *comparison) unallowedRunners() []string {
	return slices.DeleteFunc(slices.Clone(o.runners), func(name string) bool { return criteria.MatchesAny(o.allowed, name) })
}

func (o *comparison) explainOldRunFails(files []string, run TestRun) string {
	return fmt.Sprintf("%s fails with the old version of %s, and passes only with the new one: %s", o.Command.Line, text.Quote(files, 5), text.Opening(run.Result.String()))
}

// runOldTests runs the old tests, the old way, on the new code. What fails then passes only in its
// new version.
func (o *comparison) runOldTests(ctx context.Context, f *Finding) error {
	paths := slices.Concat(o.tests, o.runners)
	run, err := o.runWithOld(ctx, paths)
	if err != nil || run.Result.Passed {
		return err
	}
	if !o.before.Result.Passed {
		err := o.compareRed(ctx, run, paths, f)
		if err == nil {
			err = o.refuseHelpers(ctx, run, f)
		}
		return err
	}
	changed := o.listChanged(run, paths)
	if !o.areExpected(changed) { // they may have failed by chance
		tree, err := o.graftOld(ctx, paths)
		if err != nil {
			return err
		}
		again, err := o.run(ctx, tree, o.Command)
		if err != nil {
			return err
		}
		if again.Result.Passed {
			f.Points = append(f.Points, FlakyTests+": "+text.Opening(run.Result.String()))
			return nil
		}
		if still := o.listChanged(again, paths); o.before.Named != nil {
			changed = slices.DeleteFunc(changed, func(name string) bool { return !slices.Contains(still, name) })
		}
	}
	f.Changed = append(f.Changed, changed...)
	return o.refuseHelpers(ctx, run, f)
}

// listChanged names what passes only in its new version: tests, or else the changed files.
func (o *comparison) listChanged(old TestRun, paths []string) []string {
	if o.before.Named != nil && old.Named != nil {
		if d := suite.Compare(o.before.Named, old.Named); !d.Empty() {
			return slices.Concat(d.Failed, d.Vanished, d.Skipped)
		}
	}
	return paths
}

// areExpected reports whether each test that fails in its old version is in a file that the work
// edits: then nothing has to be run again to rule out that it fails by chance.
func (o *comparison) areExpected(changed []string) bool {
	return !slices.ContainsFunc(changed, func(name string) bool {
		return !slices.ContainsFunc(o.list, func(ch git.Change) bool {
			file := cmp.Or(ch.OldPath, ch.Path)
			return ch.Status != 'A' && slices.Contains(o.tests, file) && (file == name || o.before.Named != nil && o.contains(file, name))
		})
	})
}

// runWithOld runs the tests on the work with the base's version of some files.
func (o *comparison) runWithOld(ctx context.Context, paths []string) (TestRun, error) {
	tree, err := o.graftOld(ctx, paths)
	if err != nil {
		return TestRun{}, err
	}
	return o.Run(ctx, tree)
}

// graftOld returns the work's tree with the base's version of some files.
func (o *comparison) graftOld(ctx context.Context, paths []string) (string, error) {
	return o.Repo.Trees().Graft(ctx, o.c.Tree, o.c.Base, paths)
}
