package watch

import (
	tea "charm.land/bubbletea/v2"

	"warp/internal/core/fleetview"
)

// fleetKeys returns the key bindings of the fleet screen.
func (f *Fleet) keys() []key {
	pause, pauseAll := "pause", "pause all"
	if r, _ := f.selected(); r.Paused {
		pause = "resume"
	}
	if f.shown != nil && f.shown.Paused != "" {
		pauseAll = "resume all"
	}
	return append([]key{
		{[]string{"q", "ctrl+c"}, "q", "leave", "leave; the fleet goes on", nil},
		{[]string{"?"}, "?", "help", "show the keys", f.help},
		{[]string{"a"}, "a", "answer", "answer the question that waits", f.beginAnswer},
		{[]string{"e"}, "e", "evidence", "show the evidence for each criterion", f.showEvidence},
		{[]string{"p"}, "p", pause, "pause the requirement, or resume it", f.pause},
		{[]string{"s"}, "s", "stop", "stop the requirement after its step", f.stop},
		{[]string{"P"}, "P", pauseAll, "pause the fleet, or resume it", f.pauseAll},
	}, f.navigation(f.move)...)
}

func (f *Fleet) help() tea.Cmd {
	return f.showHelp(f.keys(), "The fleet goes on when you leave. Every key runs the command of warp-fleet that you could", "type yourself, and shows what it says.")
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
	return f.ask(q)
}

func (f *Fleet) send(_ pendingQuestion, args []string) tea.Cmd { return f.runFleet(args...) }

// underway passes the chosen requirement on if it can be steered; otherwise it shows why not.
func (f *Fleet) underway(act func(fleetview.Requirement) tea.Cmd) tea.Cmd {
	r, ok := f.selected()
	if !ok || r.State != fleetview.Running && r.State != fleetview.Waiting {
		return f.refuse("It is not under way; warp-fleet submit takes it up again.")
	}
	return act(r)
}

func (f *Fleet) pause() tea.Cmd {
	return f.underway(func(r fleetview.Requirement) tea.Cmd {
		return f.runFleet(map[bool]string{false: "pause", true: "resume"}[r.Paused], "--", r.ID())
	})
}

func (f *Fleet) pauseAll() tea.Cmd {
	switch {
	case f.shown == nil:
		return nil
	case f.shown.Paused != "":
		return f.runFleet("resume")
	}
	return f.ensure("Pause the whole fleet? Steps under way are finished.", f.runFleet("pause"))
}

func (f *Fleet) stop() tea.Cmd {
	return f.underway(func(r fleetview.Requirement) tea.Cmd {
		return f.ensure("Stop "+r.ID()+" after its step?", f.runFleet("stop", "--", r.ID()))
	})
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
