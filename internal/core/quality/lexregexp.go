package quality

import (
	"strings"

	"warp/internal/core/lexicon"
)

// operand holds the words after which a slash starts a regular expression.
var operand = lexicon.Set{List: "return typeof case in of delete void throw new await yield else do"}

// regexp reads /…/ where a value may stand; quotes inside must not open strings.
func (l *lexer) regexp() bool {
	if !l.regex || l.src[l.pos] != '/' || l.pos < l.noRegex || !l.wantsValue() {
		return false
	}
	class := false
	for i := l.pos + 1; i < len(l.src) && l.src[i] != '\n'; i++ {
		switch c := l.src[i]; {
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			from := l.pos
			l.pos = i + 1
			l.emit(stringToken, from)
			return true
		}
		l.noRegex = i // without a closing slash, no other start on this line finds one cheaply
	}
	return false
}

// wantsValue reports whether the last token leaves room for a value.
func (l *lexer) wantsValue() bool {
	if len(l.toks) == 0 {
		return true
	}
	t := l.toks[len(l.toks)-1]
	last := l.src[t.at:t.end]
	switch t.kind {
	case word:
		return operand.Has(last)
	case mark:
		return !strings.ContainsAny(last, ")]}")
	}
	return false
}
