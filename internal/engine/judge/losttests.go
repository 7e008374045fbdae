package judge

import (
	"slices"

	"warp/internal/core/criteria"
	"warp/internal/core/suite"
	"warp/internal/core/testintegrity"
	"warp/internal/core/testoutput"
	"warp/internal/core/text"
)

// findLost finds tests that passed before, and now are missing or skipped.
func (o *comparison) findLost(f *Finding) {
	if o.before.Named != nil && o.now.Named != nil {
		d := suite.Compare(o.before.Named, o.now.Named)
		d.Vanished = suite.WithoutMoved(d.Vanished, o.before.Named, o.now.Named, o.findMoves(d.Vanished))
		for how, names := range map[string][]string{"are gone": d.Vanished, "are skipped now": d.Skipped} {
			if names = slices.DeleteFunc(names, o.isAllowed); len(names) > 0 {
				f.block(o.filesOf(names), "tests that passed before %s: %s", how, text.Quote(names, 10))
			}
		}
		slices.Sort(f.Blocks)
		return
	}
	lost := slices.DeleteFunc(suite.Compare(o.before.Named, nil).Vanished, o.isAllowed)
	if len(lost) > 0 && o.now.Result.Passed && len(o.unallowedRunners()) == len(o.runners) {
		f.block(o.filesOf(lost), "%s listed %s before, and lists none now", o.Command.Line, text.Count(o.before.Named.CountTests(), "test"))
		return
	}
	var gone []string
	for _, ch := range o.list {
		if ch.Status == 'D' && suite.IsTest(ch.Path) && !criteria.MatchesAny(o.allowed, ch.Path) {
			gone = append(gone, ch.Path)
		}
	}
	if len(gone) > 0 {
		f.block(gone, "tests were deleted: %s", text.Quote(gone, 10))
	}
}

// findMoves returns where tests went whose names are gone; it reads nothing if none is.
func (o *comparison) findMoves(gone []string) []testintegrity.Move {
	if len(gone) == 0 {
		return nil
	}
	changes, err := o.c.readContents(o.list)
	if err != nil {
		return nil // then they are gone
	}
	return testintegrity.FindMoves(changes)
}

// isAllowed reports whether a criterion allows a test to change: by its name, or by a file that
// contains it.
func (o *comparison) isAllowed(name string) bool {
	if criteria.MatchesAny(o.allowed, name) {
		return true
	}
	return slices.ContainsFunc(o.tests, func(file string) bool { return criteria.MatchesAny(o.allowed, file) && o.contains(file, name) })
}

// contains reports whether a test file contains a test in the base's version.
func (o *comparison) contains(file, name string) bool {
	content, err := o.Repo.Trees().Content(o.c.Base, file, maxTestFile)
	return err == nil && testoutput.Names(name, file, string(content))
}

// filesOf returns the changed files that contain tests, or all of them if that is unknown.
func (o *comparison) filesOf(names []string) (files []string) {
	for _, file := range o.tests {
		if slices.ContainsFunc(names, func(name string) bool { return o.contains(file, name) }) {
			files = append(files, file)
		}
	}
	if len(files) == 0 {
		return slices.Concat(o.tests, o.runners)
	}
	return files
}
