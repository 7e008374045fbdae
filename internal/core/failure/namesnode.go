package failure

import (
	"strings"

	"warp/internal/core/lexicon"
)

// outline follows the nesting of tests by their indentation.
type outline struct {
	tally
	width  int                 // blanks for each level
	titles [maxLevels]string   // of the tests that are open
	below  [maxLevels + 1]bool // something failed on this level, below what is open
}

const maxLevels = 32

// level is how deep a line stands, and its text.
func (o *outline) level(text string) (int, string) {
	inner := strings.TrimLeft(text, " ")
	return min((len(text)-len(inner))/o.width, maxLevels-1), inner
}

func (o *outline) open(level int, title string) {
	o.titles[level] = title
	o.below[level+1] = false
}

// close ends a test, and names it where it failed and nothing below it did.
func (o *outline) close(level int, title string, failed bool) {
	if failed && !o.below[level+1] {
		o.again(strings.Join(append(append([]string(nil), o.titles[:level]...), title), " > "))
	}
	o.below[level] = o.below[level] || failed
	o.below[level+1] = false
	o.titles[level] = ""
}

// tapNames reads the Test Anything Protocol: node --test, bats and others.
type tapNames struct{ outline }

func (t *tapNames) line(text string) {
	level, text := t.level(text)
	if title, ok := strings.CutPrefix(text, "# Subtest: "); ok {
		t.open(level, unescaped(title))
		return
	}
	rest, failed := strings.CutPrefix(text, "not ok ")
	if !failed {
		var passed bool
		if rest, passed = strings.CutPrefix(text, "ok "); !passed {
			return
		}
	}
	number := 0
	for number < len(rest) && lexicon.IsDigit(rest[number]) {
		number++
	}
	if number == 0 {
		return
	}
	title, directive, _ := strings.Cut(rest[number:], " # ")
	title = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(title)+" ", "- "))
	if title == "" {
		title = "test " + rest[:number]
	}
	t.close(level, unescaped(title), failed && !excused(directive))
}

func (t *tapNames) end() {}

// excused tells whether a test may fail, or did not run.
func excused(directive string) bool {
	d := strings.ToUpper(directive)
	return strings.HasPrefix(d, "TODO") || strings.HasPrefix(d, "SKIP")
}

func unescaped(title string) string {
	return strings.ReplaceAll(strings.ReplaceAll(title, `\#`, "#"), `\\`, `\`)
}

// specNames reads what node --test shows in a terminal: first all tests as a
// tree, then those that fail once more, without their place in it.
type specNames struct {
	outline
	repeats bool
}

func (s *specNames) line(text string) {
	level, text := s.level(text)
	mark, title, _ := strings.Cut(text, " ")
	switch mark {
	case "✖":
		if title == "failing tests:" {
			s.repeats = true
			return
		}
		title, directive, _ := strings.Cut(title, " # ")
		if title, timed := untimed(title); timed && !s.repeats {
			s.close(level, title, !excused(directive))
		}
	case "✔":
		s.close(level, "", false)
		s.repeats = false
	case "▶":
		title, _ = untimed(title)
		s.open(level, title)
		s.repeats = false
	case ">":
		s.repeats = s.repeats && level > 0 // npm runs the next script
	}
}

func (s *specNames) end() {}
