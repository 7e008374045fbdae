package watch

import "warp/internal/core/text"

// wide is the least width that shows the queue and the detail side by side.
const wide = 72

// frame draws the whole screen, filling its width and height.
func (m *Model) frame() string {
	return m.paint(m.rows())
}

func (m *Model) rows() []line {
	width, height := max(m.width, 20), max(m.height, 8)
	var rows []line
	if len(m.feeds) == 0 {
		rows = []line{{}, {{dim, " reading …"}}}
		if m.err != "" {
			rows = append(rows, say(red, m.err))
		}
	} else {
		rows = header(m.feeds, m.entries, width, m.now)
		rows = append(rows, m.body(width, height-len(rows)-1)...)
	}
	return fill(rows, m.footer(width), width, height)
}

// body returns the rows between header and footer.
func (m *Model) body(width, height int) []line {
	if m.pager != nil {
		return m.pager.rows(width, height)
	}
	at := m.selected()
	q, all := questionToShow(m.feeds, at)
	if m.answer != nil {
		q = m.answer.question
	}
	below := questionPanel(q, all, width, m.now, m.answer)
	below = below[:min(len(below), height-2)]
	height -= len(below)
	var above []line
	switch {
	case width >= wide:
		above = m.sides(width, height)
	case m.open && at != nil:
		above = append([]line{rule(width, nil)}, m.scrolled(detail(*at, width, m.now), height-1)...)
	default:
		above = append([]line{rule(width, nil)}, m.list(width, height-1)...)
	}
	for len(above) < height {
		above = append(above, line{})
	}
	return append(above[:height], below...)
}

// sides returns the queue and the chosen entry side by side.
func (m *Model) sides(width, height int) []line {
	var about []line
	if at := m.selected(); at != nil {
		about = m.scrolled(detail(*at, width-listWidth(width)-1, m.now), height-1)
	}
	return sideBySide(m.list(listWidth(width), height-1), about, width, height)
}

// list returns the queue, scrolled to the chosen entry.
func (m *Model) list(width, height int) (out []line) {
	first, last := 0, 0 // rows of the chosen entry
	at := m.selected()
	for _, e := range m.entries {
		is := at != nil && e.key() == at.key()
		if is {
			first = len(out)
		}
		out = append(out, e.rows(width, m.now, is)...)
		if is {
			last = len(out)
		}
	}
	if len(out) == 0 {
		out = []line{{}, {{dim, " Nothing has run here since yesterday."}}, {{dim, " warp drive begins."}}}
	}
	for _, f := range m.feeds {
		for _, n := range f.Notes[:min(len(f.Notes), 3)] {
			out = append(out, line{{yellow, " ! "}, {dim, text.Flat(n)}})
		}
	}
	if m.err != "" {
		out = append(out, say(red, " "+m.err))
	}
	return m.scrollToChosen(out, first, last, height)
}
