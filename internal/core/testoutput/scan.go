package testoutput

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// scan reads the lines of one runner.
type scan struct {
	*Reader
	*runner
	on     bool // inside the lines of its tests
	sure   bool // a summary has shown that they belong to it
	done   bool // all tests of the place ran
	place  string
	opened []opened
	begun  map[string]bool // tests that have not ended
	held   []named
}

// named is a test whose full name or runner is not known yet.
type named struct {
	name   string
	result Result
}

func newScan(r *Reader, kind *runner) *scan {
	return &scan{Reader: r, runner: kind, on: kind.from == nil || kind.initially, begun: map[string]bool{}}
}

// opened is a test or suite that contains what is indented below it.
type opened struct {
	in   int
	path string
}

// readText reads a line, and reports whether it sums up tests of this runner.
func (s *scan) readText(text string) (summary bool) {
	if s.hints != nil && !slices.ContainsFunc(s.hints, func(hint string) bool { return strings.Contains(text, hint) }) {
		return false
	}
	if m := find(s.places, text); m != nil {
		s.enterPlace(m)
	}
	s.done = s.done || matches(s.through, text)
	s.on = s.on && !matches(s.until, text) || matches(s.from, text)
	if m := find(s.summary, text); m != nil {
		return s.sumUp(m)
	}
	if s.on {
		s.readTest(text)
	}
	return false
}

// enterPlace notes a file or a program, with its result if printed.
func (s *scan) enterPlace(m map[string]string) {
	s.place, s.opened = strings.TrimPrefix(m["program"]+":"+strings.ReplaceAll(m["place"], `\`, "/"), ":"), nil
	if m["crate"] != "" {
		s.place = "doc:" + m["crate"]
	}
	if result, told := resultOf(m["mark"]); told {
		s.addWhole(s.place, result)
	}
}

// sumUp counts the tests of a run that has ended. Go prints their package only here; failures in a
// package that passed were run by a test.
func (s *scan) sumUp(m map[string]string) (summary bool) {
	s.endBegun(Failed)
	result, told := resultOf(m["mark"])
	if told && m["none"] == "" {
		s.addWhole(s.place+m["place"], result)
	}
	if told && s.list && result == Passed {
		s.forget()
	} else if s.through != nil && !s.done {
		s.addResult("[cut short]", Failed)
	}
	summary = !s.continues && (len(s.held) > 0 || !s.holds)
	s.flush(strings.TrimPrefix(m["place"]+s.join, s.join), true)
	s.sure, s.done = s.continues, false
	return summary
}

func (s *scan) readTest(text string) {
	if m := find(s.more, text); m != nil {
		for test := range s.begun {
			s.begun = map[string]bool{test + " > " + m["test"]: true}
		}
		return
	} else if s.more != nil {
		s.endBegun(Failed)
	}
	for m := find(s.begins, text); m != nil; m = find(s.begins, text) {
		s.begin(titleOf(m))
		text = text[len(m[""]):]
	}
	if len(s.begun) > 0 && matches(s.result, text) {
		result, _ := resultOf(find(s.result, text)["mark"])
		s.endBegun(result)
		return
	}
	for _, pattern := range s.tests {
		if m := find(pattern, text); m != nil {
			s.readResult(m)
			return
		}
	}
}

func (s *scan) begin(test string) {
	if !s.parallel {
		s.endBegun(Failed) // up to Python 3.10, nothing ends the line of a test with failing subtests
	}
	if s.over = s.over || len(s.begun) >= maxTests; !s.over {
		s.begun[test] = true
	}
}

func (s *scan) readResult(m map[string]string) {
	result, known := resultOf(m["mark"])
	if d := strings.ToUpper(m["directive"]); strings.HasPrefix(d, "SKIP") || strings.HasPrefix(d, "TODO") {
		result = Skipped
	} else if !known {
		result = Failed
	}
	around, outer, title := 0, "", titleOf(m)
	for ; around < len(s.opened) && s.opened[around].in < len(m["in"]); around++ {
		outer = s.opened[around].path
	}
	if title != "" {
		s.addResult(JoinTitles(outer, title), result)
	}
	if title += m["opens"]; m["open"]+m["opens"] != "" && around < maxLevels {
		s.opened = append(s.opened[:around], opened{len(m["in"]), tidy(JoinTitles(outer, title))})
	}
}

// titleOf returns a line's name for a test. A class may end in the name of the test.
func titleOf(m map[string]string) string {
	title, class := strings.TrimSpace(m["test"]), m["class"]
	switch {
	case m["build"] != "":
		title = m["build"] + " [build failed]"
	case m["number"] != "" && title == "":
		title = "test " + m["number"]
	case class != "" && strings.HasSuffix("."+class, "."+title):
		title = class
	case class != "":
		title = class + "." + title
	}
	return title + m["rest"]
}

// addResult holds a test until it is confirmed.
func (s *scan) addResult(name string, r Result) {
	if s.parallel && !s.begun[name] {
		return
	}
	delete(s.begun, name)
	if s.name != nil {
		name = s.name(name)
	}
	if s.place != "" && s.join != "" {
		name = s.place + s.join + name
	}
	if len(s.held) <= maxTests { // one more than is kept, so that it shows
		s.held = append(s.held, named{name, r})
	}
}

// endBegun ends the tests that began. Those without a result have failed.
func (s *scan) endBegun(r Result) {
	for test := range s.begun {
		s.addResult(test, r)
	}
}

var worst = [...]int{Failed: 0, Skipped: 1, Passed: 2}

// flush reports what was held: as tests, or only as failures.
func (s *scan) flush(prefix string, areTests bool) {
	s.endBegun(Failed)
	if s.repeats {
		slices.SortFunc(s.held, func(a, b named) int { return cmp.Or(strings.Compare(a.name, b.name), worst[a.result]-worst[b.result]) })
		s.held = slices.CompactFunc(s.held, func(a, b named) bool { return a.name == b.name })
	}
	for _, n := range s.held {
		if areTests && !s.list {
			s.addTest(prefix+n.name, n.result)
		}
		if !s.listed {
			s.addFailing(prefix+n.name, n.result)
		}
	}
	s.forget()
}

func (s *scan) forget() { s.held, s.opened, s.begun = nil, nil, map[string]bool{} }

// finish ends the reading: what no summary confirmed is not a test, but may be a failure.
func (s *scan) finish() { s.flush("", s.sure || !s.holds) }

func matches(pattern *regexp.Regexp, line string) bool {
	return pattern != nil && pattern.MatchString(line)
}

// find returns the named groups of a match, and the whole match under ""; nil without a match.
func find(pattern *regexp.Regexp, text string) map[string]string {
	if !matches(pattern, text) {
		return nil
	}
	m := map[string]string{}
	for i, group := range pattern.FindStringSubmatch(text) {
		m[pattern.SubexpNames()[i]] = group
	}
	return m
}
