package failure

import "strings"

// block is one way in which a runner or a compiler tells of a failure.
type block struct {
	begins func(line string) bool
	ends   func(line string) ending            // asked for its first line too
	tells  func(lines, rest []string) []string // what no test is named for; nil: nothing
}

// ending says whether a line ends a block.
type ending int

const (
	goesOn ending = iota
	endsBefore
	endsHere
)

// blocks, the widest first: while one is open, only itself and those before it
// begin another.
var blocks = [...]block{
	{pytestPart, pytestEnd, nil},
	{mochaPart, never, nil},
	{nodePart, never, nil},
	{unittestPart, unittestEnd, nil},
	{rustPart, rustEnd, nil},
	{scriptPart, scriptEnd, nil},
	{tapPart, tapEnd, nil},
	{goPart, goEnd, goTells},
	{mavenPart, mavenEnd, nil},
	{gradlePart, gradleEnd, nil},
	{compilerPart, blankEnd, compilerTells},
	{exceptionPart, blankEnd, exceptionTells},
	{makePart, atOnce, nil}, // see Nameless
	{crashPart, atOnce, nil},
	{specPart, specEnd, nil}, // the last: see spans
}

// span is the lines of one failure that a block has found.
type span struct {
	run
	kind int // of blocks
}

// spans finds the blocks of an output.
func spans(lines []string) (list []span) {
	kinds := blocks[:]
	for _, l := range lines {
		if nodePart(l) { // the tree of node's tests is repeated
			kinds = blocks[:len(blocks)-1]
		}
	}
	open := len(kinds)
	for i, l := range lines {
		if l == "Summary of all failing tests" {
			break // what Jest has shown is shown again
		}
		for k, b := range kinds[:min(open+1, len(kinds))] {
			if b.begins(l) {
				open = k
				list = append(list, span{run{i, i + 1}, k})
				break
			}
		}
		if open == len(kinds) {
			continue
		}
		end, last := kinds[open].ends(l), &list[len(list)-1]
		if end != endsBefore {
			last.to = i + 1
		}
		if end != goesOn {
			open = len(kinds)
		}
	}
	return list
}

// failingLines marks the lines that tell of failures, and those where one begins.
func failingLines(lines []string) (keep, starts []bool) {
	keep, starts = make([]bool, len(lines)), make([]bool, len(lines))
	v := goVerbose{lines: lines, keep: keep}
	for i, l := range lines {
		if l == "Summary of all failing tests" {
			break
		}
		v.line(i)
	}
	for _, s := range spans(lines) {
		for i := s.from; i < s.to; i++ {
			keep[i], starts[i] = true, i == s.from || item(lines[i])
		}
	}
	return keep, starts
}

// item tells whether one of the failures of a list begins: in Mocha, in node,
// in pytest, in cargo.
func item(l string) bool {
	number, _, _ := strings.Cut(strings.TrimPrefix(l, "  "), ") ")
	return beginsAny(l, "✖ ", "____", "---- ") || isNumber(number) && strings.HasPrefix(l, "  ")
}

// goVerbose finds what go test -v prints of a test, which stands before the
// verdict.
type goVerbose struct {
	lines []string
	keep  []bool
	since int  // the line after the last verdict
	ran   bool // a test began since
}

func (v *goVerbose) line(i int) {
	l := v.lines[i]
	if strings.HasPrefix(l, "=== ") {
		v.ran = true
	}
	if !beginsAny(l, "--- ", "ok  \t", "FAIL", "PASS") {
		return
	}
	if v.ran && strings.HasPrefix(l, "--- FAIL: ") {
		for k := v.since; k < i; k++ {
			v.keep[k] = v.keep[k] || !beginsAny(strings.TrimLeft(v.lines[k], " "), "=== ", "--- PASS: ", "--- SKIP: ")
		}
	}
	v.since, v.ran = i+1, false
}

func never(string) ending  { return goesOn }
func atOnce(string) ending { return endsHere }

func blankEnd(l string) ending { return before(strings.Trim(l, "# ") == "") }

// before is endsBefore where it is so.
func before(so bool) ending {
	if so {
		return endsBefore
	}
	return goesOn
}

// here is endsHere where it is so.
func here(so bool) ending {
	if so {
		return endsHere
	}
	return goesOn
}

func beginsAny(text string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(text, p) {
			return true
		}
	}
	return false
}

func containsAny(text string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
