package watch

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// key is a key binding of a screen.
type key struct {
	names []string
	shown string // its name in the help
	word  string // its label in the footer; "": only in the help
	help  string
	press func() tea.Cmd
}

// keys returns the key bindings of the screen. The footer shows as many as fit, in this order.
func (m *Model) keys() []key {
	pause := "pause"
	if e := m.selected(); e != nil && e.needsContinue() {
		pause = "continue"
	}
	return append([]key{
		{[]string{"q", "ctrl+c"}, "q", "leave", "leave; what runs continues", nil},
		{[]string{"?"}, "?", "help", "show the keys", m.help},
		{[]string{"a"}, "a", "answer", "answer the question that waits", m.beginAnswer},
		{[]string{"d"}, "d", "diff", "show the diff of the branch", m.showDiff},
		{[]string{"t"}, "t", "test", "show the log of the last tests", m.showTest},
		{[]string{"T"}, "T", "transcript", "show the transcript of the current run, or of the last one", m.showTranscript},
		{[]string{"p"}, "p", pause, "pause it, or continue it", m.pause},
		{[]string{"x"}, "x", "skip", "skip this issue: the night continues with the next", m.skip},
		{[]string{"s"}, "s", "stop after", "stop the night after this issue", m.stopAfter},
		{[]string{"S"}, "S", "stop now", "stop it now; warp resume continues it", m.stopNow},
	}, m.navigation(m.move)...)
}

// navigation returns the keys that all screens have.
func (s *surface) navigation(move func(by int)) []key {
	act := func(do func()) func() tea.Cmd {
		return func() tea.Cmd { do(); return nil }
	}
	return []key{
		{[]string{"up", "k"}, "↑ k", "", "the one above", act(func() { move(-1) })},
		{[]string{"down", "j"}, "↓ j", "", "the one below", act(func() { move(1) })},
		{[]string{"home", "g"}, "g", "", "the first", act(func() { move(-1 << 20) })},
		{[]string{"end", "G"}, "G", "", "the last", act(func() { move(1 << 20) })},
		{[]string{"enter", "right", "l"}, "enter", "", "in a narrow terminal: open it", act(func() { s.open = true })},
		{[]string{"esc", "left", "h"}, "esc", "", "back", act(func() { s.open, s.said = false, "" })},
		{[]string{"pgdown", "space", "ctrl+d"}, "pgdn", "", "scroll the right side down", act(func() { s.scroll += s.page() })},
		{[]string{"pgup", "ctrl+u"}, "pgup", "", "scroll it up", act(func() { s.scroll = max(0, s.scroll-s.page()) })},
	}
}

// press handles a key. send sends the answer to a question: the arguments of a command.
func (s *surface) press(k tea.KeyPressMsg, keys []key, send func(q pendingQuestion, args []string) tea.Cmd) tea.Cmd {
	if do, taken := s.pressOpen(k, send); taken {
		return do
	}
	s.said = ""
	for _, known := range keys {
		if known.press != nil && slices.Contains(known.names, k.String()) {
			return known.press()
		}
	}
	return nil
}

// HelpText lists the keys for the help of the command and of the screen.
func HelpText() []string { return helpOf(new(Model).keys()) }

func helpOf(all []key) (out []string) {
	for _, k := range all {
		out = append(out, fmt.Sprintf("  %-6s %s", k.shown, k.help))
	}
	return out
}

// showHelp shows the keys, and a note below them.
func (s *surface) showHelp(keys []key, note ...string) tea.Cmd {
	s.pager = newPager("help", strings.Join(slices.Concat([]string{"Keys:", ""}, helpOf(keys), []string{""}, note), "\n"), false, nil)
	return nil
}

// footer returns the last row: the result of a command, a question, or the keys. On a narrow
// terminal those that open and close the detail come first.
func (s *surface) footer(width int, keys []key) line {
	if l, taken := s.openFooter(width); taken {
		return l
	}
	var list []string
	switch {
	case width < wide && s.open:
		list = []string{"esc", "back"}
	case width < wide:
		list = []string{"enter", "open"}
	}
	for _, k := range keys {
		if k.word != "" {
			list = append(list, k.shown, k.word)
		}
	}
	return hints(width, list...)
}

// hints returns keys and their labels, as many as fit.
func hints(width int, pairs ...string) (out line) {
	for pair := range slices.Chunk(pairs, 2) {
		next := line{{bold, pair[0]}, {dim, " " + pair[1]}}
		if len(out) > 0 {
			next = append(line{{plain, "  "}}, next...)
		}
		if out.width()+next.width() > width {
			return out
		}
		out = append(out, next...)
	}
	return out
}
