package quality

import (
	"strings"

	"warp/internal/core/lexicon"
)

// rustScope is a module, or a block of an impl, that is being walked through.
type rustScope struct {
	name string
	end  int
	test bool // compiled for tests
	gate string
}

// attrs is what the attributes before an item say.
type attrs struct {
	from     int // -1 without any
	test     bool
	testOnly bool // #[cfg(test)]
	gate     string
}

// rustSpans finds the functions marked as tests anywhere, and the helpers next
// to them in modules and files that are only compiled for tests.
func rustSpans(s *source) []span {
	var spans []span
	scopes := []rustScope{{end: len(s.toks), test: IsTest(s.path)}}
	pending := attrs{from: -1}
	for i := 0; i < len(s.toks); i++ {
		for len(scopes) > 1 && scopes[len(scopes)-1].end <= i {
			scopes = scopes[:len(scopes)-1]
		}
		outer := scopes[len(scopes)-1]
		switch {
		case s.is(i, "#") && s.is(i+1, "["):
			s.attribute(i+2, s.close(i+1), i, &pending)
			i = s.close(i + 1)
			continue
		case s.is(i, "mod") && s.of(i+1, word):
			sp, inner := s.rustMod(i, outer, pending)
			if sp.end > 0 {
				spans = append(spans, sp)
			}
			if inner.end > 0 {
				scopes = append(scopes, inner)
			}
			i = max(i+1, sp.end-1)
		case s.is(i, "fn") && s.of(i+1, word):
			sp, ok := s.rustFn(i, pending)
			if sp.gate = join(outer.gate, pending.gate); ok && (sp.test || outer.test) {
				sp.group = outer.name
				spans = append(spans, sp)
				i = sp.end - 1
			}
		case rustModifier.Has(s.at(i)), s.of(i, stringToken):
			continue
		}
		pending = attrs{from: -1}
	}
	return spans
}

// rustModifier holds what may stand between an attribute and its function.
var rustModifier = lexicon.Set{List: "pub crate super async unsafe const extern ( )"}

var rustTests = lexicon.Set{List: "rstest test_case quickcheck proptest case wasm_bindgen_test"}

// attribute adds the attribute between two brackets to what is pending.
func (s *source) attribute(from, to, start int, a *attrs) {
	if a.from < 0 {
		a.from = start
	}
	last := from
	for s.are(last+1, ":", ":") {
		last += 3
	}
	switch name := s.word(last); {
	case name == "test", rustTests.Has(name):
		a.test = true
	case name == "cfg" && s.are(from+1, "(", "test", ")"):
		a.testOnly = true
	case name == "cfg":
		a.testOnly = a.testOnly || s.are(from+1, "(", "all", "(", "test", ",")
		a.gate = join(a.gate, "#["+s.slice(from, to)+"]")
	}
}

// slice is the text of the tokens from..to, cut where it grows too long to show.
func (s *source) slice(from, to int) string {
	var b strings.Builder
	for i := from; i < to && i < len(s.toks) && b.Len() < 80; i++ {
		b.WriteString(s.at(i))
	}
	return b.String()
}

// rustMod reads a module at i. A test module in a file of its own is kept as a
// unit, because taking its declaration away takes all its tests away.
func (s *source) rustMod(i int, outer rustScope, a attrs) (span, rustScope) {
	test := a.testOnly || outer.test
	name := s.at(i + 1)
	if s.is(i+2, "{") {
		inner := rustScope{name: name, end: s.close(i + 2), test: test, gate: join(outer.gate, a.gate)}
		if !a.testOnly {
			return span{}, inner
		}
		at := max(a.from, 0)
		return span{name: "mod " + name, test: true, optional: true, from: at, end: i + 2, body: i, stop: i + 2}, inner
	}
	if !a.testOnly || !s.is(i+2, ";") {
		return span{}, rustScope{}
	}
	return span{name: "mod " + name, test: true, gate: a.gate, from: max(a.from, 0), end: i + 3, body: i, stop: i + 3}, rustScope{}
}

// rustFn reads the function at i; ok is false for one without a body.
func (s *source) rustFn(i int, a attrs) (span, bool) {
	params := i + 2
	for params < i+maxArgs && !s.is(params, "(") {
		params++ // type parameters
	}
	body := s.blockAfter(s.close(params) + 1)
	if body < 0 {
		return span{}, false
	}
	end := min(s.close(body)+1, len(s.toks))
	sp := span{name: s.at(i + 1), test: a.test, from: i, end: end, body: body + 1, stop: end - 1}
	if a.from >= 0 {
		sp.from = a.from
	}
	return sp, true
}

// join lists two gates. It stops where a list grows too long to show: modules
// nested without end must not cost a square.
func join(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "" || len(a) > 200:
		return a
	}
	return a + ", " + b
}

var rustMacros = lexicon.Set{List: "panic unreachable bail ensure"}

// rustProbe counts the assertion macros and the attributes of a test.
func rustProbe(c *counter, i int, w string) bool {
	attribute := c.is(i-1, "[") && c.is(i-2, "#")
	switch {
	case c.is(i+1, "!") && (c.is(i+2, "(") || c.is(i+2, "[") || c.is(i+2, "{")):
		name := strings.TrimPrefix(strings.TrimPrefix(w, "debug_"), "prop_")
		if !strings.HasPrefix(name, "assert") && !rustMacros.Has(w) {
			return false
		}
		c.holds(i, name, c.args(i+2))
		if end := c.close(i + 2); c.are(end-2, "(", ")") && faint.Has(c.at(end-3)) {
			c.u.weak++
		}
		return true
	case attribute && w == "should_panic":
		c.u.asserts++
		return true
	case w == "ignore" && (attribute || c.is(i-1, ",")) && (c.is(i+1, "]") || c.is(i+1, "=") || c.are(i+1, ")", "]")):
		c.skip(true)
		return true
	case attribute && w == "case":
		c.u.loops++
	case w == "catch_unwind":
		c.u.swallows++
	}
	return false
}
