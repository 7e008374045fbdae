// Package testoutput reads what test runners print and write: which tests ran and how
// each ended, which failed, what failed beside them, and what of a long output is worth
// showing. It is pure, and its time is linear in its input whatever the bytes are.
//
// Formats made for programs come first: go test -json, JUnit's XML and TAP, which
// package suite has runners write where they can. What runners print for people is read
// by one scanner from a table of runners; another tells where failures begin and end.
//
// The names are as honest as the process that printed them: product code can print what a
// runner prints. A forged name can only add a test, or stand in for one that was deleted;
// the caller has the deleted file in its diff for that.
package testoutput

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Result is how a test ended.
type Result int

// The results. A test that is only noted as to do counts as skipped: runners let it fail.
const (
	Passed Result = iota
	Failed
	Skipped
)

// Run is the tests of a run by their full names, which stay the same from run to run:
//
//	shop/cart TestSum/empty          go test
//	cart > adds tax                  node --test, mocha, TAP
//	src/cart.test.js > cart > adds   jest, vitest
//	tests/test_a.py::test_b[x]       pytest
//	shop:src/lib.rs tests::adds      cargo test
//	tests.test_a.A.test_ok           unittest
//
// Where two tests share a name, the second is "name #2"; those that passed come first,
// so that the order in which a runner prints them makes no difference.
//
// A package or a file is in it as well, marked by Whole: "shop/cart [as a whole]". It
// fails where its tests could not be built, loaded or finished.
type Run map[string]Result

// Whole marks the name of a package or a file, as against that of a test in it.
const Whole = " [as a whole]"

// Bounds of what is kept. Beyond maxTests none is named: a flood must not hide one.
const (
	maxTests  = 100_000
	maxLevels = 32  // of suites
	maxNames  = 500 // of what failed
	maxName   = 400 // bytes
	maxLine   = 1 << 20
	maxReport = 64 << 20
)

// tally counts the results of each name.
type tally struct {
	tests  map[string][3]int
	wholes map[string]Result
	total  int
	over   bool // there were more than maxTests
}

func newTally() tally { return tally{tests: map[string][3]int{}, wholes: map[string]Result{}} }

func (t *tally) addTest(name string, r Result) {
	t.total++
	t.over = t.over || t.total > maxTests
	if name = tidy(name); name != "" && !t.over {
		counts := t.tests[name]
		counts[r]++
		t.tests[name] = counts
	}
}

// addWhole keeps the worst result of a package or a file.
func (t *tally) addWhole(name string, r Result) {
	t.over = t.over || len(t.wholes) >= maxTests
	if name = tidy(name); name != "" && !t.over && t.wholes[name] != Failed {
		t.wholes[name] = r
	}
}

// run is what was counted, and whether it names tests.
func (t *tally) run() (Run, bool) {
	run := Run{}
	for name, counts := range t.tests {
		numbered, n := name, 1
		for _, r := range [...]Result{Passed, Failed, Skipped} {
			for range counts[r] {
				run[numbered] = r
				n++
				numbered = name + " #" + strconv.Itoa(n)
			}
		}
	}
	for name, r := range t.wholes {
		run[name+Whole] = r
	}
	return run, len(t.tests) > 0 && !t.over
}

// CountTests is the run of a report that lists tests with their results.
func CountTests(tests iter.Seq2[string, Result]) (Run, error) {
	t := newTally()
	for name, result := range tests {
		t.addTest(name, result)
	}
	if t.over {
		return nil, fmt.Errorf("there are more than %d tests", maxTests)
	}
	run, _ := t.run()
	return run, nil
}

// tidy leaves valid text with single blanks. A very long name keeps its beginning and a
// digest of all of it, so that two of them stay two.
func tidy(name string) string {
	name = strings.ToValidUTF8(name, "\ufffd")
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f && r <= 0xa0 }), " ")
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "") + "…" + digest(name)
}

// Outer lists the beginnings of a name up to a separator, the longest first.
func Outer(name string, separators []string) (list []string) {
	for i := len(name) - 1; i > 0; i-- {
		if slices.ContainsFunc(separators, func(s string) bool { return strings.HasPrefix(name[i:], s) }) {
			list = append(list, name[:i])
		}
	}
	return list
}

// InTest is what stands between a test and those inside it.
var InTest = []string{" > ", "::", "/"}

// WithoutOuter leaves out a test where a test inside it is listed.
func WithoutOuter(names []string) []string { return dropOuter(names, names, InTest) }

// dropOuter leaves out what holds one of the names.
func dropOuter(list, names, separators []string) []string {
	outer := map[string]bool{}
	for _, n := range names {
		for _, o := range Outer(n, separators) {
			outer[o] = true
		}
	}
	return slices.DeleteFunc(list, func(n string) bool { return outer[n] })
}
