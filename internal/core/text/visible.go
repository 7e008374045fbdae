package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fence puts a text into a prompt as data. The fence is longer than any run of
// backticks in the text, so that the text cannot close it, and what would not
// be seen is shown.
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

// Visible shows control characters and hidden Unicode (what turns the direction
// of text around, has no width, or only tags other characters) as escapes
// instead of obeying them, and more marks on a letter than any language has. Line ends become \n.
func Visible(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var b strings.Builder
	marks := mostMarks // at its beginning, they would be put on what stands before the text
	for i := 0; i < len(text); {
		if n := plainPrefix(text[i:]); n > 0 { // nearly all text is that
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

// plainPrefix is how much of a text begins it with letters, digits and signs of ASCII.
func plainPrefix(text string) (n int) {
	for n < len(text) && text[n] > ' ' && text[n] <= '~' {
		n++
	}
	return n
}

// mostMarks is how many marks a letter may have above and below it. A flood of them would
// cover the lines around.
const mostMarks = 4

// isMark tells what is drawn on the character before it: accents, and tones of skin.
func isMark(r rune) bool {
	return r > unicode.MaxASCII && (unicode.In(r, unicode.Mn, unicode.Me) || r >= 0x1f3fb && r <= 0x1f3ff)
}

// VisibleLine is Visible for a value that must not look like two.
func VisibleLine(text string) string { return strings.ReplaceAll(Visible(text), "\n", `\n`) }

// mostFlat is how much of a text Flat looks at.
const mostFlat = 2000

// Flat makes one short line of a text of any size, without anything that a terminal would
// obey.
func Flat(text string) string { return Visible(OneLine(Clip(text, mostFlat))) }

// isVisible tells what a reader sees as it is.
func isVisible(r rune) bool {
	switch {
	case r == '\n', r == '\t', unicode.Is(unicode.Zs, r):
		return true
	case unicode.Is(unicode.Variation_Selector, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), r == 0x2800:
		return false // letters and marks by class, but they show nothing
	}
	return unicode.IsPrint(r)
}
