package lossless

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// number skips a number of the JSON grammar.
func (p *parser) number() {
	if p.at('-') {
		p.pos++
	}
	switch {
	case p.at('0'):
		p.pos++
	case !p.digits():
		p.fail("a number needs a digit here")
		return
	}
	if p.at('.') {
		p.pos++
		if !p.digits() {
			p.fail("a number needs a digit after the point")
			return
		}
	}
	if p.at('e') || p.at('E') {
		p.pos++
		if p.at('+') || p.at('-') {
			p.pos++
		}
		if !p.digits() {
			p.fail("a number needs a digit in its exponent")
		}
	}
}

func (p *parser) at(c byte) bool { return p.pos < len(p.src) && p.src[p.pos] == c }

func (p *parser) digits() bool {
	from := p.pos
	for p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
		p.pos++
	}
	return p.pos > from
}

// str skips a string, including its quotes.
func (p *parser) str() {
	src, from, ascii := p.src, p.pos+1, true
	i := from
	for i < len(src) && ordinary(src[i]) {
		i++
	}
	for ; i < len(src); i++ {
		switch c := src[i]; {
		case c == '"':
			if !ascii && !utf8.ValidString(src[from:i]) {
				p.fail("a string that is not valid UTF-8")
				return
			}
			p.pos = i + 1
			return
		case c < ' ':
			p.pos = i
			p.fail("a control character inside a string")
			return
		case c >= utf8.RuneSelf:
			ascii = false
		case c == '\\':
			n := escapeLength(src[i:])
			if n == 0 {
				p.pos = i
				p.fail("an escape that JSON does not have")
				return
			}
			i += n - 1
		}
	}
	p.pos = len(src)
	p.fail("unexpected end of the document inside a string")
}

// ordinary reports whether a byte needs no further check inside a string; most do not.
func ordinary(c byte) bool { return c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' }

func escapeLength(s string) int {
	if len(s) < 2 {
		return 0
	}
	if strings.IndexByte(escapeLetters, s[1]) >= 0 {
		return 2
	}
	if s[1] != 'u' || len(s) < 6 {
		return 0
	}
	if _, err := strconv.ParseUint(s[2:6], 16, 32); err != nil {
		return 0
	}
	return 6
}

// unquote decodes a string literal that the parser accepted. A lone surrogate becomes U+FFFD.
func unquote(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	out := make([]byte, 0, len(raw))
	for s := raw[1 : len(raw)-1]; s != ""; {
		if s[0] != '\\' {
			out = append(out, s[0])
			s = s[1:]
			continue
		}
		if at := strings.IndexByte(escapeLetters, s[1]); at >= 0 {
			out = append(out, escapedBytes[at])
			s = s[2:]
			continue
		}
		r := readUnit(s)
		s = s[6:]
		if pair := utf16.DecodeRune(r, readUnit(s)); pair != utf8.RuneError {
			r, s = pair, s[6:]
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

const (
	escapeLetters = `"\/bfnrt`
	escapedBytes  = "\"\\/\b\f\n\r\t"
)

// readUnit returns the UTF-16 unit of an escape at the start of a text, U+FFFD if there is none.
func readUnit(s string) rune {
	if !strings.HasPrefix(s, `\u`) {
		return utf8.RuneError
	}
	unit, err := strconv.ParseUint(s[2:6], 16, 32)
	if err != nil {
		panic("lossless: the parser accepted " + s[:6])
	}
	return rune(unit)
}

const hexDigits = "0123456789abcdef"

// quote spells a string as JSON. Invalid UTF-8 becomes U+FFFD, so that other programs can still
// read the document.
func quote(s string) string {
	b := make([]byte, 0, len(s)+2)
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, `\n`...)
		case c == '\t':
			b = append(b, `\t`...)
		case c == '\r':
			b = append(b, `\r`...)
		case c < ' ' || c == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		case c < utf8.RuneSelf:
			b = append(b, c)
		default:
			r, n := utf8.DecodeRuneInString(s[i:])
			b = utf8.AppendRune(b, r)
			i += n
			continue
		}
		i++
	}
	return string(append(b, '"'))
}
