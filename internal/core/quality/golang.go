package quality

import (
	"strings"

	"warp/internal/core/lexicon"
)

// goSpans finds the functions of a Go file. A method of a suite is a test too.
func goSpans(s *source) []span {
	var spans []span
	for i := 0; i < len(s.toks); i++ {
		if !s.is(i, "func") || !s.startsLine(i) {
			continue
		}
		at := i + 1
		if s.is(at, "(") {
			at = s.close(at) + 1
		}
		name := s.word(at)
		params := at + 1
		if s.is(params, "[") {
			params = s.close(params) + 1
		}
		if name == "" || !s.is(params, "(") {
			continue
		}
		body := s.blockAfter(s.close(params) + 1)
		if body < 0 {
			continue
		}
		end := min(s.close(body)+1, len(s.toks))
		spans = append(spans, span{name: name, test: goTest(name), from: i, end: end, body: body + 1, stop: end - 1})
		i = end - 1
	}
	return spans
}

// blockAfter is the brace that opens the body of a function whose parameters
// end before i. Between them stands a result type, and no more than that.
func (s *source) blockAfter(i int) int {
	for end := i + maxArgs; i < end && i < len(s.toks); i++ {
		switch s.at(i) {
		case "{":
			return i
		case ";", "}", "func", "fn":
			return -1
		}
	}
	return -1
}

// goTest follows the go command: Test must not be followed by a small letter.
// TestMain is no test; it runs them.
func goTest(name string) bool {
	for _, pre := range [...]string{"Test", "Fuzz", "Example"} {
		if rest, ok := strings.CutPrefix(name, pre); ok {
			return name != "TestMain" && (rest == "" || rest[0] < 'a' || rest[0] > 'z')
		}
	}
	return false
}

var (
	goFails   = lexicon.Set{List: "Error Errorf Fatal Fatalf Fail FailNow"}
	goSkips   = lexicon.Set{List: "Skip Skipf SkipNow"}
	goAsserts = lexicon.Set{List: "require assert is must"}
	goSuite   = lexicon.Set{List: "s suite ts"}
	goMatcher = lexicon.Set{List: `Equal NotEqual EqualValues EqualError Error ErrorIs ErrorAs ErrorContains NoError True False
 Nil NotNil Empty NotEmpty Len Contains NotContains ElementsMatch Subset Zero NotZero Panics JSONEq Regexp
 Greater Less InDelta WithinDuration Eventually Never Fail FailNow Exactly Same IsType`}
	goExpect = lexicon.Set{List: "Expect Eventually Consistently Ω"}
)

// testVar reports whether a name is a *testing.T by convention. Whoever calls
// it otherwise still has it on both sides of the diff.
var testVar = lexicon.Set{List: "t b f tb tt T"}

func goProbe(c *counter, i int, w string) bool {
	if !c.is(i+1, "(") {
		return false
	}
	q := c.qualifier(i)
	switch {
	case w == "Run" && q != "":
		if c.of(i+2, stringToken) {
			c.u.subtests++
		}
		return true
	case testVar.Has(q) && goFails.Has(w):
		c.u.asserts++
		c.muted = [2]int{i, c.close(i + 1)}
		c.nilCheck(i)
		return true
	case testVar.Has(q) && goSkips.Has(w):
		c.skip(len(c.open) == 1)
		return true
	case goAsserts.Has(q), goSuite.Has(q) && goMatcher.Has(w), goMatcher.Has(w) && c.is(i-2, ")") && c.requiring(i-2):
		if w == "New" {
			return false
		}
		parts := c.args(i + 1)
		if len(parts) > 0 && parts[0][1]-parts[0][0] == 1 && testVar.Has(c.at(parts[0][0])) {
			parts = parts[1:]
		}
		c.holds(i, w, parts)
		return true
	case q != "" && (w == "Assert" || w == "Check"):
		c.u.asserts++
		return true
	case goExpect.Has(w):
		if name, _, _ := c.chain(i + 1); name != "" {
			c.u.asserts++
		}
		return true
	}
	return false
}

// requiring reports whether the call that closes at i is s.Require() or s.Assert().
func (s *source) requiring(i int) bool {
	w := s.word(int(s.mate[i]) - 1)
	return w == "Require" || w == "Assert"
}

// nilCheck notes a failure that is only reported for a nil: if x == nil { t.Fatal.
func (c *counter) nilCheck(i int) {
	if n := len(c.open); n > 0 && c.open[n-1] == i-3 && c.is(i-4, "nil") {
		c.u.weak++
	}
}

// goAfter catches the TestMain that neither runs the tests nor hands them on.
func goAfter(c *counter) {
	if c.u.name != "TestMain" {
		return
	}
	m := c.at(c.u.from + 3)
	for i := c.u.body; i < c.u.stop; i++ {
		if c.is(i, m) && (c.are(i+1, ".", "Run") || c.is(i+1, ",") || c.is(i+1, ")")) {
			return
		}
	}
	c.skip(true)
}

// goGate is the build constraint of a file, in its header or in its name.
func goGate(s *source) string {
	var gates []string
	if !collected(s.path) {
		gates = append(gates, "a file name that go test does not collect")
	}
	rest := s.text
	for rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "package ") {
			break
		}
		if strings.HasPrefix(line, "//go:build ") || strings.HasPrefix(line, "// +build ") {
			gates = append(gates, line)
		}
		rest = after
	}
	stem := strings.TrimSuffix(s.path, "_test.go")
	if os := stem[strings.LastIndexByte(stem, '_')+1:]; os != stem && platform.Has(os) {
		gates = append(gates, "a file name for "+os+" alone")
	}
	return strings.Join(gates, ", ")
}

var platform = lexicon.Set{List: `aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris
 wasip1 windows 386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm`}
