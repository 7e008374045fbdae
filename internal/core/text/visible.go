package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fence puts a text into a prompt as data. The fence is longer than any run of backticks in the
// text, so that the text cannot close it, and hidden characters are shown.
func Fence(text string) string {
	text = Visible(text)
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return fence + "untrusted\n" + text + fence + "\n"
}

// Visible shows control characters and hidden Unicode (characters that change the direction of
// text, have no width, or only tag others) as escapes instead of obeying them, and more marks on a
// letter than any language has. Line ends become a single newline.
func Visible(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var b strings.Builder
	marks := mostMarks // at the start, marks would apply to what precedes the text
	for i := 0; i < len(text); {
		if n := plainPrefix(text[i:]); n > 0 { // nearly all text is plain
			b.WriteString(text[i : i+n])
			i, marks = i+n, 0
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		visible := isVisible(r)
		switch {
		case isMark(r):
			marks++
			visible = visible && marks <= mostMarks
		case r == '\n', r == '\t', r == ' ':
			marks = mostMarks
		default:
			marks = 0
		}
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, "\\x%02x", text[i])
		case visible:
			b.WriteString(text[i : i+size])
		case r > 0xffff:
			fmt.Fprintf(&b, "\\U%08x", r)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
		i += size
	}
	return b.String()
}

// plainPrefix returns how many bytes of printable ASCII a text begins with.
func plainPrefix(text string) (n int) {
	for n < len(text) && text[n] > ' ' && text[n] <= '~' {
		n++
	}
	return n
}

// mostMarks is how many marks a letter may have. A flood of them would cover the lines around it.
const mostMarks = 4

// isMark reports whether r is drawn on the previous character: accents and skin tones.
func isMark(r rune) bool {
	return r > unicode.MaxASCII && (unicode.In(r, unicode.Mn, unicode.Me) || r >= 0x1f3fb && r <= 0x1f3ff)
}

// VisibleLine is Visible for a value that must not look like two.
func VisibleLine(text string) string { return strings.ReplaceAll(Visible(text), "\n", `\n`) }

// mostFlat limits how much of a text Flat reads.
const mostFlat = 2000

// Flat turns a text of any size into one short line, without anything that a terminal would obey.
func Flat(text string) string { return Visible(OneLine(Clip(text, mostFlat))) }

// isVisible reports whether a reader sees the character as it is.
func isVisible(r rune) bool {
	switch {
	case r == '\n', r == '\t', unicode.Is(unicode.Zs, r):
		return true
	case unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), r == 0x2800:
		return false // letters and marks by class, but invisible
	}
	return unicode.IsPrint(r)
}
