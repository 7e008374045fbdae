package judge

import (
	"context"
	"slices"

	"warp/internal/core/suite"
	"warp/internal/core/text"
)

// compareRed compares a suite that failed before the work: what failed must pass in its old
// version, since a red test was once rewritten to expect what the code said (issue 43, S1). What
// passed before and fails in its old version is changed, as in a suite that was green.
func (o *comparison) compareRed(ctx context.Context, old TestRun, paths []string, f *Finding) error {
	if o.before.Named == nil || old.Named == nil {
		o.compareUnnamedRed(old, paths, f)
		return nil
	}
	changed := suite.Compare(o.before.Named, old.Named).Failed
	red := suite.OnlyNewPass(o.before.Named, o.now.Named, old.Named)
	if len(red) > 0 { // a failure by chance is no finding
		tree, err := o.graftOld(ctx, paths)
		if err != nil {
			return err
		}
		again, err := o.run(ctx, tree, o.Command)
		if err != nil {
			return err
		}
		still := suite.OnlyNewPass(o.before.Named, o.now.Named, again.Named)
		red = slices.DeleteFunc(red, func(name string) bool {
			return again.Result.Passed || again.Named != nil && !slices.Contains(still, name)
		})
	}
	f.Changed = append(f.Changed, changed...)
	if red = slices.DeleteFunc(red, o.isAllowed); len(red) > 0 {
		f.block(o.filesOf(red), "tests that failed before the work fail in their old version, and pass only in the new one: %s; make the old version pass", text.Quote(red, 10))
	}
	return nil
}

// compareUnnamedRed compares a suite that failed before, and whose runner names no tests: nobody
// can tell which of its failures the new versions hide.
func (o *comparison) compareUnnamedRed(old TestRun, paths []string, f *Finding) {
	open := slices.DeleteFunc(slices.Clone(paths), o.isAllowed)
	if o.now.Result.Passed && len(open) > 0 {
		f.block(open, "%s failed before the work; it fails with the old version of %s, and passes only with the new one: %s", o.Command.Line, text.Quote(open, 5), text.Opening(old.Result.String()))
	}
}
