package render

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"warp/internal/core/text"
)

// Printable shows control characters instead of obeying them: text from
// issues, branches and files must not move the cursor or hide anything.
func Printable(s string) string { return text.Visible(s) }

// oneLine is a cell of a table: what would end its line, or move on to another column,
// is a space.
func oneLine(cell string) string {
	return Printable(strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ", "\t", " ").Replace(cell))
}

// Table prints rows in columns as wide as they need to be; the first row is
// the heading. Each is one line, whatever its cells say.
func Table(w io.Writer, rows [][]string) {
	for _, line := range table(rows) {
		fmt.Fprintln(w, line)
	}
}

// table is a line for each row.
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
