package program

import "strings"

// piece is a word, a string or a sign of a source text in a language of which
// no more needs to be known.
type piece struct {
	kind byte // 'w'ord, 's'tring, 'n'ewline, or the sign itself
	text string
}

// tokens cuts JavaScript, TypeScript or Python (hash) into tokens; comments are
// left out.
func tokens(text string, hash bool) []piece {
	var all []piece
	for i := 0; i < len(text); {
		c := text[i]
		rest := text[i:]
		switch {
		case c == '\n':
			all = append(all, piece{kind: 'n'})
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case hash && c == '#', !hash && strings.HasPrefix(rest, "//"), i == 0 && strings.HasPrefix(rest, "#!"):
			i += lineEnd(rest)
		case !hash && strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest, "*/")
			if end < 0 {
				return all
			}
			i += end + 2
		case hash && (strings.HasPrefix(rest, `"""`) || strings.HasPrefix(rest, "'''")):
			end := strings.Index(rest[3:], rest[:3])
			if end < 0 {
				return all
			}
			all = append(all, piece{'s', rest[3 : 3+end]})
			i += end + 6
		case c == '"' || c == '\'' || c == '`' && !hash:
			s, n := quoted(rest)
			all = append(all, piece{'s', s})
			i += n
		case !hash && c == '/' && operand(all):
			i += regexpEnd(rest)
		case isWord(c):
			n := 1
			for n < len(rest) && isWord(rest[n]) {
				n++
			}
			all = append(all, piece{'w', rest[:n]})
			i += n
		default:
			all = append(all, piece{kind: c})
			i++
		}
	}
	return all
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

func lineEnd(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i
	}
	return len(s)
}

// quoted is a string's content and its length with its quotes.
func quoted(s string) (string, int) {
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == s[0]:
			return b.String(), i + 1
		case c == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case c == '\n' && s[0] != '`':
			return b.String(), i
		default:
			b.WriteByte(c)
		}
	}
	return b.String(), len(s)
}

// operand tells whether a value may follow here, so that / begins a pattern.
func operand(before []piece) bool {
	for i := len(before) - 1; i >= 0; i-- {
		switch t := before[i]; t.kind {
		case 'n':
			continue
		case 'w':
			return t.text == "return"
		case 's', ')', ']', '}':
			return false
		}
		return true
	}
	return true
}

func regexpEnd(s string) int {
	class := false
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '\n':
			return i
		case '/':
			if !class {
				return i + 1
			}
		}
	}
	return len(s)
}

// arguments are the tokens between the parenthesis at an index and its mate,
// cut at the commas between them.
func arguments(all []piece, open int) (args [][]piece, end int) {
	depth := 0
	var one []piece
	for i := open; i < len(all); i++ {
		t := all[i]
		switch t.kind {
		case '(', '[', '{':
			depth++
			if depth == 1 {
				continue
			}
		case ')', ']', '}':
			if depth--; depth == 0 {
				if len(one) > 0 {
					args = append(args, one)
				}
				return args, i
			}
		case ',':
			if depth == 1 {
				args = append(args, one)
				one = nil
				continue
			}
		case 'n':
			continue
		}
		one = append(one, t)
	}
	return args, len(all)
}

// keyword is the value of name=value or name: value among arguments.
func keyword(args [][]piece, name string) []piece {
	for _, a := range args {
		if len(a) > 2 && a[0].text == name && (a[1].kind == '=' || a[1].kind == ':') {
			return a[2:]
		}
	}
	return nil
}

// texts are the strings among tokens.
func texts(list []piece) []string {
	var all []string
	for _, t := range list {
		if t.kind == 's' {
			all = append(all, t.text)
		}
	}
	return all
}
