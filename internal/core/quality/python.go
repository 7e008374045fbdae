package quality

import "strings"

// pyClass is a class that is being walked through.
type pyClass struct {
	name string
	col  uint16
	runs bool // pytest or unittest collects it
}

// pySpans finds the functions of a Python file with their decorators. Where a
// name is defined twice in one place the last definition wins, as it does when
// the file is run: a hollow copy further down hides the test above it.
func pySpans(s *source) []span {
	var spans []span
	var classes []pyClass
	deco := -1
	for i := 0; i < len(s.toks); i++ {
		if !s.toks[i].nl {
			continue
		}
		for n := len(classes); n > 0 && s.toks[i].col <= classes[n-1].col; n-- {
			classes = classes[:n-1]
		}
		at := i
		if s.is(i, "async") {
			at++
		}
		switch {
		case s.is(i, "@"):
			if deco < 0 {
				deco = i
			}
			continue
		case s.is(i, "class"):
			classes = append(classes, pyClass{s.word(i + 1), s.toks[i].col, s.pyCollected(i + 1)})
		case s.is(at, "def") && s.of(at+1, word):
			sp := s.pyFunc(at, classes)
			if sp.from = i; deco >= 0 {
				sp.from = deco
			}
			spans = append(spans, sp)
			i = sp.end - 1
		}
		deco = -1
	}
	return lastOf(spans)
}

// pyCollected reports whether a class whose name is at i holds tests: by its
// name, or by a base class that may be a TestCase.
func (s *source) pyCollected(i int) bool {
	name := s.word(i)
	if strings.HasPrefix(name, "Test") {
		return true
	}
	return s.is(i+1, "(") && s.close(i+1) > i+2 && !s.are(i+2, "object", ")")
}

// pyFunc reads the function whose def is at i, up to the next line that is not
// indented deeper.
func (s *source) pyFunc(i int, classes []pyClass) span {
	col := s.toks[s.lineHead(i)].col
	body := s.close(i + 2)
	for body < len(s.toks) && !s.is(body, ":") {
		if body++; s.startsLine(body) {
			break
		}
	}
	body = min(body+1, len(s.toks))
	end := body
	for end < len(s.toks) && !(s.toks[end].nl && s.toks[end].col <= col) {
		end++
	}
	sp := span{name: s.word(i + 1), body: body, stop: end, end: max(end, i+1)}
	sp.test = strings.HasPrefix(sp.name, "test") && !isConftest(s.path)
	if n := len(classes); n > 0 {
		sp.group = classes[n-1].name
		sp.test = sp.test && classes[n-1].runs
	}
	return sp
}

// lineHead is i, or the async before it.
func (s *source) lineHead(i int) int {
	if i > 0 && s.is(i-1, "async") {
		return i - 1
	}
	return i
}

// lastOf drops the definitions that a later one of the same name replaces.
// Their tokens stay out of every count, as dead code does.
func lastOf(spans []span) []span {
	last := map[[2]string]int{}
	for i, sp := range spans {
		last[[2]string{sp.group, sp.name}] = i
	}
	for i, sp := range spans {
		if last[[2]string{sp.group, sp.name}] != i {
			spans[i].hidden = true
		}
	}
	return spans
}
