package quality

import "warp/internal/core/lexicon"

// iterates holds what hands the elements of a list to a test one by one.
var iterates = lexicon.Set{List: "range in of each parametrize ValueSource CsvSource EnumSource values for_each"}

// rowsAt is how many cases the list has that opens at i, 0 where that is no
// table: its elements must be composite, or plain values that a loop goes
// through. A block of statements is told by its assignments.
func (s *source) rowsAt(i int) int {
	if !s.is(i, "[") && !s.is(i, "{") {
		return 0
	}
	composite, plain := 0, 0
	start, end := i+1, min(s.close(i), len(s.toks))
	for j := i + 1; j <= end; j++ {
		if j < end && s.is(j, "=") && !s.is(j+1, "=") && !s.is(j+1, ">") && !s.is(j-1, "=") && !s.is(j-1, "!") {
			return 0
		}
		if j == end || s.is(j, ",") {
			switch last := j - 1; {
			case last < start:
			case s.is(last, "}") || s.is(last, "]") || s.is(last, ")"):
				composite++
			case s.of(last, stringToken) || s.of(last, number):
				plain++
			}
			start = j + 1
			continue
		}
		j = s.close(j)
	}
	if plain > composite && s.iterated(i) {
		return plain
	}
	return composite
}

// iterated reports whether the list that opens at i is gone through as it
// stands there.
func (s *source) iterated(i int) bool {
	for j := i - 1; j >= i-6; j-- {
		if iterates.Has(s.word(j)) {
			return true
		}
	}
	return false
}

// row adds the table that opens at i to the unit. The lists inside are its rows.
func (c *counter) row(i int) {
	if i < c.inTable {
		return
	}
	if n := c.rowsAt(i); n > 1 {
		c.u.rows += n
		c.inTable = c.close(i)
	}
}

// shrunk reports whether a table lost cases: rows, and values with them.
func shrunk(was, is *unit) bool {
	return is.rows < was.rows && (was.loops > 0 || was.scope) && !was.data.within(&is.data, 1, 1)
}
