// Package highlight colours code: keywords, strings, numbers, comments. It knows just enough of
// a language to make a diff easy to read.
//
// Its running time is linear in the text, whatever that contains: agents' code may not be code.
// It preserves the text completely and in order.
package highlight

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The classes of tokens. Plain text has none.
const (
	Word    = "k"
	Text    = "s"
	Number  = "m"
	Comment = "c"
)

// Token is a piece of a line.
type Token struct{ Class, Text string }

// Lines returns the tokens of consecutive lines of the named file, or nil if its language is
// unknown.
func Lines(name string, lines []string) [][]Token {
	l := find(name)
	if l == nil {
		return nil
	}
	out := make([][]Token, len(lines))
	s := scanner{language: l}
	for n, line := range lines {
		out[n] = s.scan(line)
	}
	return out
}

func find(name string) *language {
	base := strings.ToLower(path.Base(name))
	if l := byName[base]; l != nil {
		return l
	}
	return byName[path.Ext(base)]
}

// scanner processes lines. until is the end of a comment or string that spans lines.
type scanner struct {
	*language
	until, class string
	tokens       []Token
	apostrophes  string // quotes that do not close in this line
}

func (s *scanner) add(class, text string) {
	if n := len(s.tokens); n > 0 && s.tokens[n-1].Class == class {
		s.tokens[n-1].Text += text
	} else if text != "" {
		s.tokens = append(s.tokens, Token{class, text})
	}
}

func (s *scanner) scan(line string) []Token {
	s.tokens, s.apostrophes = nil, ""
	plain := 0 // start of text without a class
	for at := 0; at < len(line); {
		if s.until != "" {
			n, found := cutAfter(line[at:], s.until)
			s.add(s.class, line[at:at+n])
			if at += n; found {
				s.until = ""
			}
			plain = at
			continue
		}
		class, n := s.next(line, at)
		if class != "" {
			s.add("", line[plain:at])
			s.add(class, line[at:at+n])
			plain = at + n
		}
		at += n
	}
	s.add("", line[plain:])
	return s.tokens
}

// next returns the class and length of the token at a position.
func (s *scanner) next(line string, at int) (class string, n int) {
	rest := line[at:]
	for _, mark := range s.line {
		if strings.HasPrefix(rest, mark) && (mark != "#" || at == 0 || line[at-1] == ' ' || line[at-1] == '\t') {
			return Comment, len(rest)
		}
	}
	for _, b := range s.blocks {
		if strings.HasPrefix(rest, b.open) {
			s.until, s.class = b.end, b.class
			return b.class, len(b.open)
		}
	}
	c := rest[0]
	if strings.IndexByte(s.quotes, c) >= 0 {
		if strings.IndexByte(s.apostrophes, c) < 0 {
			if n := quoted(rest); n > 0 {
				return Text, n
			}
			s.apostrophes += string(c)
		}
		return "", 1
	}
	n = wordLength(rest)
	switch {
	case n == 0:
		_, n = utf8.DecodeRuneInString(rest)
		return "", n
	case c >= '0' && c <= '9':
		return Number, n
	case s.isWord(rest[:n]):
		return Word, n
	}
	return "", n
}

func (l *language) isWord(word string) bool {
	if l.anyCase {
		word = strings.ToLower(word)
	}
	return l.words[word]
}

// cutAfter returns the length of a text up to and including end.
func cutAfter(text, end string) (n int, found bool) {
	if i := strings.Index(text, end); i >= 0 {
		return i + len(end), true
	}
	return len(text), false
}

// quoted returns the length of a quoted string; 0 if it does not end in this line, so the mark
// is something else, such as an apostrophe.
func quoted(rest string) int {
	for i := 1; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case rest[0]:
			return i + 1
		}
	}
	return 0
}

// wordLength returns the length of the word or number at the start of a text.
func wordLength(text string) int {
	number := text[0] >= '0' && text[0] <= '9'
	for i, r := range text {
		if r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && (!number || r != '.') {
			return i
		}
	}
	return len(text)
}
