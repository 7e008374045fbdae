package quality

import (
	"strings"

	"warp/internal/core/lexicon"
)

// lexis says how a language writes comments and strings; a token stream needs
// no more of a grammar than that.
type lexis struct {
	hash      bool // # starts a comment, and line breaks inside brackets mean nothing (Python)
	nested    bool // block comments nest
	rawTick   bool // `…` is a raw string (Go)
	nameTick  bool // `…` is a name (Kotlin)
	template  bool // `…${code}…` (JavaScript)
	dollar    bool // "…${code}…" (Kotlin)
	triple    bool // strings between three double quotes, or three single ones where hash is set
	multiline bool // "…" may span lines (Rust)
	lifetime  bool // 'a may be a lifetime, r#"…"# is a string (Rust)
	regex     bool // /…/ may be a literal (JavaScript)
}

type kind uint8

const (
	mark kind = iota // one byte of punctuation
	word
	number
	stringToken // a string literal, quotes included
)

// token is kept small: five megabytes of source make millions of them.
type token struct {
	at, end uint32
	col     uint16 // indentation of its line, where it starts one
	kind    kind
	nl      bool // first of its line
}

// hole is an interpolated string whose code part is being read.
type hole struct {
	quote string
	depth int
}

type lexer struct {
	lexis
	src       string
	pos       int
	lineStart int
	nl        bool
	depth     int // open brackets
	holes     []hole
	noRegex   int // no regular expression starts before this offset
	toks      []token
}

func lex(src string, rules lexis) []token {
	l := &lexer{lexis: rules, src: src, nl: true, toks: make([]token, 0, len(src)/4+8)}
	for l.pos < len(src) {
		switch c := src[l.pos]; {
		case c == '\n':
			l.line(l.pos)
			l.pos++
		case c <= ' ' || c == 0x7f:
			l.pos++
		case lexicon.IsDigit(c):
			l.digits()
		case lexicon.IsWord(c):
			l.name()
		case c == '#' || c == '/':
			if !l.comment() && !l.regexp() {
				l.punct(c)
			}
		case c == '"' || c == '\'' || c == '`':
			if !l.quoted() {
				l.punct(c)
			}
		default:
			l.punct(c)
		}
	}
	return l.toks
}

func (l *lexer) peek(n int) byte {
	if l.pos+n < len(l.src) {
		return l.src[l.pos+n]
	}
	return 0
}

// emit ends a token that began at from; the lexer stands behind it.
func (l *lexer) emit(k kind, from int) {
	t := token{at: uint32(from), end: uint32(l.pos), kind: k, nl: l.nl}
	if l.nl {
		t.col = indent(l.src[l.lineStart:from])
	}
	l.nl = false
	l.toks = append(l.toks, t)
}

// indent measures as Python does: a tab goes to the next multiple of eight.
func indent(lead string) uint16 {
	col := 0
	for i := 0; i < len(lead) && col < 1<<15; i++ {
		if lead[i] == '\t' {
			col += 8 - col%8
		} else {
			col++
		}
	}
	return uint16(col)
}

// line notes the line break at offset i.
func (l *lexer) line(i int) {
	if l.hash && (l.depth > 0 || strings.HasSuffix(strings.TrimSuffix(l.src[:i], "\r"), "\\")) {
		return // inside brackets, or continued by a backslash
	}
	l.nl, l.lineStart = true, i+1
}

func (l *lexer) name() {
	from := l.pos
	for l.pos < len(l.src) && lexicon.IsWord(l.src[l.pos]) {
		l.pos++
	}
	if !l.prefixed(from) {
		l.emit(word, from)
	}
}

func (l *lexer) digits() {
	from := l.pos
	for l.pos < len(l.src) && (lexicon.IsWord(l.src[l.pos]) || l.src[l.pos] == '.' && lexicon.IsDigit(l.peek(1))) {
		l.pos++
	}
	l.emit(number, from)
}

func (l *lexer) punct(c byte) {
	l.pos++
	l.emit(mark, l.pos-1)
	switch c {
	case '(', '[', '{':
		l.depth++
	case ')', ']', '}':
		if n := len(l.holes); n > 0 && c == '}' && l.holes[n-1].depth == l.depth {
			quote := l.holes[n-1].quote
			l.holes = l.holes[:n-1]
			l.depth = max(0, l.depth-1)
			l.stringTail(l.pos, quote)
			return
		}
		l.depth = max(0, l.depth-1)
	}
}
