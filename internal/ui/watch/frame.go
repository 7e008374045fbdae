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
		rows = append(rows, m.body(m.panes(), width, height-len(rows)-1, m.now)...)
	}
	return fill(rows, m.footer(width, m.keys()), width, height)
}

// panes returns the parts between header and footer.
func (m *Model) panes() panes {
	at := m.selected()
	p := panes{list: m.list}
	p.question, p.waiting = questionToShow(m.feeds, at)
	if at != nil {
		p.detail = func(width int) []line { return detail(*at, width, m.now) }
	}
	return p
}

// list returns the queue, scrolled to the chosen entry.
func (m *Model) list(width, height int) []line {
	var l listing
	for _, e := range m.entries {
		chosen := e.key() == m.chosen
		l.add(e.rows(width, m.now, chosen), chosen)
	}
	if len(m.entries) == 0 {
		l.rows = []line{{}, {{dim, " Nothing has run here since yesterday."}}, {{dim, " warp drive begins."}}}
	}
	for _, f := range m.feeds {
		for _, n := range f.Notes[:min(len(f.Notes), 3)] {
			l.rows = append(l.rows, line{{yellow, " ! "}, {dim, text.Flat(n)}})
		}
	}
	if m.err != "" {
		l.rows = append(l.rows, say(red, " "+m.err))
	}
	return m.scrollToChosen(l, height)
}
