// Package suite knows the parts of a test suite: how to make its runner name the tests, which files
// decide what is tested and how, and what a second run lost compared with the first. It does no
// I/O: texts and files come in as values.
//
// It enforces the rule "every test that ran and passed before must still run and pass" without
// reading any language: package testoutput turns a runner's output into a Run, and Compare compares
// two of them. What a runner does not name cannot be compared, and Reader.Run says so instead of
// reporting that nothing is missing.
package suite

import (
	"maps"
	"slices"
	"strings"

	"warp/internal/core/testintegrity"
	"warp/internal/core/testoutput"
)

// Difference lists the tests that passed before and do not pass now, each list sorted.
type Difference struct {
	Vanished []string // no longer there
	Skipped  []string
	Failed   []string // they fail, or their package, file or outer test does
	// Unnamed tests may have run: their file passed, but this time its runner named none of its
	// tests. jest names them while there is only one file.
	Unnamed []string
}

// Empty reports whether everything that passed before passes now.
func (d Difference) Empty() bool {
	return len(d.Vanished)+len(d.Skipped)+len(d.Failed)+len(d.Unnamed) == 0
}

// Compare lists what passed before and does not now. It does not guess renames: an old name that is
// gone has vanished. It only ignores what differs in each run (a duration, an address, a temporary
// folder inside a name).
func Compare(before, now testoutput.Run) Difference {
	var d Difference
	c := comparison{before: before, now: now, held: below(before), holds: below(now), fresh: fresh(before, now)}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if before[name] != testoutput.Passed {
			continue
		}
		list := map[verdict]*[]string{vanished: &d.Vanished, skipped: &d.Skipped, failed: &d.Failed, unnamed: &d.Unnamed}[c.judge(name)]
		if list != nil {
			*list = append(*list, name)
		}
	}
	for _, list := range []*[]string{&d.Vanished, &d.Skipped, &d.Failed, &d.Unnamed} {
		*list = testoutput.WithoutOuter(*list)
	}
	return d
}

// OnlyNewPass lists tests that did not pass before, fail in their old version, and do not fail now:
// the work changed the test, not what it found.
func OnlyNewPass(before, now, old testoutput.Run) (names []string) {
	c := comparison{before: old, now: now, held: below(old), holds: below(now), fresh: fresh(old, now)}
	for _, name := range slices.Sorted(maps.Keys(old)) {
		place, whole := strings.CutSuffix(name, testoutput.Whole)
		if old[name] == testoutput.Failed && !(whole && c.held[place]) {
			names = append(names, name)
		}
	}
	return slices.DeleteFunc(testoutput.WithoutOuter(names), func(name string) bool {
		was, known := before[name]
		return known && was == testoutput.Passed || c.judge(name) == failed
	})
}

type verdict int

const (
	fine verdict = iota
	vanished
	skipped
	failed
	unnamed
)

// verdicts of a test that is still there.
var verdicts = [...]verdict{testoutput.Passed: fine, testoutput.Failed: failed, testoutput.Skipped: skipped}

type comparison struct {
	before, now testoutput.Run
	held, holds map[string]bool     // packages and files with a named test, before and now
	fresh       map[string][]string // new names, by their normalised form
}

func (c *comparison) judge(name string) verdict {
	if r, ok := c.now[name]; ok {
		if strings.HasSuffix(name, testoutput.Whole) && c.held[strings.TrimSuffix(name, testoutput.Whole)] {
			return fine // its tests decide
		}
		return verdicts[r]
	}
	if place, ok := strings.CutSuffix(name, testoutput.Whole); ok {
		if c.held[place] || c.holds[place] {
			return fine
		}
		return vanished
	}
	form := testoutput.Normalise(name)
	if same := c.fresh[form]; form != name && len(same) > 0 {
		c.fresh[form] = same[1:]
		return verdicts[c.now[same[0]]]
	}
	return c.outer(name)
}

// outer judges a missing test by what contained it: nothing names the tests inside a package that
// was not built, or inside a skipped test.
func (c *comparison) outer(name string) verdict {
	for _, test := range testoutput.Outer(name, testoutput.InTest) {
		if r, ok := c.now[test]; ok && r != testoutput.Passed {
			return verdicts[r]
		}
	}
	for _, place := range testoutput.Outer(name, inPlace) {
		switch r, ok := c.now[place+testoutput.Whole]; {
		case ok && r == testoutput.Failed:
			return failed
		case ok && !c.holds[place]:
			return unnamed
		}
	}
	return vanished
}

// inPlace separates a package or a file from its tests.
var inPlace = []string{" > ", "::", " "}

// below returns the packages and files of which a run names at least one test.
func below(run testoutput.Run) map[string]bool {
	held := map[string]bool{}
	for name := range run {
		if strings.HasSuffix(name, testoutput.Whole) {
			continue
		}
		for _, place := range testoutput.Outer(name, inPlace) {
			if _, ok := run[place+testoutput.Whole]; ok {
				held[place] = true
			}
		}
	}
	return held
}

func fresh(before, now testoutput.Run) map[string][]string {
	list := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if _, had := before[name]; !had && !strings.HasSuffix(name, testoutput.Whole) {
			form := testoutput.Normalise(name)
			list[form] = append(list[form], name)
		}
	}
	return list
}

// IsTest reports whether a path is a test or is read by tests: by the conventions of its language,
// or because it is among tests, fixtures and recorded outputs. Such a file decides what is tested;
// RunnerFiles lists those that decide how.
func IsTest(path string) bool {
	return testintegrity.IsTest(path) || testintegrity.IsTestData(strings.TrimPrefix(path, "./"))
}
