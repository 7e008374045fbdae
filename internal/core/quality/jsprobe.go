package quality

import "warp/internal/core/lexicon"

var (
	jsMuted   = lexicon.Set{List: "skip only todo fixme failing fails"}
	jsMayMute = lexicon.Set{List: "skipIf runIf"}
	jsPrefix  = lexicon.Set{List: "xit xtest xspecify xdescribe xcontext fit ftest fdescribe fcontext"}
	jsTap     = lexicon.Set{List: `is not deepEqual notDeepEqual true false truthy falsy throws throwsAsync notThrows like
 regex snapshot equal same notEqual strictSame match ok notOk fail rejects resolves equals deepEquals`}
	jsAbsent = lexicon.Set{List: "toBeNull toBeUndefined toThrow null undefined throw"}
)

// jsProbe counts the assertions of jest, vitest, mocha with chai or node's
// assert, jasmine, ava and tap, and the marks that keep a test from running.
func jsProbe(c *counter, i int, w string) bool {
	called := c.is(i+1, "(")
	q := c.qualifier(i)
	switch {
	case c.jsSkip(i, w, q):
		return true
	case w == "expect" && called && (q == "chai" || !c.is(i-1, ".")):
		c.jsExpect(i)
		return true
	case w == "expect" && called, w == "should" && c.is(i-1, "."):
		c.u.asserts++
		return true
	case w == "assert" && called:
		c.holds(i, w, c.args(i+1))
		return true
	case called && q != "" && c.is(c.root(i), "assert"), called && q == "assert":
		c.holds(i, w, c.args(i+1))
		return true
	case called && q == "t" && w == "pass":
		c.u.trivial++
		return true
	case called && q == "t" && jsTap.Has(w), called && w == "fail" && (q == "" || q == "done"):
		c.holds(i, w, c.args(i+1))
		return true
	case w == "throw" && !c.u.test && c.u.name != "":
		c.u.asserts++ // a helper that throws asserts; a mock inside a test does not
		return true
	}
	c.swallow(i, w)
	return false
}

// jsExpect counts expect(x).matcher(y). Without a matcher it states nothing.
func (c *counter) jsExpect(i int) {
	name, parts, negated := c.chain(i + 1)
	if name == "" {
		return
	}
	if negated {
		c.u.calls = append(c.u.calls, call{"expect", 1})
		if jsAbsent.Has(name) {
			c.u.weak++
		}
		return
	}
	c.holds(i, name, parts)
}

func (c *counter) jsSkip(i int, w, q string) bool {
	called := c.is(i+1, "(")
	root := c.at(c.root(i))
	ofTest := q != "" && (jsTest.Has(root) || jsGroup.Has(root) || jsHost.Has(root) || root == "this")
	switch {
	case ofTest && jsMuted.Has(w) && (called || c.is(i+1, ".") || c.of(i+1, stringToken)):
		c.skip(true)
	case ofTest && jsMayMute.Has(w):
		c.skip(false)
	case jsPrefix.Has(w) && q == "" && (called || c.is(i+1, ".")):
		c.skip(true)
	case q == "" && (w == "skip" || w == "only" || w == "todo") && c.is(i+1, ":") && !c.is(i+2, "false"):
		c.skip(true) // the options of node's own runner
	default:
		return false
	}
	return true
}

// swallow finds a handler that does nothing with the failure it catches.
func (c *counter) swallow(i int, w string) {
	if w != "catch" {
		return
	}
	j := i + 1
	if c.is(j, "(") {
		j = c.close(j) + 1
	}
	if c.are(j, "{", "}") {
		c.u.swallows++
	}
}
