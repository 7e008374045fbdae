package watch

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

// wide is from how many columns on the queue and the detail stand side by side.
const wide = 72

// frame draws the whole screen: as many rows as it is high, each as wide as it is.
func (m *Model) frame() string {
	rows := m.rows()
	painted := make([]string, len(rows))
	for n, r := range rows {
		painted[n] = r.paint(m.color)
	}
	return strings.Join(painted, "\n")
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
	for len(rows) < height-1 {
		rows = append(rows, line{})
	}
	rows = append(rows[:height-1], m.footer(width))
	for n, r := range rows {
		rows[n] = r.fit(width)
	}
	return rows
}

// body is what stands between the header and the keys.
func (m *Model) body(width, height int) []line {
	if m.pager != nil {
		return m.pager.rows(width, height)
	}
	at := m.at()
	q, all := waiting(m.feeds, at)
	if m.answer != nil {
		q = m.answer.question
	}
	below := panel(q, all, width, m.now, m.answer)
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

// leftOf is how much of the width the queue has beside the detail.
func leftOf(width int) int { return min(max(width*2/5, 32), 64) }

// sides are the queue and the chosen one beside each other.
func (m *Model) sides(width, height int) []line {
	left := leftOf(width)
	right := width - left - 1
	out := []line{slices.Concat(rule(left, nil), line{{dim, "┬"}}, rule(right, nil))}
	list := m.list(left, height-1)
	var about []line
	if at := m.at(); at != nil {
		about = m.scrolled(detail(*at, right, m.now), height-1)
	}
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

// scrolled is the part of the detail that is looked at.
func (m *Model) scrolled(rows []line, height int) []line {
	m.scroll = max(0, min(m.scroll, len(rows)-height))
	rows = rows[m.scroll:]
	if len(rows) > height {
		rows = append(slices.Clone(rows[:max(height-1, 0)]), line{{dim, " … pgdn"}})
	}
	return rows
}

// list is the queue, scrolled so that the chosen one is seen.
func (m *Model) list(width, height int) (out []line) {
	first, last := 0, 0 // rows of the chosen one
	at := m.at()
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
	m.top = max(0, min(m.top, len(out)-height))
	m.top = min(m.top, first)
	m.top = max(m.top, last-height)
	return out[max(m.top, 0):min(m.top+height, len(out))]
}
