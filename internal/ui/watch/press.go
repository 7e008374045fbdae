package watch

import (
	"slices"

	tea "charm.land/bubbletea/v2"
)

// press handles a key.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	if do, taken := m.pressOpen(k, m.send); taken {
		return do
	}
	m.said = ""
	if k, ok := find(keys(), k.String()); ok && k.press != nil {
		return k.press(m)
	}
	return nil
}

// beginAnswer starts to answer the question shown.
func (m *Model) beginAnswer() tea.Cmd {
	q, _ := questionToShow(m.feeds, m.selected())
	if q.ID == "" {
		m.said = "No question waits."
		return nil
	}
	return m.ask(q)
}

func (m *Model) send(q pendingQuestion, words string, own bool) tea.Cmd {
	args := []string{"answer", "--", q.ID, words}
	if own {
		args = slices.Insert(args, 1, "--other")
	}
	return m.runWarp(q.root, args...)
}

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
