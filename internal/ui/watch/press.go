package watch

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"warp/internal/core/text"
)

// press does what a key asks for, in whatever is shown.
func (m *Model) press(k tea.KeyPressMsg) tea.Cmd {
	name := k.String()
	switch {
	case name == "ctrl+c":
		return tea.Quit
	case m.confirm != nil:
		return m.pressConfirm(name)
	case m.answer != nil:
		return m.pressAnswer(k)
	case m.pager != nil:
		m.pressPager(name)
		return nil
	case name == "q":
		return tea.Quit
	}
	m.said = ""
	if k, ok := find(name); ok && k.press != nil {
		return k.press(m)
	}
	return nil
}

func (m *Model) pressConfirm(name string) tea.Cmd {
	do := m.confirm.do
	m.confirm = nil
	if name == "y" || name == "Y" {
		m.said, m.bad = "…", false
		return do
	}
	return nil
}

func (m *Model) pressPager(name string) {
	if slices.Contains([]string{"q", "esc", "left", "h"}, name) {
		m.pager = nil
		return
	}
	by := scrolls[name]
	m.pager.at = max(0, min(m.pager.at+by.lines+by.pages*m.page(), len(m.pager.lines)))
}

// beginAnswer begins to answer the question that is shown.
func (m *Model) beginAnswer() tea.Cmd {
	q, _ := waiting(m.feeds, m.at())
	if q.ID == "" {
		m.said = "No question waits."
		return nil
	}
	m.answer = &answering{question: q, at: max(0, slices.Index(q.Options, q.Default))}
	if len(q.Options) == 0 {
		return m.beginWords()
	}
	return nil
}

func (m *Model) beginWords() tea.Cmd {
	m.answer.typing = true
	m.input.SetValue("")
	m.input.SetWidth(max(m.width-6, 8))
	m.input.SetVirtualCursor(false)
	m.answer.words = "▏"
	return m.input.Focus()
}

func (m *Model) pressAnswer(k tea.KeyPressMsg) tea.Cmd {
	a, name := m.answer, k.String()
	most := min(len(a.question.Options), mostOptions)
	switch {
	case name == "esc" && a.typing && most > 0:
		a.typing = false
	case name == "esc":
		m.answer = nil
	case a.typing && name == "enter":
		if words := m.input.Value(); words != "" {
			return m.send(a.question, "--other", "--", a.question.ID, words)
		}
	case a.typing:
		return m.typeWords(k)
	case name == "q":
		m.answer = nil
	case name == "o":
		return m.beginWords()
	case name == "up" || name == "k":
		a.at = max(0, a.at-1)
	case name == "down" || name == "j":
		a.at = min(most-1, a.at+1)
	case name == "enter":
		return m.send(a.question, "--", a.question.ID, a.question.Options[a.at])
	case len(name) == 1 && name[0] >= '1' && int(name[0]-'0') <= most:
		return m.send(a.question, "--", a.question.ID, a.question.Options[name[0]-'1'])
	}
	return nil
}

// typeWords gives a key or what was pasted to the input.
func (m *Model) typeWords(msg tea.Msg) (do tea.Cmd) {
	m.input, do = m.input.Update(msg)
	value := []rune(m.input.Value())
	at := min(m.input.Position(), len(value))
	shown := slices.Insert(value, at, '▏')
	for lipgloss.Width(string(shown)) > m.width-4 && len(shown) > 1 { // the end is what is typed
		shown = shown[1:]
	}
	m.answer.words = text.Visible(string(shown))
	return do
}

func (m *Model) send(q asked, args ...string) tea.Cmd {
	m.answer, m.said, m.bad = nil, "…", false
	return m.warp(q.root, append([]string{"answer"}, args...)...)
}

func (m *Model) wheel(e tea.MouseWheelMsg) {
	by := 3
	if e.Button == tea.MouseWheelUp {
		by = -3
	}
	switch {
	case m.pager != nil:
		m.pager.at = max(0, m.pager.at+by)
	case m.width >= wide && e.X >= leftOf(m.width) || m.width < wide && m.open:
		m.scroll = max(0, m.scroll+by)
	case m.answer == nil && m.confirm == nil:
		m.move(by / 3)
	}
}

// click chooses the entry under the mouse.
func (m *Model) click(e tea.MouseClickMsg) {
	const above = 3 // the header and a rule
	if e.Button != tea.MouseLeft || m.pager != nil || m.answer != nil || m.confirm != nil || m.width >= wide && e.X >= leftOf(m.width) || m.open && m.width < wide {
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
