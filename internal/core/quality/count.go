package quality

import "warp/internal/core/lexicon"

// counter walks the tokens of one unit and adds up what it finds there.
type counter struct {
	*source
	u       *unit
	open    []int  // enclosing braces
	inTable int    // end of the table being walked
	muted   [2]int // literals between these tokens are messages, not data
	limit   int    // end of the tokens being walked
}

// census counts every test and helper of a file, and the code outside of them.
func census(s *source) []*unit {
	spans := s.lang.spans(s)
	units := make([]*unit, 0, len(spans)+1)
	scope := &unit{scope: true, span: span{stop: len(s.toks)}}
	outer := &counter{source: s, u: scope}
	next := 0
	for _, sp := range spans {
		outer.run(next, sp.from)
		if next = sp.end; sp.hidden {
			continue
		}
		u := &unit{span: sp}
		c := &counter{source: s, u: u}
		c.run(sp.from, sp.end)
		if s.lang.after != nil {
			s.lang.after(c)
		}
		units = append(units, u)
	}
	outer.run(next, len(s.toks))
	if s.lang.inline && !IsTest(s.path) {
		return units // the rest of the file is the product itself
	}
	return append(units, scope)
}

func (c *counter) run(from, to int) {
	c.limit = to
	for i := from; i < to; i++ {
		if end := c.unreachable(i); end > i {
			i = min(end, to) - 1
			continue
		}
		c.step(i)
	}
}

func (c *counter) step(i int) {
	switch c.toks[i].kind {
	case mark:
		c.brace(i)
		c.row(i)
	case word:
		c.wordAt(i, c.at(i))
	default:
		c.literalAt(i)
	}
}

func (c *counter) brace(i int) {
	switch {
	case c.is(i, "{"):
		c.open = append(c.open, i)
	case c.is(i, "}") && len(c.open) > 0:
		c.open = c.open[:len(c.open)-1]
	}
}

func (c *counter) literalAt(i int) {
	if i >= c.muted[0] && i < c.muted[1] || c.of(i, stringToken) && c.literal(i) == c.u.name {
		return
	}
	c.u.words.add(c.at(i))
	c.u.data.add(c.at(i))
}

func (c *counter) wordAt(i int, w string) {
	if !noise.Has(w) {
		c.u.words.add(w)
	}
	inBody := i >= c.u.body && i < c.u.stop
	if inBody && !inert.Has(w) {
		c.u.live = true
	}
	if loop.Has(w) {
		c.u.loops++
	}
	if c.constantCondition(i, w) {
		c.skip(true)
	}
	if c.are(i+1, "(", "0", ")") && leaves.Has(w) {
		// A test may be the child process of another one, and end as such.
		c.skip(!c.u.test && (c.lang.lexis.hash || len(c.open) < 2))
	}
	if c.lang.probe(c, i, w) || !inBody {
		return
	}
	c.callAt(i, w)
}

// callAt notes a call by plain name, or a plain name handed on as the last
// argument: both may run a helper that asserts.
func (c *counter) callAt(i int, w string) {
	if c.is(i-1, ".") && !ownName.Has(c.qualifier(i)) {
		return
	}
	switch {
	case c.is(i+1, "(") && asserting(w):
		c.u.calls = append(c.u.calls, call{w, 1})
	case c.is(i+1, "("), c.is(i-1, ",") && c.is(i+1, ")"):
		c.u.calls = append(c.u.calls, call{w, 0})
	}
}

// ownName holds what a method of the same class is called through.
var ownName = lexicon.Set{List: "self this cls super Self"}

// constantCondition finds code switched on or off for good: if false, if (0).
func (c *counter) constantCondition(i int, w string) bool {
	j := i + 1
	if c.is(j, "(") {
		j++
	}
	if c.is(j, "!") || c.is(j, "not") {
		j++
	}
	v := c.at(j)
	switch w {
	case "if", "elif":
		if !constant.Has(v) {
			return false
		}
	case "while", "for":
		if v != "false" && v != "False" && v != "0" {
			return false
		}
	default:
		return false
	}
	after := c.at(j + 1)
	return after == "{" || after == ")" || after == ":"
}

func (c *counter) skip(hard bool) {
	c.u.skips++
	if hard {
		c.u.hard++
	}
}

// holds counts the assertion called name at token i over the given arguments.
// One that can be a helper of the project's own is left to be resolved.
func (c *counter) holds(i int, name string, parts [][2]int) {
	switch {
	case i < c.u.body: // the definition of a helper of that name
		return
	case c.vacuous(name, parts):
		c.u.trivial++
		return
	case c.is(i-1, ".") && !ownName.Has(c.qualifier(i)) || !c.is(i+1, "("):
		c.u.asserts++
	default:
		c.u.calls = append(c.u.calls, call{c.at(i), 1})
	}
	if faint.Has(name) {
		c.u.weak++
	}
}
