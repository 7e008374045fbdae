package cost

import (
	"strings"
	"unicode/utf8"

	"warp/internal/core/text"
	"warp/internal/core/tokens"
	"warp/internal/ui/render"
)

const (
	shortestBar = 5
	longestBar  = 40
)

// bar draws a line's share of the largest one, by cost if any is known, else by tokens. It is
// empty if there is no room.
func (s *sheet) bar(t tokens.Table, l tokens.Line, room int) string {
	if room < shortestBar {
		return ""
	}
	size := func(l tokens.Line) int64 {
		if t.Total.MicroUSD > 0 {
			return l.MicroUSD
		}
		return l.Sum()
	}
	var largest int64
	for _, x := range t.Lines {
		largest = max(largest, size(x))
	}
	if largest == 0 {
		return ""
	}
	eighths := int(float64(size(l)) / float64(largest) * float64(min(room, longestBar)*8))
	if !s.terminal {
		return strings.Repeat("#", (eighths+4)/8)
	}
	bar := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		bar += string([]rune(" ▏▎▍▌▋▊▉")[part])
	}
	return "\x1b[36m" + bar + "\x1b[0m"
}

// align pads cells: names on the right, numbers on the left. It shortens names in the middle if
// the numbers would not fit.
func align(rows [][]string, columns int) {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		r[0] = render.Printable(r[0])
		for i, cell := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	rest := 0
	for _, w := range widths[1:] {
		rest += w + 2
	}
	widths[0] = min(widths[0], max(columns-rest, 12))
	for _, r := range rows {
		r[0] = text.ClipMiddle(r[0], widths[0])
		for i, cell := range r {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				r[i] = cell + pad
			} else {
				r[i] = pad + cell
			}
		}
	}
}
