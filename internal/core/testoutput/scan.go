package testoutput

import (
	"regexp"
	"strings"
)

// scan reads the lines of one format.
type scan struct {
	*Reader
	format  *format
	on      bool // the lines of its tests are being read
	sure    bool // a summary has shown that they are its own
	place   string
	failed  bool // the place did
	titles  titles
	pending string // a test that has begun
	held    []named
	known   map[string]int // where the tests of a session are held: a runner that names one twice gives it the worst result
	count   int            // of the tests since the last summary
}

const maxLevels = 32

// titles are the tests and suites that are open, by their depth.
type titles [maxLevels]string

func (t *titles) path(level int, title string) string {
	list := make([]string, 0, level+1)
	for _, outer := range t[:level] {
		if outer != "" {
			list = append(list, outer)
		}
	}
	return strings.Join(append(list, title), " > ")
}

// open names what is open at a level, and forgets what was open inside it.
func (t *titles) open(level int, title string) {
	t[level] = title
	clear(t[level+1:])
}

// readText reads a line, and tells whether it sums up tests of this format.
func (s *scan) readText(text string) (summary bool) {
	f := s.format
	if !s.matters(text) {
		return false
	}
	if m := find(f.place, text); m != nil {
		s.enterPlace(m)
	}
	if m := find(f.fails, text); m != nil && s.failed && m["test"] != "Console" && m["test"] != "Test suite failed to run" {
		s.addFailing(s.placed(m["test"]), Failed)
	}
	if m := find(f.cut, text); m != nil {
		s.addFailing(s.placed("[cut short]"), Failed)
	}
	if f.until != nil && f.until.MatchString(text) {
		s.on = false
	}
	if f.from != nil && f.from.MatchString(text) {
		s.on = true
	}
	if m := find(f.summary, text); m != nil {
		return s.sumUp(m)
	}
	if s.on && text != "" {
		s.readTest(text)
	}
	return false
}

func (s *scan) matters(text string) bool {
	f := s.format
	if f.hints == "" || s.pending != "" || s.on && f.from != nil && !f.initially {
		return true
	}
	for hint := range strings.SplitSeq(f.hints, "|") {
		if strings.Contains(text, hint) {
			return true
		}
	}
	return false
}

// enterPlace notes a file or a program, and how it ended where that is told.
func (s *scan) enterPlace(m map[string]string) {
	s.place, s.titles = strings.ReplaceAll(m["place"], `\`, "/"), titles{}
	if program := m["program"]; program != "" {
		s.place = program + ":" + s.place
	} else if crate := m["crate"]; crate != "" {
		s.place = "doc:" + crate
	}
	result, told := s.format.marks[m["mark"]]
	s.failed = told && result == Failed
	if told {
		s.addWhole(s.place, result)
	}
}

// placed is a name with the file or program it belongs to.
func (s *scan) placed(name string) string {
	if s.place == "" || s.format.join == "" {
		return name
	}
	return s.place + s.format.join + name
}

// sumUp counts the tests of a run that has ended.
func (s *scan) sumUp(m map[string]string) bool {
	s.failPending()
	if result, told := s.format.marks[m["mark"]]; told && s.place != "" && (s.count > 0 || result == Failed) {
		s.addWhole(s.place, result)
	}
	s.flush(true)
	if s.format.continues {
		s.sure = s.format.holds
		return false
	}
	summary := s.count > 0 || !s.format.holds
	s.titles, s.failed, s.count = titles{}, false, 0
	return summary
}

func (s *scan) readTest(text string) {
	f := s.format
	for m := find(f.begins, text); m != nil; m = find(f.begins, text) {
		s.failPending() // up to Python 3.10 nothing ends the line of a test with failing subtests
		s.pending = f.clean(m["test"])
		text = text[len(m[""]):]
	}
	if s.pending != "" {
		if m := find(f.result, text); m != nil {
			s.addResult(s.pending, f.marks[m["mark"]])
			s.pending = ""
			return
		}
	}
	for _, pattern := range f.tests {
		if m := find(pattern, text); m != nil {
			s.readResult(m)
			return
		}
	}
	if m := find(f.opens, text); m != nil {
		s.titles.open(s.level(m), f.clean(m["title"]))
	}
}

func (s *scan) level(m map[string]string) int {
	return min(len(m["in"])/max(s.format.width, 1), maxLevels-1)
}

func (s *scan) readResult(m map[string]string) {
	result, known := s.format.marks[m["mark"]]
	if !known {
		result = Failed // a number in a list of failures
	}
	if d := strings.ToUpper(m["directive"]); strings.HasPrefix(d, "SKIP") || strings.HasPrefix(d, "TODO") {
		result = Skipped
	}
	title := s.format.clean(m["test"])
	switch {
	case m["build"] != "":
		title = m["build"] + " [build failed]"
	case title == "" && m["number"] != "":
		title = "test " + m["number"]
	case title == "":
		return
	}
	level := s.level(m)
	s.addResult(s.titles.path(level, title), result)
	if m["open"] != "" {
		s.titles.open(level, title)
	}
}

// addResult counts a test, or holds it until it is known to be one.
func (s *scan) addResult(name string, r Result) {
	f := s.format
	name = s.placed(name)
	s.count++
	if f.list {
		s.addFailing(name, r)
		return
	}
	if at, again := s.known[name]; again && s.held[at].result != Failed {
		s.held[at].result = r
	} else if !again && len(s.held) < maxTests {
		if f.repeats {
			s.known[name] = len(s.held)
		}
		s.held = append(s.held, named{name, r})
	}
	if s.sure || !f.holds && !f.repeats {
		s.flush(true)
	}
}

// failPending fails a test of which no result came.
func (s *scan) failPending() {
	if s.pending != "" {
		s.addResult(s.pending, Failed)
	}
	s.pending = ""
}

// flush tells of what was held: tests, or what may only have failed.
func (s *scan) flush(areTests bool) {
	for _, n := range s.held {
		if areTests {
			s.addTest(n.name, n.result)
		}
		if !s.format.listed {
			s.addFailing(n.name, n.result)
		}
	}
	s.held, s.known = nil, map[string]int{}
}

// finish ends the reading: what no summary has confirmed is no test, but may be told to
// have failed.
func (s *scan) finish() {
	if !s.format.holds {
		s.failPending()
	}
	s.flush(s.sure || !s.format.holds)
}

// find is what the named groups of a pattern hold in a text, and under "" all that it
// matches; nil where it does not.
func find(pattern *regexp.Regexp, text string) map[string]string {
	if pattern == nil {
		return nil
	}
	at := pattern.FindStringSubmatchIndex(text)
	if at == nil {
		return nil
	}
	m := map[string]string{}
	for i, name := range pattern.SubexpNames() {
		if at[2*i] >= 0 && (i == 0 || name != "") {
			m[name] = text[at[2*i]:at[2*i+1]]
		}
	}
	return m
}
