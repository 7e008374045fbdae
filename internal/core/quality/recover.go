package quality

// maxSearch bounds how many gaining tests are tried for each loss, first in the
// same file and then in all of them: a diff of a hundred thousand tests must
// not cost a square.
const maxSearch = 64

// gains notes what each unit gained, for losses to be set against.
func (l *ledger) gains() {
	l.byKey = map[string][]*unit{"": nil}
	note := func(u *unit, n int) {
		if u.gain = n; n > 0 || u.isNew {
			l.byKey[u.key] = append(l.byKey[u.key], u)
			l.byKey[""] = append(l.byKey[""], u)
		}
	}
	for _, p := range l.pairs {
		p.is.hadLoops = p.was.loops
		p.is.gained = p.is.words.without(&p.was.words)
		note(p.is, p.is.total-p.was.total)
	}
	for _, u := range l.fresh {
		u.gained = u.words
		note(u, u.total)
	}
}

// search calls try with the units that may have taken over from u until one does.
func (l *ledger) search(u *unit, try func(*unit) bool) bool {
	for _, key := range [...]string{u.key, ""} {
		list := l.byKey[key]
		for _, c := range list[:min(len(list), maxSearch)] {
			again := key == "" && c.key == u.key
			if !again && (c.test || !u.test) && try(c) {
				return true
			}
		}
	}
	return false
}

// regained looks for what was lost between the two sides of a pair: a unit that
// gained as many assertions, and two thirds of the words that left with them.
// What makes up for one loss cannot make up for another.
func (l *ledger) regained(was, is *unit, n int) bool {
	words := was.words.without(&is.words)
	return words.size() > 0 && l.search(is, func(c *unit) bool {
		if c.gain < n || !words.within(&c.gained, 2, 3) {
			return false
		}
		c.gain -= n
		return true
	})
}

// heir looks for the test that took over from u, renamed or merged into it: one
// that gained as many assertions and holds half of the words.
func (l *ledger) heir(u *unit) (found *unit) {
	l.search(u, func(c *unit) bool {
		if c.gain < u.total || u.total == 0 && !c.isNew || !u.words.within(&c.words, 1, 2) {
			return false
		}
		c.gain -= u.total
		found = c
		return true
	})
	return found
}

// tabled reports whether is holds the cases of was as the rows of a table.
func tabled(was, is *unit) bool {
	kept, in := &was.data, &is.data
	if kept.size() == 0 {
		kept, in = &was.words, &is.words
	}
	return is.loops > is.hadLoops && is.total > 0 && kept.within(in, 9, 10)
}

// dissolved reports whether a test that is gone by name lives on as rows of a
// table, or split into several.
func (l *ledger) dissolved(u *unit) bool {
	if l.search(u, func(c *unit) bool { return c.test && tabled(u, c) }) {
		return true
	}
	return l.split(u)
}

// split reports whether several new tests together hold u.
func (l *ledger) split(u *unit) bool {
	var words bag
	var parts []*unit
	left := u.total
	l.search(u, func(c *unit) bool {
		if c.isNew && c.gain > 0 && left > 0 && c.words.within(&u.words, 1, 2) {
			words.join(&c.words)
			parts = append(parts, c)
			left -= c.gain
		}
		return false
	})
	if left > 0 || !u.words.within(&words, 2, 3) {
		return false
	}
	for _, c := range parts {
		c.gain = 0
	}
	return true
}
