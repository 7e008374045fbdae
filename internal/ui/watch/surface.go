package watch

import (
	"slices"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"warp/internal/core/text"
)

// surface is shared by the screens of a project and of a fleet: size, choice, scroll position,
// and open dialogs.
type surface struct {
	width, height int
	color, mouse  bool

	chosen string // key of the entry shown in full
	picked bool   // chosen by a person, not by default
	open   bool   // show the detail on a narrow terminal
	top    int    // first visible row of the list
	scroll int    // of the detail

	pager   *pager
	answer  *answering
	input   textinput.Model
	confirm *confirming
	said    string // output of the last command
	bad     bool
}

// confirming is a command that waits for a yes.
type confirming struct {
	what string
	do   tea.Cmd
}

type (
	second time.Time
	// reply is the output of a command.
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
	in.KeyMap.Paste.SetEnabled(false) // it would run programs; the terminal's own paste still arrives
	return surface{color: color, mouse: mouse, input: in, width: 80, height: 24}
}

func (s *surface) page() int { return max(s.height-6, 1) }

// refuse shows why a key does nothing here.
func (s *surface) refuse(why string) tea.Cmd {
	s.said, s.bad = why, true
	return nil
}

// ensure asks for a yes before it does something.
func (s *surface) ensure(what string, do tea.Cmd) tea.Cmd {
	s.confirm, s.said = &confirming{what, do}, ""
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

// handleShared handles the messages common to all screens; taken reports whether it did.
func (s *surface) handleShared(msg tea.Msg) (do tea.Cmd, taken bool) {
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

// pressOpen passes a key to the open dialog, or quits; taken reports whether it did.
func (s *surface) pressOpen(k tea.KeyPressMsg, send func(q pendingQuestion, args []string) tea.Cmd) (do tea.Cmd, taken bool) {
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

// ask starts to answer a question, if one waits.
func (s *surface) ask(q pendingQuestion) tea.Cmd {
	if q.ID == "" {
		s.said = "No question waits."
		return nil
	}
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

func (s *surface) pressAnswer(k tea.KeyPressMsg, send func(q pendingQuestion, args []string) tea.Cmd) tea.Cmd {
	a, name := s.answer, k.String()
	most := min(len(a.question.Options), mostOptions)
	give := func(words string, flags ...string) tea.Cmd {
		s.answer, s.said, s.bad = nil, "…", false
		return send(a.question, slices.Concat([]string{"answer"}, flags, []string{"--", a.question.ID, words}))
	}
	switch {
	case name == "esc" && a.typing && most > 0:
		a.typing = false
	case name == "esc":
		s.answer = nil
	case a.typing && name == "enter":
		if words := s.input.Value(); words != "" {
			return give(words, "--other")
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
		return give(a.question.Options[a.at])
	case len(name) == 1 && name[0] >= '1' && int(name[0]-'0') <= most:
		return give(a.question.Options[name[0]-'1'])
	}
	return nil
}

// typeWords passes a key or pasted text to the input.
func (s *surface) typeWords(msg tea.Msg) (do tea.Cmd) {
	s.input, do = s.input.Update(msg)
	value := []rune(s.input.Value())
	at := min(s.input.Position(), len(value))
	shown := slices.Insert(value, at, '▏')
	for lipgloss.Width(string(shown)) > s.width-4 && len(shown) > 1 { // keep the end, where the user types
		shown = shown[1:]
	}
	s.answer.words = text.Visible(string(shown))
	return do
}
