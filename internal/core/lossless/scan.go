package lossless

import (
	"bytes"
	"strings"
)

// Scan calls fn with each top-level member of an object and its raw text. It builds nothing and
// looks into no value: to get two small members of a payload of many megabytes, a caller only pays
// for finding where they end. Members passed to fn before an error are valid.
func Scan(text []byte, fn func(key string, raw []byte)) error {
	s := scanner{text: text}
	s.space()
	if !s.take('{') {
		return s.fail("an object begins with '{'")
	}
	s.space()
	if s.take('}') {
		return s.end()
	}
	for {
		s.space()
		from := s.pos
		if !s.string() {
			return s.fail("a member begins with its name")
		}
		key := Plain(text[from:s.pos]) // "" if the name is not valid text
		s.space()
		if !s.take(':') {
			return s.fail("a ':' is missing after the member's name")
		}
		s.space()
		from = s.pos
		if !s.skip() {
			return s.fail("the value of %q has no end", key)
		}
		fn(key, text[from:s.pos])
		s.space()
		if s.take('}') {
			return s.end()
		}
		if !s.take(',') {
			return s.fail("a ',' or the object's end is missing")
		}
	}
}

// Plain returns the content of a raw string, "" for anything else.
func Plain(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	for i := 1; i < len(raw)-1; i++ {
		if !ordinary(raw[i]) {
			v, err := Parse(raw)
			if err != nil {
				return ""
			}
			return v.Text()
		}
	}
	return string(raw[1 : len(raw)-1])
}

type scanner struct {
	text []byte
	pos  int
}

func (s *scanner) fail(format string, args ...any) error {
	p := parser{src: string(s.text[:s.pos]), pos: s.pos}
	p.fail(format, args...)
	return p.err
}

func (s *scanner) space() {
	for s.pos < len(s.text) && isSpace(s.text[s.pos]) {
		s.pos++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func (s *scanner) take(c byte) bool {
	if s.pos < len(s.text) && s.text[s.pos] == c {
		s.pos++
		return true
	}
	return false
}

func (s *scanner) end() error {
	s.space()
	if s.pos < len(s.text) {
		return s.fail("something follows the end of the document")
	}
	return nil
}

// string skips a string, including its quotes.
func (s *scanner) string() bool {
	if !s.take('"') {
		return false
	}
	for {
		quote := bytes.IndexByte(s.text[s.pos:], '"')
		if quote < 0 {
			s.pos = len(s.text)
			return false
		}
		end := s.pos + quote
		slashes := 0
		for i := end - 1; i >= s.pos && s.text[i] == '\\'; i-- {
			slashes++
		}
		s.pos = end + 1
		if slashes%2 == 0 {
			return true
		}
	}
}

// skip skips one value.
func (s *scanner) skip() bool {
	depth := 0
	for s.pos < len(s.text) {
		switch c := s.text[s.pos]; c {
		case '"':
			if !s.string() {
				return false
			}
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			if depth == 0 {
				return false
			}
			depth--
			s.pos++
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return false
			}
			s.pos++
			continue // between values
		default:
			s.word()
		}
		if depth == 0 {
			return true
		}
	}
	return false
}

// word skips a number, true, false or null.
func (s *scanner) word() {
	for s.pos < len(s.text) && strings.IndexByte(",:]}\" \n\t\r", s.text[s.pos]) < 0 {
		s.pos++
	}
}
