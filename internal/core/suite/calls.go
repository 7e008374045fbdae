package suite

import (
	"slices"
	"strings"
)

// call is one simple command of a shell text.
type call struct {
	words    []word
	captured bool // something reads what it prints: a pipe, a substitution, a file
}

type word struct {
	text string
	end  int // behind it in the text
}

// calls parts a shell text, or the recipes of a makefile, into its simple commands. It is
// no shell: it knows separators, quotes, substitutions and comments, which is enough to
// find the calls of a test runner and to see whether their output goes to a program.
func calls(text string) []call {
	s := splitter{text: maskVariables(text)}
	for s.pos < len(s.text) {
		s.step()
	}
	s.finish(false)
	return s.list
}

// maskVariables writes the usual variables of makefiles as the programs they hold, in as
// many bytes: what stands behind them keeps its place.
func maskVariables(text string) string {
	return strings.NewReplacer("$(GO)", "go   ", "${GO}", "go   ", "$(PYTEST)", "pytest   ", "${PYTEST}", "pytest   ", "$(PYTHON)", "python   ", "${PYTHON}", "python   ").Replace(text)
}

type splitter struct {
	text  string
	pos   int
	list  []call
	now   call
	start int  // of the word that is being read, plus one
	depth int  // of substitutions
	shell byte // the quote that ends a command for another shell
}

func (s *splitter) step() {
	c := s.text[s.pos]
	next := byte(0)
	if s.pos+1 < len(s.text) {
		next = s.text[s.pos+1]
	}
	switch {
	case c == '\\' && next == '\n':
		s.cut()
		s.pos++
	case c == '\\' && next != 0:
		s.begin()
		s.pos++
	case c == '#' && s.start == 0:
		for s.pos+1 < len(s.text) && s.text[s.pos+1] != '\n' {
			s.pos++
		}
	case c == '\'' || c == '"':
		s.quote(c)
	case c == '$' && next == '(':
		s.begin()
		s.finish(false)
		s.depth++
		s.pos++
	case c == '`':
		s.finish(false)
		s.depth = 1 - min(s.depth, 1)
	case c == ')':
		s.finish(false)
		s.depth = max(0, s.depth-1)
	case c == '|' && next != '|' && (s.pos == 0 || s.text[s.pos-1] != '|'):
		s.capture()
		s.finish(true)
	case c == '>':
		if !s.duplicates() {
			s.capture()
			s.now.captured = true
		}
		s.cut()
	case strings.IndexByte(";|&\n(", c) >= 0:
		if c == '&' && s.duplicated() {
			break
		}
		s.finish(false)
	case c == ' ' || c == '\t' || c == '\r':
		s.cut()
	default:
		s.begin()
	}
	s.pos++
}

// duplicates tells 2>&1 and 2>file, which leave standard output where it goes.
func (s *splitter) duplicates() bool {
	return strings.HasPrefix(s.text[s.pos:], ">&") || s.start > 0 && s.text[s.start-1:s.pos] == "2"
}

// duplicated tells the & of >&1.
func (s *splitter) duplicated() bool { return s.pos > 0 && s.text[s.pos-1] == '>' }

// capture marks all that was read where the output of a group is captured: behind a
// bracket, a quoted command, the end of a loop. Which of them the group holds is not
// worth knowing: what is read by a program is left alone.
func (s *splitter) capture() {
	s.cut()
	if words := s.now.words; len(words) > 0 && !groupEnds[words[0].text] && !number(words[0].text) { // a number: the 2 of 2>&1
		return
	}
	for i := range s.list {
		s.list[i].captured = true
	}
}

var groupEnds = map[string]bool{"}": true, "done": true, "fi": true, "esac": true}

// quote skips what is quoted, as part of a word; behind -c it is a command itself.
func (s *splitter) quote(mark byte) {
	if n := len(s.now.words); s.shell == 0 && s.start == 0 && n > 0 && strings.HasPrefix(s.now.words[n-1].text, "-") && strings.HasSuffix(s.now.words[n-1].text, "c") {
		s.finish(false)
		s.shell = mark
		return
	}
	if s.shell == mark {
		s.finish(false)
		s.shell = 0
		return
	}
	s.begin()
	for i := s.pos + 1; i < len(s.text); i++ {
		if s.text[i] == '\\' && mark == '"' {
			i++
		} else if s.text[i] == mark {
			s.pos = i
			return
		}
	}
}

func (s *splitter) begin() {
	if s.start == 0 {
		s.start = s.pos + 1
	}
}

// cut ends the word.
func (s *splitter) cut() {
	if s.start > 0 {
		s.now.words = append(s.now.words, word{s.text[s.start-1 : s.pos], s.pos})
	}
	s.start = 0
}

// finish ends the command.
func (s *splitter) finish(piped bool) {
	s.cut()
	if len(s.now.words) > 0 {
		s.now.captured = s.now.captured || piped || s.depth > 0
		s.list = append(s.list, s.now)
	}
	s.now = call{}
}

// program is the word that names the program, behind assignments, what make strips, and
// programs that start another; -1 when there is none.
func (c call) program() int {
	for i, w := range c.words {
		text := strings.TrimLeft(w.text, "@-+")
		switch {
		case text == "" || strings.HasPrefix(w.text, "-") && i > 0 || strings.Contains(text, "=") || strings.HasSuffix(text, ":"):
		case starters[text] || number(text):
		default:
			return i
		}
	}
	return -1
}

// starters start the program that is named behind them.
var starters = map[string]bool{"env": true, "time": true, "nice": true, "exec": true, "command": true, "sudo": true, "xvfb-run": true, "timeout": true,
	"then": true, "do": true, "else": true, "if": true, "!": true, "{": true, "poetry": true, "uv": true, "pipenv": true, "pdm": true, "hatch": true, "rye": true, "run": true, "coverage": true, "-m": true}

// has reports whether a call has one of some options, with or without a value.
func (c call) has(options ...string) bool {
	return slices.ContainsFunc(c.words, func(w word) bool {
		name, _, _ := strings.Cut(w.text, "=")
		return slices.Contains(options, name)
	})
}
