package watch

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"
)

// key is a key binding of a screen.
type key[M any] struct {
	names []string
	shown string // its name in the help
	word  string // its label in the footer; "": only in the help
	help  string
	press func(M) tea.Cmd
}

// keys returns the key bindings of the screen. The footer shows as many as fit, in this order.
func keys() []key[*Model] {
	return []key[*Model]{
		{[]string{"q", "ctrl+c"}, "q", "leave", "leave; what runs goes on", nil},
		{[]string{"?"}, "?", "help", "show the keys", (*Model).help},
		{[]string{"a"}, "a", "answer", "answer the question that waits", (*Model).beginAnswer},
		{[]string{"d"}, "d", "diff", "show the diff of the branch", (*Model).showDiff},
		{[]string{"t"}, "t", "test", "show the log of the last tests", (*Model).showTest},
		{[]string{"T"}, "T", "transcript", "show the transcript of the run under way, or of the last one", (*Model).showTranscript},
		{[]string{"p"}, "p", "pause", "pause it, or continue it", (*Model).pause},
		{[]string{"x"}, "x", "skip", "skip this issue: the night goes on with the next", (*Model).skip},
		{[]string{"s"}, "s", "stop after", "stop the night after this issue", (*Model).stopAfter},
		{[]string{"S"}, "S", "stop now", "stop it now; warp resume continues it", (*Model).stopNow},
		{[]string{"up", "k"}, "↑ k", "", "the one above", func(m *Model) tea.Cmd { m.move(-1); return nil }},
		{[]string{"down", "j"}, "↓ j", "", "the one below", func(m *Model) tea.Cmd { m.move(1); return nil }},
		{[]string{"home", "g"}, "g", "", "the first", func(m *Model) tea.Cmd { m.move(-1 << 20); return nil }},
		{[]string{"end", "G"}, "G", "", "the last", func(m *Model) tea.Cmd { m.move(1 << 20); return nil }},
		{[]string{"enter", "right", "l"}, "enter", "", "in a narrow terminal: open it", func(m *Model) tea.Cmd { m.open = true; return nil }},
		{[]string{"esc", "left", "h"}, "esc", "", "back", func(m *Model) tea.Cmd { m.open, m.said = false, ""; return nil }},
		{[]string{"pgdown", "space", "ctrl+d"}, "pgdn", "", "scroll the right side down", func(m *Model) tea.Cmd { m.scroll += m.page(); return nil }},
		{[]string{"pgup", "ctrl+u"}, "pgup", "", "scroll it up", func(m *Model) tea.Cmd { m.scroll = max(0, m.scroll-m.page()); return nil }},
	}
}

func find[M any](all []key[M], name string) (key[M], bool) {
	n := slices.IndexFunc(all, func(k key[M]) bool { return slices.Contains(k.names, name) })
	if n < 0 {
		return key[M]{}, false
	}
	return all[n], true
}

// HelpText lists the keys for the help of the command and of the screen.
func HelpText() []string { return helpOf(keys()) }

func helpOf[M any](all []key[M]) (out []string) {
	for _, k := range all {
		if k.help != "" {
			out = append(out, fmt.Sprintf("  %-6s %s", k.shown, k.help))
		}
	}
	return out
}

// footer returns the last row: the result of a command, a question, or the keys.
func (m *Model) footer(width int) line {
	if l, taken := m.openFooter(width); taken {
		return l
	}
	var list []string
	for _, k := range keys() {
		word := k.word
		switch {
		case word == "":
			continue
		case k.shown == "p" && m.selected() != nil && m.selected().needsContinue():
			word = "continue"
		}
		list = append(list, k.shown, word)
	}
	return m.keyHints(width, list)
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
