// Package testoutput reads what test runners print and write: which tests ran with which result,
// what failed besides them, and what part of a long output is worth showing. It does no I/O, and
// takes time linear in its input whatever the bytes are.
//
// Formats made for programs come first: go test -json, JUnit's XML and TAP, which package suite
// makes runners write if they can. One scanner reads what runners print for people, from a table of
// runners; another finds where failures begin and end.
//
// The names are as honest as the process that printed them: product code can print what a runner
// prints. A forged name can only add a test, or replace a deleted one; the caller sees the deleted
// file in its diff.
package testoutput

import (
	"cmp"
	"fmt"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
)

type Result int

// A test marked as to do counts as skipped: runners let it fail.
const (
	Passed Result = iota
	Failed
	Skipped
)

// Run holds the results of a run by the tests' full names, which are stable from run to run:
//
//	shop/cart TestSum/empty          go test
//	cart > adds tax                  node --test, mocha, TAP
//	src/cart.test.js > cart > adds   jest, vitest
//	tests/test_a.py::test_b[x]       pytest
//	shop:src/lib.rs tests::adds      cargo test
//	tests.test_a.A.test_ok           unittest
//
// If two tests share a name, the second is "name #2"; passed ones come first, so that the order of
// output does not matter.
//
// A package or a file is included too, marked by Whole: "shop/cart [as a whole]". It fails if its
// tests could not be built, loaded or finished.
type Run map[string]Result

// Whole marks the name of a package or a file rather than a test in it.
const Whole = " [as a whole]"

// CountTests counts the named tests, or the packages and files if those are all that is named.
func (r Run) CountTests() (n int) {
	for name := range r {
		if !strings.HasSuffix(name, Whole) {
			n++
		}
	}
	return cmp.Or(n, len(r))
}

// Names reports whether a test's name may be that of a test in a file.
func Names(test, file, content string) bool {
	last := test[strings.LastIndexAny(test, " >/.:")+1:]
	return strings.Contains(content, last) || strings.Contains(test, file)
}

// HasTestsOf reports whether a test of a file ran and passed.
func (r Run) HasTestsOf(file, content string) bool {
	for name, result := range r {
		if result == Passed && !strings.HasSuffix(name, Whole) && IsTestOf(name, file, content) {
			return true
		}
	}
	return false
}

// IsTestOf reports whether a test is one of a file, as far as its name tells: by package and
// function, by file, by module, or by words that the file has.
func IsTestOf(name, file, content string) bool {
	at, test, isGo := strings.Cut(name, " ")
	if path.Ext(file) == ".go" {
		folder := path.Dir(file)
		function, _, _ := strings.Cut(test, "/")
		return isGo && (folder == "." || at == folder || strings.HasSuffix(at, "/"+folder)) && strings.Contains(content, "func "+function+"(")
	}
	if strings.HasPrefix(name, file) || strings.Contains(name, "/"+file) {
		return true
	}
	parts := strings.Split(name, " > ")
	for _, part := range parts {
		if isOfModule(part, file) {
			return true
		}
	}
	namesFiles := path.Ext(file) == ".py" || strings.ContainsAny(parts[0], "/\\")
	return !namesFiles && strings.Contains(content, parts[0])
}

// isOfModule reports whether a dotted name is of the module that a file is, seen from any folder
// above it.
func isOfModule(name, file string) bool {
	module := strings.ReplaceAll(strings.TrimSuffix(file, path.Ext(file)), "/", ".")
	if strings.Contains("."+name+".", "."+module+".") {
		return true
	}
	for rest, ok := module, true; ok; _, rest, ok = strings.Cut(rest, ".") {
		if name == rest || strings.HasPrefix(name, rest+".") {
			return true
		}
	}
	return false
}

// Limits of what is kept. Beyond maxTests no test is named: a flood must not hide one.
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

// run returns the results, and whether they name tests.
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

// CountTests returns the run for a report that lists tests with their results.
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

// tidy cleans a name into valid text with single spaces. A very long name keeps its beginning and a
// digest of the whole, so that names stay distinct.
func tidy(name string) string {
	name = strings.ToValidUTF8(name, "\ufffd")
	name = strings.Join(strings.FieldsFunc(name, func(r rune) bool { return r <= ' ' || r >= 0x7f && r <= 0xa0 }), " ")
	if len(name) <= maxName {
		return name
	}
	return strings.ToValidUTF8(name[:maxName], "") + "…" + digest(name)
}

// Outer lists the prefixes of a name up to each separator, longest first.
func Outer(name string, separators []string) (list []string) {
	for i := len(name) - 1; i > 0; i-- {
		if slices.ContainsFunc(separators, func(s string) bool { return strings.HasPrefix(name[i:], s) }) {
			list = append(list, name[:i])
		}
	}
	return list
}

// InTest separates a test from those inside it.
var InTest = []string{" > ", "::", "/"}

// WithoutOuter drops a test if a test inside it is listed.
func WithoutOuter(names []string) []string { return dropOuter(names, names, InTest) }

// dropOuter drops what contains one of the names.
func dropOuter(list, names, separators []string) []string {
	outer := map[string]bool{}
	for _, n := range names {
		for _, o := range Outer(n, separators) {
			outer[o] = true
		}
	}
	return slices.DeleteFunc(list, func(n string) bool { return outer[n] })
}
