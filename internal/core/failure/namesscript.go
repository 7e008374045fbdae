package failure

import (
	"strings"

	"warp/internal/core/lexicon"
)

// scriptNames reads Jest and Vitest: a line FAIL with the file, which in Vitest
// also has the test; in Jest the tests follow, each behind a bullet.
type scriptNames struct {
	tally
	file  string // of Jest
	named bool   // one of its tests was
}

func (s *scriptNames) line(text string) {
	if title, ok := strings.CutPrefix(text, "  ● "); ok {
		if s.file != "" && title != "Console" && title != suiteFailed {
			s.once(s.file + " > " + title)
			s.named = true
		}
		return
	}
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "PASS ") || strings.HasPrefix(text, "Test Suites:") {
		s.end()
		return
	}
	rest, ok := strings.CutPrefix(text, "FAIL ")
	if !ok {
		return
	}
	rest = strings.TrimSpace(rest)
	file, _, nested := strings.Cut(rest, " > ")
	whole, _, suite := strings.Cut(rest, " [ ")
	bare, _ := untimed(rest)
	switch {
	case nested && isScript(file):
		s.once(rest)
	case suite && isScript(whole):
		s.once(whole)
	case isScript(bare):
		s.end()
		s.file = bare
	}
}

// suiteFailed is the bullet of a file whose tests could not be read.
const suiteFailed = "Test suite failed to run"

// end names a file that failed without naming a test.
func (s *scriptNames) end() {
	if !s.named {
		s.once(s.file)
	}
	s.file, s.named = "", false
}

var scriptTypes = lexicon.Set{List: "js jsx ts tsx mjs cjs mts cts vue svelte"}

func isScript(file string) bool {
	return scriptTypes.Has(file[strings.LastIndexByte(file, '.')+1:])
}

// mochaNames reads Mocha: behind "2 failing" each failure has a number and the
// titles of its suites, one on each line and each further in.
type mochaNames struct {
	tally
	listing bool
	titles  []string
}

func (m *mochaNames) line(text string) {
	inner := strings.TrimLeft(text, " ")
	indent := len(text) - len(inner)
	if m.titles != nil && inner != "" && indent == 5+2*len(m.titles) {
		m.titles = append(m.titles, inner)
		return
	}
	m.end()
	number, rest, _ := strings.Cut(inner, " ")
	switch digits, numbered := strings.CutSuffix(number, ")"); {
	case indent != 2 || !isNumber(digits):
	case !numbered:
		m.listing = rest == "failing"
	case m.listing && rest != "":
		m.titles = []string{rest}
	}
}

// end names the test whose titles are complete.
func (m *mochaNames) end() {
	if m.titles != nil {
		m.once(strings.TrimSuffix(strings.Join(m.titles, " > "), ":"))
	}
	m.titles = nil
}

func isNumber(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}
