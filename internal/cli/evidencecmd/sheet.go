package evidencecmd

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"warp/internal/core/text"
	"warp/internal/ui/render"
)

// pageWidth is how many columns a sheet fills.
const pageWidth = 80

// maxText is how much of one text a sheet shows; --json has all of it.
const maxText = 600

// Sheet prints lines for people: of 80 columns at most, where words allow it, and
// nothing in them is obeyed by a terminal.
type Sheet struct {
	W       io.Writer
	Colours bool
}

// The colours of a sheet.
const (
	Green  = "32"
	Red    = "31"
	Yellow = "33"
	Bold   = "1"
)

// Heading prints the name of a part.
func (s Sheet) Heading(text string) { fmt.Fprintf(s.W, "\n%s\n", s.paint(Bold, text)) }

// Line prints a text behind a label of the given width; what does not fit goes on
// under the text's beginning.
func (s Sheet) Line(indent int, colour, label string, width int, text string) {
	label = clean(label)
	n := utf8.RuneCountInString(label)
	if width = max(width, n); width > 0 {
		width++
	}
	for i, line := range wrap(clean(text), pageWidth-indent-width) {
		head := strings.Repeat(" ", width)
		if i == 0 {
			head = s.paint(colour, label) + head[n:]
		}
		fmt.Fprintln(s.W, strings.TrimRight(strings.Repeat(" ", indent)+head+line, " "))
	}
}

func (s Sheet) paint(colour, text string) string {
	if !s.Colours || colour == "" || text == "" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}

// clean is a text in one line, not too long.
func clean(words string) string {
	words = text.OneLine(render.Printable(words))
	if first, more := text.FirstRunes(words, maxText); more > 0 {
		return fmt.Sprintf("%s… (%d more characters)", first, more)
	}
	return words
}

// wrap breaks a text between words; a word that is too long has a line of its
// own. There is always a first line.
func wrap(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) <= width:
			*last += " " + word
		default:
			lines = append(lines, word)
		}
	}
	return lines
}
