package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"warp/internal/core/drivestate"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
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

// History prints the table of warp log. first is the number of the first row.
func History(w io.Writer, project string, rows []drivestate.Row, first int) {
	fmt.Fprintf(w, "Phase History (%s)\n", Printable(project))
	digits := max(2, len(fmt.Sprint(first+len(rows)-1)))
	row := func(cells ...string) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-*s %-24s %-20s %-23s %s", digits, cells[0], cells[1], cells[2], cells[3], cells[4]), " "))
	}
	row("#", "Phase", "Event", "Time", "")
	row(strings.Repeat("─", digits), strings.Repeat("─", 24), strings.Repeat("─", 20), strings.Repeat("─", 23), "")
	for i, r := range rows {
		why := strings.Join(r.Reasons, ", ") // last, because nothing bounds its width
		row(fmt.Sprint(first+i), Printable(string(r.Phase)), Printable(cmp.Or(string(r.Event), "init")), Printable(Seconds(r.At)), Printable(why))
	}
}

// Log prints everything that happened, one line each.
func Log(w io.Writer, list []feed.Entry, now time.Time) {
	rows := [][]string{{"TIME", "WHAT", "", ""}}
	for _, e := range list {
		rows = append(rows, []string{e.At.In(now.Location()).Format("2006-01-02 15:04:05"), cmp.Or(e.Name, "-"), e.What, text.ClipRunes(e.Text, 200)})
	}
	Table(w, rows)
}
