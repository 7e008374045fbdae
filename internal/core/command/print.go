package command

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// echo is what the shell's echo prints.
func echo(args []arg) string {
	escapes, newline := false, "\n"
	for len(args) > 0 && len(args[0].s) > 1 && args[0].s[0] == '-' && strings.Trim(args[0].s[1:], "neE") == "" {
		escapes = escapes || strings.Contains(args[0].s, "e")
		if strings.Contains(args[0].s, "n") {
			newline = ""
		}
		args = args[1:]
	}
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = a.s
	}
	text := strings.Join(words, " ")
	if escapes {
		text = unescape(text)
	}
	return text + newline
}

// printf is what printf prints, for the formats of texts.
func printf(args []arg) (string, bool) {
	if len(args) > 0 && args[0].s == "--" {
		args = args[1:]
	}
	if len(args) == 0 || strings.HasPrefix(args[0].s, "-") {
		return "", len(args) == 0
	}
	format, args := args[0].s, args[1:]
	var b strings.Builder
	for {
		used, ok := format1(&b, format, args)
		if !ok {
			return "", false
		}
		if args = args[used:]; used == 0 || len(args) == 0 || b.Len() > maxText {
			return b.String(), true
		}
	}
}

// format1 writes the format once and tells how many arguments it took.
func format1(b *strings.Builder, format string, args []arg) (used int, ok bool) {
	for {
		lit, rest, found := strings.Cut(format, "%")
		b.WriteString(unescape(lit))
		if !found {
			return used, true
		}
		if rest == "" {
			return used, false
		}
		verb := rest[0]
		format = rest[1:]
		if verb == '%' {
			b.WriteByte('%')
			continue
		}
		s := ""
		if used < len(args) {
			s = args[used].s
			used++
		}
		switch verb {
		case 's', 'd', 'i':
			b.WriteString(s)
		case 'b':
			b.WriteString(unescape(s))
		default:
			return used, false
		}
	}
}

// unescape follows the backslashes of $'…', echo -e and printf.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			out = append(out, s[i])
			continue
		}
		i++
		if at := strings.IndexByte(`abefnrtvE\'"?`, s[i]); at >= 0 {
			out = append(out, "\a\b\x1b\f\n\r\t\v\x1b\\'\"?"[at])
			continue
		}
		n := 0
		switch c := s[i]; {
		case c == 'x':
			out, n = number(out, s[i+1:], 16, 2)
		case c == 'u':
			out, n = number(out, s[i+1:], 16, 4)
		case c == 'U':
			out, n = number(out, s[i+1:], 16, 8)
		case c == '0':
			out, n = number(out, s[i:], 8, 4)
			n--
		case c >= '1' && c <= '7':
			out, n = number(out, s[i:], 8, 3)
			n--
		default:
			out = append(out, '\\', c)
		}
		i += n
	}
	return string(out)
}

// number reads a character's code of at most width digits.
func number(out []byte, s string, base, width int) ([]byte, int) {
	n := 0
	for n < width && n < len(s) {
		if _, err := strconv.ParseUint(s[n:n+1], base, 8); err != nil {
			break
		}
		n++
	}
	code, err := strconv.ParseUint(s[:n], base, 32)
	switch {
	case err != nil:
		return append(out, '\\', 'x'), n
	case code == 0:
		return out, n // the shell cuts a text off at a NUL
	case code < 0x100 && width < 4 || base == 8:
		return append(out, byte(code)), n
	}
	return utf8.AppendRune(out, rune(code)), n
}
