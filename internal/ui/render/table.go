package render

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"warp/internal/core/text"
)

// Printable makes control characters visible: text from issues, branches and files must not move
// the cursor or hide anything.
func Printable(s string) string { return text.Visible(s) }

// oneLine returns a table cell with line breaks and tabs replaced by spaces.
func oneLine(cell string) string {
	return Printable(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(cell))
}

// Table prints rows in aligned columns; the first row is the heading. Each row is one line,
// whatever its cells contain.
func Table(w io.Writer, rows [][]string) {
	for _, line := range table(rows) {
		fmt.Fprintln(w, line)
	}
}

// table returns a line for each row.
func table(rows [][]string) (lines []string) {
	var width []int
	for _, r := range rows {
		for i, cell := range r {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(oneLine(cell)))
		}
	}
	for _, r := range rows {
		var b strings.Builder
		for i, cell := range r {
			cell = oneLine(cell)
			b.WriteString(cell)
			b.WriteString(strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)+2))
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}
