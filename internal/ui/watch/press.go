package watch

import tea "charm.land/bubbletea/v2"

// beginAnswer starts to answer the question shown.
func (m *Model) beginAnswer() tea.Cmd {
	q, _ := questionToShow(m.feeds, m.selected())
	return m.ask(q)
}

func (m *Model) send(q pendingQuestion, args []string) tea.Cmd { return m.runWarp(q.root, args...) }

// click chooses the entry under the mouse.
func (m *Model) click(e tea.MouseClickMsg) {
	const above = 3 // header and rule
	if e.Button != tea.MouseLeft || m.pager != nil || m.answer != nil || m.confirm != nil || m.width >= wide && e.X >= listWidth(m.width) || m.open && m.width < wide {
		return
	}
	row := 0
	for n, x := range m.entries {
		row += len(x.rows(40, m.now, false))
		if e.Y-above+m.top < row && e.Y >= above {
			m.move(n - m.index())
			return
		}
	}
}
