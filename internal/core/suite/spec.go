package suite

import "strings"

// specReader reads what node --test shows people: all tests as a tree, then a summary by
// which it is known, then those that failed once more.
type specReader struct {
	tally   *tally
	titles  titles
	tests   []named
	repeats bool
}

func (s *specReader) line(text string) bool {
	level, inner := depth(text, 2)
	mark, title, _ := strings.Cut(inner, " ")
	switch mark {
	case "▶":
		title, _ = untimed(title)
		s.titles.open(level, title)
		s.repeats = false
	case "✔":
		s.test(level, title, Passed)
		s.repeats = false
	case "✖":
		if s.repeats = s.repeats || title == "failing tests:"; !s.repeats {
			s.test(level, title, Failed)
		}
	case "﹣":
		s.test(level, title, Skipped)
	case ">":
		s.repeats = s.repeats && level > 0 // npm runs the next script
	case "ℹ":
		if strings.HasPrefix(title, "tests ") && level == 0 {
			s.flush()
			return true
		}
	}
	return false
}

func (s *specReader) test(level int, title string, result Result) {
	title, directive, _ := cutLast(title, " # ")
	if d := strings.ToUpper(directive); strings.HasPrefix(d, "SKIP") || strings.HasPrefix(d, "TODO") {
		result = Skipped
	} else if directive != "" {
		title += " # " + directive // of the title itself
	}
	title, timed := untimed(title)
	if !timed || len(s.tests) >= maxTests {
		return
	}
	s.tests = append(s.tests, named{s.titles.path(level, title), result})
	s.titles.open(level, "")
}

func (s *specReader) flush() {
	for _, n := range s.tests {
		s.tally.test(n.name, n.result)
	}
	s.tests, s.titles = nil, titles{}
}

func (s *specReader) confirmed() { s.tests, s.titles = nil, titles{} }
func (s *specReader) end()       { s.tests = nil }

// mochaReader reads mocha's spec reporter: a tree without an end of its suites, known by
// the count of those that passed below it.
type mochaReader struct {
	tally  *tally
	titles titles
	tests  []named
	after  bool // the summary was read: what follows are the failures in full
}

var mochaMarks = map[string]Result{"✔": Passed, "✓": Passed, "√": Passed, "-": Skipped}

func (m *mochaReader) line(text string) bool {
	level, inner := depth(text, 2)
	if level == 0 || inner == "" {
		m.after = m.after && (inner == "" || text[0] == ' ')
		return false
	}
	count, rest, _ := strings.Cut(inner, " ")
	if _, timed := untimed(rest); timed && strings.HasPrefix(rest, "passing (") && number(count) {
		for _, n := range m.tests {
			m.tally.test(n.name, n.result)
		}
		m.tests, m.titles, m.after = nil, titles{}, true
		return true
	}
	if m.after || len(m.tests) >= maxTests {
		return false
	}
	result, ok := mochaMarks[count]
	if !ok && strings.HasSuffix(count, ")") && number(count[:len(count)-1]) {
		result, ok = Failed, true
	}
	if !ok || rest == "" {
		m.titles.open(level, inner)
		return false
	}
	if result == Passed {
		rest, _ = untimed(rest) // told of slow ones alone
	}
	m.tests = append(m.tests, named{m.titles.path(level, rest), result})
	return false
}

func number(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (m *mochaReader) confirmed() { m.tests, m.titles = nil, titles{} }
func (m *mochaReader) end()       { m.tests = nil }
