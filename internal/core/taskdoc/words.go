package taskdoc

import (
	"slices"
	"strings"
	"unicode"

	"warp/internal/core/text"
)

// words normalises a heading, label or key for comparison: lower case, single spaces.
func words(s string) string {
	s = strings.Map(func(c rune) rune {
		if c == '_' || c == '-' {
			return ' '
		}
		return unicode.ToLower(c)
	}, s)
	return strings.Trim(text.OneLine(s), ":*` ")
}

// token is one value of a list, with its offset.
type token struct {
	text string
	at   int
	code bool // was in backticks
}

// tokens splits values at commas, semicolons and spaces, but not inside backticks or braces.
func tokens(text string, at int) []token {
	var all []token
	begin, depth := -1, 0
	end := func(i int) {
		if begin >= 0 {
			all = append(all, token{text: text[begin:i], at: at + begin})
		}
		begin = -1
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '`':
			end(i)
			if n := strings.IndexByte(text[i+1:], '`'); n >= 0 {
				all = append(all, token{text: strings.TrimSpace(text[i+1 : i+1+n]), at: at + i + 1, code: true})
				i += n + 1
			}
		case depth == 0 && strings.IndexByte(",; \t\n", c) >= 0:
			end(i)
		default:
			if c == '{' && strings.IndexByte(text[i:], '}') > 0 {
				depth++
			} else if c == '}' && depth > 0 {
				depth--
			}
			if begin < 0 {
				begin = i
			}
		}
	}
	end(len(text))
	return slices.DeleteFunc(all, func(t token) bool { return t.text == "" || !t.code && strings.EqualFold(t.text, "and") })
}

// labelled splits "**Depends on:** 1.1" into its label, its value and the value's offset in the
// line.
func labelled(line string) (label, value string, at int, ok bool) {
	begin := len(line) - len(strings.TrimLeft(line, " \t"))
	mark := line[begin : len(line)-len(strings.TrimLeft(line[begin:], "*_"))]
	colon := strings.IndexByte(line, ':')
	if colon < begin+len(mark) {
		return "", "", 0, false
	}
	label, at = line[begin+len(mark):colon], colon+1
	if mark != "" && !strings.HasSuffix(label, mark) && strings.HasPrefix(line[at:], mark) {
		at += len(mark)
	}
	at += len(line[at:]) - len(strings.TrimLeft(line[at:], " \t"))
	return words(label), strings.TrimRight(line[at:], " \t\n"), at, true
}
