package watch

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"warp/internal/core/text"
)

// surface is what the screen of a project and that of a fleet have in common: a size, what
// is chosen and scrolled, and what stands open over it.
type surface struct {
	width, height int
	color, mouse  bool

	chosen string // the key of what is shown in full
	picked bool   // by a person; else what runs is shown
	open   bool   // in a narrow terminal: the detail is shown
	top    int    // first row of the list that is seen
	scroll int    // of the detail

	pager   *pager
	answer  *answering
	input   textinput.Model
	confirm *confirming
	said    string // by the last command
	bad     bool
}

// confirming is something that is done once a person says so.
type confirming struct {
	what string
	do   tea.Cmd
}

type (
	second time.Time
	// reply is what a command said.
	reply struct {
		text string
		ok   bool
	}
)

func tick() tea.Cmd {
	return tea.Tick(time.Second, func(t time.Time) tea.Msg { return second(t) })
}

func newSurface(color, mouse bool) surface {
	in := textinput.New()
	in.Prompt, in.CharLimit = "", 1000
	in.KeyMap.Paste.SetEnabled(false) // it would run programs; what the terminal pastes arrives anyway
	return surface{color: color, mouse: mouse, input: in, width: 80, height: 24}
}

func (s *surface) page() int { return max(s.height-6, 1) }

// refuse says why a key does nothing here.
func (s *surface) refuse(why string) tea.Cmd {
	s.said, s.bad = why, true
	return nil
}

func (s *surface) view(frame, title string) tea.View {
	v := tea.NewView(frame)
	v.AltScreen, v.WindowTitle = true, title
	if s.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// notice takes what every screen knows; taken says whether it did.
func (s *surface) notice(msg tea.Msg) (do tea.Cmd, taken bool) {
	switch msg := msg.(type) {
	case second:
		return tick(), true
	case tea.WindowSizeMsg:
		s.width, s.height = msg.Width, msg.Height
	case reply:
		s.said, s.bad = text.Flat(msg.text), !msg.ok
	case *pager:
		s.pager, s.said = msg, ""
	case tea.PasteMsg:
		if s.answer != nil && s.answer.typing {
			return s.typeWords(msg), true
		}
	default:
		return nil, false
	}
	return nil, true
}

// pressOpen gives a key to what stands open, and ends the screen; taken says whether it did.
func (s *surface) pressOpen(k tea.KeyPressMsg, send func(q asked, words string, own bool) tea.Cmd) (do tea.Cmd, taken bool) {
	name := k.String()
	switch {
	case name == "ctrl+c":
		return tea.Quit, true
	case s.confirm != nil:
		return s.pressConfirm(name), true
	case s.answer != nil:
		return s.pressAnswer(k, send), true
	case s.pager != nil:
		s.pressPager(name)
		return nil, true
	case name == "q":
		return tea.Quit, true
	}
	return nil, false
}

func (s *surface) pressConfirm(name string) tea.Cmd {
	do := s.confirm.do
	s.confirm = nil
	if name == "y" || name == "Y" {
		s.said, s.bad = "…", false
		return do
	}
	return nil
}

func (s *surface) pressPager(name string) {
	if slices.Contains([]string{"q", "esc", "left", "h"}, name) {
		s.pager = nil
		return
	}
	by := scrolls[name]
	s.pager.at = max(0, min(s.pager.at+by.lines+by.pages*s.page(), len(s.pager.lines)))
}

// ask begins to answer a question.
func (s *surface) ask(q asked) tea.Cmd {
	s.answer = &answering{question: q, at: max(0, slices.Index(q.Options, q.Default))}
	if len(q.Options) == 0 {
		return s.beginWords()
	}
	return nil
}

func (s *surface) beginWords() tea.Cmd {
	s.answer.typing = true
	s.input.SetValue("")
	s.input.SetWidth(max(s.width-6, 8))
	s.input.SetVirtualCursor(false)
	s.answer.words = "▏"
	return s.input.Focus()
}

func (s *surface) pressAnswer(k tea.KeyPressMsg, send func(q asked, words string, own bool) tea.Cmd) tea.Cmd {
	a, name := s.answer, k.String()
	most := min(len(a.question.Options), mostOptions)
	give := func(words string, own bool) tea.Cmd {
		s.answer, s.said, s.bad = nil, "…", false
		return send(a.question, words, own)
	}
	switch {
	case name == "esc" && a.typing && most > 0:
		a.typing = false
	case name == "esc":
		s.answer = nil
	case a.typing && name == "enter":
		if words := s.input.Value(); words != "" {
			return give(words, true)
		}
	case a.typing:
		return s.typeWords(k)
	case name == "q":
		s.answer = nil
	case name == "o":
		return s.beginWords()
	case name == "up" || name == "k":
		a.at = max(0, a.at-1)
	case name == "down" || name == "j":
		a.at = min(most-1, a.at+1)
	case name == "enter":
		return give(a.question.Options[a.at], false)
	case len(name) == 1 && name[0] >= '1' && int(name[0]-'0') <= most:
		return give(a.question.Options[name[0]-'1'], false)
	}
	return nil
}

// typeWords gives a key or what was pasted to the input.
func (s *surface) typeWords(msg tea.Msg) (do tea.Cmd) {
	s.input, do = s.input.Update(msg)
	value := []rune(s.input.Value())
	at := min(s.input.Position(), len(value))
	shown := slices.Insert(value, at, '▏')
	for lipgloss.Width(string(shown)) > s.width-4 && len(shown) > 1 { // the end is what is typed
		shown = shown[1:]
	}
	s.answer.words = text.Visible(string(shown))
	return do
}
