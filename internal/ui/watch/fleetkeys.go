package watch

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"warp/internal/core/fleetview"
)

// fleetKeys returns the key bindings of the fleet screen.
func fleetKeys() []key[*Fleet] {
	return []key[*Fleet]{
		{[]string{"q", "ctrl+c"}, "q", "leave", "leave; the fleet goes on", nil},
		{[]string{"?"}, "?", "help", "show the keys", (*Fleet).help},
		{[]string{"a"}, "a", "answer", "answer the question that waits", (*Fleet).beginAnswer},
		{[]string{"e"}, "e", "evidence", "show the evidence for each criterion", (*Fleet).showEvidence},
		{[]string{"p"}, "p", "pause", "pause the requirement, or resume it", (*Fleet).pause},
		{[]string{"s"}, "s", "stop", "stop the requirement after its step", (*Fleet).stop},
		{[]string{"P"}, "P", "pause all", "pause the fleet, or resume it", (*Fleet).pauseAll},
		{[]string{"up", "k"}, "↑ k", "", "the one above", func(f *Fleet) tea.Cmd { f.move(-1); return nil }},
		{[]string{"down", "j"}, "↓ j", "", "the one below", func(f *Fleet) tea.Cmd { f.move(1); return nil }},
		{[]string{"home", "g"}, "g", "", "the first", func(f *Fleet) tea.Cmd { f.move(-1 << 20); return nil }},
		{[]string{"end", "G"}, "G", "", "the last", func(f *Fleet) tea.Cmd { f.move(1 << 20); return nil }},
		{[]string{"enter", "right", "l"}, "enter", "", "in a narrow terminal: open it", func(f *Fleet) tea.Cmd { f.open = true; return nil }},
		{[]string{"esc", "left", "h"}, "esc", "", "back", func(f *Fleet) tea.Cmd { f.open, f.said = false, ""; return nil }},
		{[]string{"pgdown", "space", "ctrl+d"}, "pgdn", "", "scroll the right side down", func(f *Fleet) tea.Cmd { f.scroll += f.page(); return nil }},
		{[]string{"pgup", "ctrl+u"}, "pgup", "", "scroll it up", func(f *Fleet) tea.Cmd { f.scroll = max(0, f.scroll-f.page()); return nil }},
	}
}

func (f *Fleet) footer(width int) line {
	if l, taken := f.openFooter(width); taken {
		return l
	}
	r, _ := f.selected()
	var list []string
	for _, k := range fleetKeys() {
		word := k.word
		switch {
		case word == "":
			continue
		case k.shown == "p" && r.Paused:
			word = "resume"
		case k.shown == "P" && f.shown != nil && f.shown.Paused != "":
			word = "resume all"
		}
		list = append(list, k.shown, word)
	}
	return f.keyHints(width, list)
}

func (f *Fleet) help() tea.Cmd {
	words := slices.Concat([]string{"Keys:", ""}, helpOf(fleetKeys()), []string{"", "The fleet goes on when you leave. Every key runs the command of warp-fleet that you could", "type yourself, and shows what it says."})
	f.pager = newPager("help", strings.Join(words, "\n"), false, nil)
	return nil
}

// runFleet runs a warp-fleet command in the background.
func (f *Fleet) runFleet(args ...string) tea.Cmd {
	f.said, f.bad = "…", false
	return func() tea.Msg {
		said, ok := f.run(args...)
		return newReply(said, ok)
	}
}

func (f *Fleet) beginAnswer() tea.Cmd {
	q, _ := f.question()
	if q.ID == "" {
		f.said = "No question waits."
		return nil
	}
	return f.ask(q)
}

func (f *Fleet) send(q pendingQuestion, words string, own bool) tea.Cmd {
	args := []string{"answer", "--", q.ID, words}
	if own {
		args = slices.Insert(args, 1, "--other")
	}
	return f.runFleet(args...)
}

// chosenUnderway returns the chosen requirement if it can be steered; otherwise it shows why
// not.
func (f *Fleet) chosenUnderway() (fleetview.Requirement, bool) {
	r, ok := f.selected()
	if !ok || r.State != fleetview.Running && r.State != fleetview.Waiting {
		f.said, f.bad = "It is not under way; warp-fleet submit takes it up again.", true
		return r, false
	}
	return r, true
}

func (f *Fleet) pause() tea.Cmd {
	r, ok := f.chosenUnderway()
	if !ok {
		return nil
	}
	verb := "pause"
	if r.Paused {
		verb = "resume"
	}
	return f.runFleet(verb, "--", r.ID())
}

func (f *Fleet) pauseAll() tea.Cmd {
	if f.shown == nil {
		return nil
	}
	if f.shown.Paused != "" {
		return f.runFleet("resume")
	}
	f.confirm = &confirming{"Pause the whole fleet? Steps under way are finished.", f.runFleet("pause")}
	f.said = ""
	return nil
}

func (f *Fleet) stop() tea.Cmd {
	r, ok := f.chosenUnderway()
	if !ok {
		return nil
	}
	f.confirm = &confirming{"Stop " + r.ID() + " after its step?", f.runFleet("stop", "--", r.ID())}
	f.said = ""
	return nil
}

// showEvidence opens everything the fleet knows about the chosen requirement.
func (f *Fleet) showEvidence() tea.Cmd {
	r, ok := f.selected()
	if !ok {
		return f.refuse("There is no requirement.")
	}
	f.said, f.bad = "…", false
	return func() tea.Msg {
		said, ok := f.run("show", "--", r.ID())
		if !ok {
			return newReply(said, false)
		}
		return newPager(r.ID(), said, false, nil)
	}
}
