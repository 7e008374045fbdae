package quality

// unreachable is the end of the code that the bare return at i cuts off, or i.
func (c *counter) unreachable(i int) int {
	if !c.is(i, "return") {
		return i
	}
	if c.lang.lexis.hash {
		return c.cutByIndent(i)
	}
	next := i + 1
	if c.are(i+1, "Ok", "(", "(", ")", ")") {
		next = i + 6
	}
	bare := c.is(next, ";") || c.startsLine(next) && next == i+1
	if c.is(next, ";") {
		next++
	}
	if !bare || len(c.open) == 0 || !c.startsStatement(i) || c.is(next, "}") || c.is(next, "case") || c.is(next, "default") {
		return i
	}
	return c.close(c.open[len(c.open)-1])
}

// startsStatement reports whether token i begins a statement of its own rather
// than being the branch of a condition.
func (c *counter) startsStatement(i int) bool {
	switch prev := c.at(i - 1); prev {
	case "{", "}", ";":
		return true
	case "else", ">", ":", "":
		return false
	case ")":
		opened := int(c.mate[i-1])
		if w := c.word(opened - 1); opened >= 0 && (w == "if" || w == "while" || w == "for") {
			return false
		}
	}
	return c.startsLine(i)
}

// cutByIndent is unreachable for a language of indented blocks.
func (c *counter) cutByIndent(i int) int {
	if !c.startsLine(i) || i+1 < len(c.toks) && !c.startsLine(i+1) && !c.is(i+1, "None") {
		return i
	}
	j := i + 1
	for j < c.limit && !(c.startsLine(j) && c.toks[j].col < c.toks[i].col) {
		j++
	}
	return j
}
