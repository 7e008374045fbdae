package watch

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

// leftOf is how much of the width the list has beside the detail.
func leftOf(width int) int { return min(max(width*2/5, 32), 64) }

// sideBySide are the list and the chosen one beside each other.
func sideBySide(list, about []line, width, height int) []line {
	left := leftOf(width)
	right := width - left - 1
	out := []line{slices.Concat(rule(left, nil), line{{dim, "┬"}}, rule(right, nil))}
	for n := range height - 1 {
		out = append(out, slices.Concat(row0(list, n).fit(left), line{{dim, "│"}}, row0(about, n).fit(right)))
	}
	return out
}

func row0(list []line, n int) line {
	if n < len(list) {
		return list[n]
	}
	return nil
}

// fill makes rows as many as the screen is high, with the last one at its end.
func fill(rows []line, last line, width, height int) []line {
	for len(rows) < height-1 {
		rows = append(rows, line{})
	}
	rows = append(rows[:height-1], last)
	for n, r := range rows {
		rows[n] = r.fit(width)
	}
	return rows
}

// scrolled is the part of the detail that is looked at.
func (s *surface) scrolled(rows []line, height int) []line {
	s.scroll = max(0, min(s.scroll, len(rows)-height))
	rows = rows[s.scroll:]
	if len(rows) > height {
		rows = append(slices.Clone(rows[:max(height-1, 0)]), line{{dim, " … pgdn"}})
	}
	return rows
}

// seen is the part of a list in which the chosen one, from first to last, is seen.
func (s *surface) seen(rows []line, first, last, height int) []line {
	s.top = max(0, min(s.top, len(rows)-height))
	s.top = min(s.top, first)
	s.top = max(s.top, last-height)
	return rows[max(s.top, 0):min(s.top+height, len(rows))]
}

func (s *surface) paint(rows []line) string {
	painted := make([]string, len(rows))
	for n, r := range rows {
		painted[n] = r.paint(s.color)
	}
	return strings.Join(painted, "\n")
}

// print is a frame without the keys and what is empty, for what is no screen.
func (s *surface) print(rows []line) string {
	rows = slices.CompactFunc(rows[:len(rows)-1], func(a, b line) bool { return a.isBlank() && b.isBlank() })
	painted := make([]string, len(rows))
	for n, r := range rows {
		painted[n] = strings.TrimRight(r.paint(s.color), " ")
	}
	return strings.TrimRight(strings.Join(painted, "\n"), "\n")
}

// openFooter is the last row while something stands open, or a command has said something.
func (s *surface) openFooter(width int) (l line, taken bool) {
	switch {
	case s.confirm != nil:
		return line{{chosen, " " + text.Flat(s.confirm.what) + " "}, {bold, " y"}, {plain, " yes  "}, {bold, "n"}, {plain, " no"}}.cut(width), true
	case s.answer != nil && s.answer.typing:
		return hints(width, "enter", "send", "esc", "back"), true
	case s.answer != nil:
		return hints(width, "1-9", "choose", "enter", "send", "o", "own words", "esc", "back"), true
	case s.pager != nil:
		return hints(width, "q", "back", "↑↓", "scroll", "pgup pgdn", "page", "g G", "ends"), true
	case s.said != "":
		st := green
		if s.bad {
			st = red
		}
		return say(st, s.said).cut(width), true
	}
	return nil, false
}

// keyHints are the keys of a screen; in a narrow terminal those come first that open and
// close the detail.
func (s *surface) keyHints(width int, list []string) line {
	if width < wide {
		first := []string{"enter", "open"}
		if s.open {
			first = []string{"esc", "back"}
		}
		list = append(first, list...)
	}
	return hints(width, list...)
}
