package quality

import (
	"strings"

	"warp/internal/core/lexicon"
)

var (
	pySkips  = lexicon.Set{List: "skip skipif skipIf skipUnless skipTest xfail importorskip expectedFailure"}
	pyMay    = lexicon.Set{List: "skipif skipIf skipUnless importorskip"}
	pyHost   = lexicon.Set{List: "pytest mark unittest self cls case"}
	pyRaises = lexicon.Set{List: "raises warns fail deprecated_call assertRaises"}
)

// pyProbe counts what pytest and unittest know.
func pyProbe(c *counter, i int, w string) bool {
	called := c.is(i+1, "(")
	q := c.qualifier(i)
	switch {
	case w == "assert" && !called, w == "assert" && (c.startsLine(i) || c.is(i-1, ":") || c.is(i-1, ";")):
		c.pyAssert(i)
		return true
	case called && strings.HasPrefix(w, "assert"):
		c.holds(i, w, c.args(i+1))
		return true
	case called && pyRaises.Has(w) && (q == "" || pyHost.Has(q)) && i >= c.u.body,
		w == "AssertionError" && c.is(i-1, "raise"):
		c.u.asserts++
		return true
	case pySkips.Has(w) && (pyHost.Has(q) || c.is(i-1, "@")):
		nested := i >= c.u.body && c.u.body < len(c.toks) && !c.u.scope && c.lineCol(i) > c.toks[c.u.body].col
		c.skip(!pyMay.Has(w) && !nested)
		return true
	case w == "SkipTest" && i >= c.u.body, w == "__test__" && c.are(i+1, "=", "False"),
		(w == "collect_ignore" || w == "collect_ignore_glob") && c.is(i+1, "="):
		c.skip(true)
		return true
	case w == "except":
		c.pyExcept(i)
	case w == "suppress" && called:
		c.u.swallows++
	}
	return false
}

// lineCol is the indentation of the line that token i stands on. It does not
// look back far: a skip stands near the start of its statement.
func (c *counter) lineCol(i int) uint16 {
	for end := i - maxArgs; i > 0 && i > end && !c.toks[i].nl; {
		i--
	}
	return c.toks[i].col
}

// pyAssert counts an assert statement. A tuple after assert is always true.
func (c *counter) pyAssert(i int) {
	end := i + 1
	for end < len(c.toks) && end-i < maxArgs && !c.startsLine(end) && !c.is(end, ";") {
		end++
	}
	tuple := c.is(i+1, "(") && c.close(i+1) == end-1 && len(c.commas(i+2, end-1)) > 1
	parts := c.commas(i+1, end)
	if tuple || c.vacuous("assert", parts) {
		c.u.trivial++
		return
	}
	c.u.asserts++
	if len(parts) > 1 {
		c.muted = [2]int{parts[1][0], end}
	}
	if n := len(parts); n > 0 && c.are(parts[0][1]-3, "is", "not", "None") {
		c.u.weak++
	}
}

// pyExcept finds the handler that passes over a failure.
func (c *counter) pyExcept(i int) {
	for j := i + 1; j < i+maxArgs; j++ {
		if c.is(j, ":") {
			if c.is(j+1, "pass") || c.are(j+1, ".", ".", ".") {
				c.u.swallows++
			}
			return
		}
	}
}
