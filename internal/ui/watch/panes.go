package watch

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

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
