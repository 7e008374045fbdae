package watch

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

// listWidth returns the width of the list beside the detail.
func listWidth(width int) int { return min(max(width*2/5, 32), 64) }

// sideBySide returns the list and the detail side by side.
func sideBySide(list, about []line, width, height int) []line {
	left := listWidth(width)
	right := width - left - 1
	out := []line{slices.Concat(rule(left, nil), line{{dim, "┬"}}, rule(right, nil))}
	for n := range height - 1 {
		out = append(out, slices.Concat(rowAt(list, n).fit(left), line{{dim, "│"}}, rowAt(about, n).fit(right)))
	}
	return out
}

func rowAt(list []line, n int) line {
	if n < len(list) {
		return list[n]
	}
	return nil
}

// fill pads or cuts rows to the screen's height, with last at the bottom.
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

// scrolled returns the visible part of the detail.
func (s *surface) scrolled(rows []line, height int) []line {
	s.scroll = max(0, min(s.scroll, len(rows)-height))
	rows = rows[s.scroll:]
	if len(rows) > height {
		rows = append(slices.Clone(rows[:max(height-1, 0)]), line{{dim, " … pgdn"}})
	}
	return rows
}

// listing is the rows of a list, with the range of those that are chosen.
type listing struct {
	rows        []line
	first, last int
}

func (l *listing) add(rows []line, chosen bool) {
	if chosen {
		l.first, l.last = len(l.rows), len(l.rows)+len(rows)
	}
	l.rows = append(l.rows, rows...)
}

// entryRows returns an entry of a list: its mark and title, at the right what it cost, and below
// a note if it has one.
func entryRows(width int, chosen bool, mark span, title string, right, note line) []line {
	head, st := span{plain, " "}, plain
	if chosen {
		head, st = span{cyan, "▌"}, bold
	}
	left := line{head, mark, {plain, " "}, {st, strings.TrimSpace(title)}}
	rows := []line{spread(width, left.cut(max(width-right.width()-1, 8)), right).fit(width)}
	if note.width() > 0 {
		rows = append(rows, slices.Concat(line{head, {plain, "   "}}, note).fit(width))
	}
	return rows
}

// scrollToChosen returns the part of a list that shows the chosen rows.
func (s *surface) scrollToChosen(l listing, height int) []line {
	s.top = max(0, min(s.top, len(l.rows)-height))
	s.top = min(s.top, l.first)
	s.top = max(s.top, l.last-height)
	return l.rows[max(s.top, 0):min(s.top+height, len(l.rows))]
}

func (s *surface) paint(rows []line) string {
	painted := make([]string, len(rows))
	for n, r := range rows {
		painted[n] = r.paint(s.color)
	}
	return strings.Join(painted, "\n")
}

// plainText returns a frame without footer and repeated blank rows, for output that is not a
// screen.
func (s *surface) plainText(rows []line) string {
	rows = slices.CompactFunc(rows[:len(rows)-1], func(a, b line) bool { return a.isBlank() && b.isBlank() })
	painted := make([]string, len(rows))
	for n, r := range rows {
		painted[n] = strings.TrimRight(r.paint(s.color), " ")
	}
	return strings.TrimRight(strings.Join(painted, "\n"), "\n")
}

// openFooter returns the footer of an open dialog or a command's result.
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
