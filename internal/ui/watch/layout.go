package watch

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"warp/internal/core/text"
)

// listWidth returns the width of the list beside the detail.
func listWidth(width int) int { return min(max(width*2/5, 32), 64) }

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

// panes are the parts of a screen between its header and its footer.
type panes struct {
	question pendingQuestion // the one that waits
	waiting  int             // how many do
	list     func(width, height int) []line
	detail   func(width int) []line // of the chosen entry; nil: none is chosen
}

// body arranges the panes: side by side on a wide terminal, and the question below them.
func (s *surface) body(p panes, width, height int, now time.Time) []line {
	if s.pager != nil {
		return s.pager.rows(width, height)
	}
	q := p.question
	if s.answer != nil {
		q = s.answer.question
	}
	below := questionPanel(q, p.waiting, width, now, s.answer)
	below = below[:max(0, min(len(below), height-2))]
	height = max(height-len(below), 0)
	var above []line
	switch {
	case width >= wide:
		var about []line
		if p.detail != nil {
			about = s.scrolled(p.detail(width-listWidth(width)-1), height-1)
		}
		above = sideBySide(p.list(listWidth(width), height-1), about, width, height)
	case s.open && p.detail != nil:
		above = append([]line{rule(width, nil)}, s.scrolled(p.detail(width), height-1)...)
	default:
		above = append([]line{rule(width, nil)}, p.list(width, height-1)...)
	}
	for len(above) < height {
		above = append(above, line{})
	}
	return append(above[:height], below...)
}

// turnWheel scrolls what the mouse points at; in the list it moves the choice.
func (s *surface) turnWheel(e tea.MouseWheelMsg, move func(by int)) {
	by := 3
	if e.Button == tea.MouseWheelUp {
		by = -3
	}
	switch {
	case s.pager != nil:
		s.pager.at = max(0, s.pager.at+by)
	case s.width >= wide && e.X >= listWidth(s.width) || s.width < wide && s.open:
		s.scroll = max(0, s.scroll+by)
	case s.answer == nil && s.confirm == nil:
		move(by / 3)
	}
}
