package quality

import "strings"

// source is one file as tokens, with brackets paired.
type source struct {
	path string
	text string
	toks []token
	mate []int32 // for a bracket its partner; for an open one without, the end
	lang *language
}

// maxSource bounds the file that is read token by token: offsets are kept in 32
// bits. No one writes tests in files of that size.
const maxSource = 1 << 30

func parse(path string, content []byte, lang *language) *source {
	s := &source{path: path, lang: lang}
	if len(content) < maxSource {
		s.text = string(content)
	}
	s.toks = lex(s.text, lang.lexis)
	s.pair()
	return s
}

var opener = [256]byte{')': '(', ']': '[', '}': '{'}

// pair matches brackets. A closing one without an open one of its kind is
// ignored; it closes whatever was left open inside its own pair.
func (s *source) pair() {
	s.mate = make([]int32, len(s.toks))
	var open []int32
	var count [256]int
	for i, t := range s.toks {
		s.mate[i] = -1
		if t.kind != mark {
			continue
		}
		c := s.text[t.at]
		switch c {
		case '(', '[', '{':
			s.mate[i] = int32(len(s.toks))
			open = append(open, int32(i))
			count[c]++
		case ')', ']', '}':
			for want := opener[c]; count[want] > 0; {
				top := open[len(open)-1]
				open = open[:len(open)-1]
				kind := s.text[s.toks[top].at]
				count[kind]--
				if s.mate[top] = int32(i); kind == want {
					s.mate[i] = top
					break
				}
			}
		}
	}
}

// at is the text of token i, empty out of range: callers look around freely.
func (s *source) at(i int) string {
	if i < 0 || i >= len(s.toks) {
		return ""
	}
	return s.text[s.toks[i].at:s.toks[i].end]
}

func (s *source) is(i int, want string) bool { return s.at(i) == want }

// are reports whether the tokens from i on are the ones given.
func (s *source) are(i int, want ...string) bool {
	for k, w := range want {
		if s.at(i+k) != w {
			return false
		}
	}
	return true
}

func (s *source) of(i int, k kind) bool {
	return i >= 0 && i < len(s.toks) && s.toks[i].kind == k
}

// word is the text of token i where that is a name.
func (s *source) word(i int) string {
	if !s.of(i, word) {
		return ""
	}
	return s.at(i)
}

func (s *source) startsLine(i int) bool {
	return i >= 0 && i < len(s.toks) && s.toks[i].nl
}

// close is the token that closes the bracket at i; without one it is i itself,
// so that a caller never walks backwards.
func (s *source) close(i int) int {
	if i < 0 || i >= len(s.toks) || int(s.mate[i]) < i {
		return i
	}
	return int(s.mate[i])
}

// literal is a string token without its quotes and prefix.
func (s *source) literal(i int) string {
	if !s.of(i, stringToken) {
		return ""
	}
	return strings.Trim(strings.TrimLeft(s.at(i), "rbufRBUF"), "\"'`$")
}

// qualifier is the name before the dot before token i.
func (s *source) qualifier(i int) string {
	if s.is(i-1, ".") {
		return s.word(i - 2)
	}
	return ""
}

// root is the first name of the dotted chain that ends at i. No framework's
// chain is longer than what is followed, and a chain of a million is not walked
// from each of its links.
func (s *source) root(i int) int {
	for hops := 0; hops < 8 && s.is(i-1, ".") && s.of(i-2, word); hops++ {
		i -= 2
	}
	return i
}

// maxArgs bounds the tokens of a call that are looked at: a call longer than
// that states more than a constant, and nested calls must not cost a square.
const maxArgs = 64

// args splits the call whose bracket opens at i at its top commas.
func (s *source) args(open int) [][2]int {
	end := s.close(open)
	if end-open > maxArgs || end >= len(s.toks) || end == open {
		return nil
	}
	return s.commas(open+1, end)
}

// commas splits the tokens from..to at the commas outside inner brackets.
func (s *source) commas(from, to int) [][2]int {
	var parts [][2]int
	start := from
	for i := from; i < to; i++ {
		if s.is(i, ",") {
			parts = append(parts, [2]int{start, i})
			start = i + 1
			continue
		}
		i = s.close(i)
	}
	if start < to {
		parts = append(parts, [2]int{start, to})
	}
	return parts
}
