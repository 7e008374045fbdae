package failure

import (
	"strings"

	"warp/internal/core/lexicon"
)

// scrub rewrites one line after the other. Each decision rests on what is
// already written and on what is still to be read, never on what was replaced,
// so that a second pass over the result decides alike.
type scrub struct {
	out   []byte
	start int // where the line begins in out

	in    string // the line being read
	pos   int
	gap   bool // blanks were read and not yet written
	pathy bool // the current run of text looks like a path or a host
	addr  bool // an address was written on this line
}

// rule replaces what stands at the current position, or reports false.
type rule func(*scrub) bool

// The rules of each kind of first byte, the most specific first.
var (
	digitRules = [...]rule{(*scrub).uuid, (*scrub).hexNumber, (*scrub).instant, (*scrub).hash, (*scrub).duration,
		(*scrub).share, (*scrub).gutter, (*scrub).numbered, (*scrub).large}
	letterRules = [...]rule{(*scrub).uuid, (*scrub).instant, (*scrub).hash, (*scrub).path, (*scrub).tempName}
	markRules   = [...]rule{(*scrub).placeholder, (*scrub).path, (*scrub).position, (*scrub).brackets, (*scrub).identity, (*scrub).waiting, (*scrub).ruler}
)

// line rewrites one line and ends it, unless nothing is left of it.
func (s *scrub) line(text string) {
	if s.start = len(s.out); s.start > 0 {
		s.out = append(s.out, '\n')
		s.start++
	}
	s.in, s.pos, s.gap, s.pathy, s.addr = text, 0, false, false, false
	for s.pos < len(text) {
		s.step(text[s.pos])
	}
	if len(s.out) == s.start && s.start > 0 {
		s.out = s.out[:s.start-1]
	}
}

func (s *scrub) step(c byte) {
	var rules []rule
	switch {
	case isBlank(c):
		s.gap, s.pathy = true, false
		s.pos++
		return
	case lexicon.IsDigit(c):
		rules = digitRules[:]
	case lexicon.IsLetter(c):
		rules = letterRules[:]
	case !plainWord(c):
		rules = markRules[:]
	}
	for _, r := range rules {
		if r(s) {
			return
		}
	}
	if plainWord(c) {
		s.copyWord()
		return
	}
	s.put(s.in[s.pos : s.pos+1])
	s.pos++
}

func isBlank(c byte) bool { return c <= ' ' || c == 0x7f }

// plainWord is lexicon.IsWord without the dollar sign.
func plainWord(c byte) bool { return c != '$' && lexicon.IsWord(c) }

// put writes text, with one blank before it where some were read.
func (s *scrub) put(text string) {
	if s.gap && len(s.out) > s.start {
		s.out = append(s.out, ' ')
	}
	s.gap = false
	s.out = append(s.out, text...)
	switch {
	case strings.ContainsAny(text, `./\`), text == "<dir>", text == "<tmp>", text == "localhost":
		s.pathy = true
	case text == ":" && len(s.out) > s.start+1 && s.out[len(s.out)-2] == ':':
		s.pathy = true // an IPv6 address, or a name with a scope
	case len(text) == 1 && strings.Contains(",;{}=\"'`", text):
		s.pathy = false
	}
}

// mask writes a placeholder for the next n bytes.
func (s *scrub) mask(placeholder string, n int) bool {
	s.addr = s.addr || placeholder == "<addr>"
	s.put(placeholder)
	s.pos += n
	return true
}

// copyWord copies a name, or a number with its fraction. A ruler of underscores
// is a word too.
func (s *scrub) copyWord() {
	end := s.wordEnd(s.pos)
	for lexicon.IsDigit(s.in[s.pos]) && s.byteAt(end) == '.' && lexicon.IsDigit(s.byteAt(end+1)) {
		end = s.wordEnd(end + 1)
	}
	text := s.in[s.pos:end]
	if len(text) > 3 && strings.Trim(text, "_") == "" {
		text = "___"
	}
	s.put(text)
	s.pos = end
}

// byteAt is the byte at i, 0 out of range.
func (s *scrub) byteAt(i int) byte {
	if i < 0 || i >= len(s.in) {
		return 0
	}
	return s.in[i]
}

func (s *scrub) wordEnd(i int) int {
	for i < len(s.in) && plainWord(s.in[i]) {
		i++
	}
	return i
}

func (s *scrub) digitsEnd(i int) int {
	for i < len(s.in) && lexicon.IsDigit(s.in[i]) {
		i++
	}
	return i
}

func (s *scrub) blanksEnd(i int) int {
	for i < len(s.in) && isBlank(s.in[i]) {
		i++
	}
	return i
}

// prev is the last byte written on this line, 0 at its start or after a blank.
func (s *scrub) prev() byte {
	if s.gap || len(s.out) == s.start {
		return 0
	}
	return s.out[len(s.out)-1]
}

// ends reports whether no name goes on at i.
func (s *scrub) ends(i int) bool { return !plainWord(s.byteAt(i)) }

var placeholders = [...]string{"<n>", "<dur>", "<time>", "<dir>", "<tmp>", "<addr>", "<hash>", "<uuid>", "<pct>"}

// placeholder copies what a former pass wrote.
func (s *scrub) placeholder() bool {
	if s.in[s.pos] != '<' {
		return false
	}
	for _, p := range placeholders {
		if strings.HasPrefix(s.in[s.pos:], p) {
			return s.mask(p, len(p))
		}
	}
	return false
}

// ruler shortens a line drawn with one character, whose length is chosen to
// fit a text of varying width.
func (s *scrub) ruler() bool {
	c := s.in[s.pos]
	if strings.IndexByte("=-*#~^.+", c) < 0 {
		return false
	}
	end := s.pos
	for s.byteAt(end) == c {
		end++
	}
	if end-s.pos < 4 {
		return false
	}
	s.put(s.in[s.pos : s.pos+3])
	s.pos = end
	return true
}
