package quality

import (
	"strings"
	"unicode/utf8"
)

// comment skips one comment. It leaves no token, so that code that was
// commented out is gone for every count.
func (l *lexer) comment() bool {
	two := l.src[l.pos:min(l.pos+2, len(l.src))]
	switch {
	case l.hash && two[0] == '#', !l.hash && two == "//":
		l.toLineEnd()
	case !l.hash && two == "/*":
		l.blockComment()
	default:
		return false
	}
	return true
}

func (l *lexer) toLineEnd() {
	if n := strings.IndexByte(l.src[l.pos:], '\n'); n >= 0 {
		l.pos += n
		return
	}
	l.pos = len(l.src)
}

func (l *lexer) blockComment() {
	depth := 0
	for l.pos < len(l.src) {
		switch {
		case l.src[l.pos] == '/' && l.peek(1) == '*' && (depth == 0 || l.nested):
			depth++
			l.pos += 2
		case l.src[l.pos] == '*' && l.peek(1) == '/':
			l.pos += 2
			if depth--; depth == 0 {
				return
			}
		default:
			if l.src[l.pos] == '\n' {
				l.line(l.pos)
			}
			l.pos++
		}
	}
}

// quoted reads a string literal of whatever form the language has.
func (l *lexer) quoted() bool {
	from, c := l.pos, l.src[l.pos]
	switch {
	case c == '`' && l.rawTick, c == '`' && l.nameTick:
		l.ticked(from)
		return true
	case c == '`' && l.template:
		l.pos++
		l.stringTail(from, "`")
		return true
	case c != '"' && c != '\'':
		return false
	case c == '\'' && l.lifetime:
		l.charOrLifetime(from)
		return true
	}
	quote := l.src[from : from+1]
	if l.triple && (c == '"' || l.hash) && l.peek(1) == c && l.peek(2) == c {
		quote = l.src[from : from+3]
	}
	l.pos += len(quote)
	l.stringTail(from, quote)
	return true
}

// ticked reads a Go raw string or a Kotlin name between backticks.
func (l *lexer) ticked(from int) {
	l.pos++
	n := strings.IndexByte(l.src[l.pos:], '`')
	if n < 0 {
		l.pos = len(l.src)
	} else {
		l.pos += n + 1
	}
	k := stringToken
	if l.nameTick {
		k = word
	}
	l.emit(k, from)
}

// stringTail reads up to the closing quote, or to the code of an interpolation.
// A string that is not closed ends with its line where the language says so:
// an apostrophe in JSX text must not swallow the rest of the file.
func (l *lexer) stringTail(from int, quote string) {
	short := len(quote) == 1 && quote != "`" && !l.multiline
	code := quote == "`" && l.template || quote[0] == '"' && l.dollar
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case c == quote[0] && strings.HasPrefix(l.src[l.pos:], quote):
			l.pos += len(quote)
			l.emit(stringToken, from)
			return
		case c == '\\' && !(l.dollar && len(quote) == 3):
			l.pos++
		case c == '\n' && short:
			l.emit(stringToken, from)
			return
		case c == '$' && code && l.peek(1) == '{':
			l.pos++
			l.emit(stringToken, from)
			l.holes = append(l.holes, hole{quote, l.depth + 1})
			return
		}
		l.pos++
	}
	l.pos = len(l.src)
	l.emit(stringToken, from)
}

// charOrLifetime tells 'a' from 'a; only the first is a literal.
func (l *lexer) charOrLifetime(from int) {
	l.pos++
	if l.peek(0) == '\\' {
		l.stringTailChar(from)
		return
	}
	_, size := utf8.DecodeRuneInString(l.src[l.pos:])
	if size > 0 && l.peek(size) == '\'' {
		l.pos += size + 1
		l.emit(stringToken, from)
	}
}

// stringTailChar reads an escaped character such as '\u{1f600}'.
func (l *lexer) stringTailChar(from int) {
	l.pos = min(l.pos+2, len(l.src))
	for l.pos < len(l.src) && l.src[l.pos] != '\'' && l.src[l.pos] != '\n' {
		l.pos++
	}
	if l.peek(0) == '\'' {
		l.pos++
	}
	l.emit(stringToken, from)
}

// prefixed reads a string whose prefix letters were just read as a name:
// Python's rb"…" and Rust's br#"…"#.
func (l *lexer) prefixed(from int) bool {
	pre := l.src[from:l.pos]
	if !l.hash && !l.lifetime || len(pre) > 2 || strings.Trim(pre, "rRbBuUfFcC") != "" {
		return false
	}
	if l.hash {
		return l.quoteAfter(from)
	}
	if !strings.HasSuffix(pre, "r") {
		return l.peek(0) == '"' && l.quoteAfter(from)
	}
	hashes := 0
	for l.peek(hashes) == '#' {
		hashes++
	}
	if l.peek(hashes) != '"' {
		return false
	}
	body := l.pos + hashes + 1
	end := strings.Index(l.src[body:], `"`+l.src[l.pos:l.pos+hashes])
	if l.pos = len(l.src); end >= 0 {
		l.pos = body + end + 1 + hashes
	}
	l.emit(stringToken, from)
	return true
}

// quoteAfter reads the string at the current position, and lets it begin with
// its prefix.
func (l *lexer) quoteAfter(from int) bool {
	if l.pos >= len(l.src) || !l.quoted() {
		return false
	}
	l.toks[len(l.toks)-1].at = uint32(from)
	return true
}
