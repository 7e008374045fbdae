package render

import (
	"fmt"
	"io"
	"strings"

	"warp/internal/core/drivestate"
)

// History prints the table of warp log. First is the number of the first row.
func History(w io.Writer, project string, rows []drivestate.Row, first int) {
	fmt.Fprintf(w, "Phase History (%s)\n", Printable(project))
	digits := max(2, len(fmt.Sprint(first+len(rows)-1)))
	row := func(cells ...string) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-*s %-24s %-20s %s", digits, cells[0], cells[1], cells[2], cells[3]), " "))
	}
	row("#", "Phase", "Event", "Time")
	row(strings.Repeat("─", digits), strings.Repeat("─", 24), strings.Repeat("─", 20), strings.Repeat("─", 21))
	for i, r := range rows {
		event := string(r.Event)
		if event == "" {
			event = "init"
		}
		if len(r.Reasons) > 0 {
			event += " [" + strings.Join(r.Reasons, ", ") + "]"
		}
		row(fmt.Sprint(first+i), Printable(string(r.Phase)), Printable(event), Printable(Seconds(r.At)))
	}
}
