package watch

import (
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"warp/internal/core/fleetview"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
)

// FleetOptions configure the screen of a fleet.
type FleetOptions struct {
	Name         string // repo#issue to choose first; "": one that asks or runs
	Color, Mouse bool
	// Run runs a warp-fleet command and returns its output.
	Run func(args ...string) (said string, ok bool)
	Now func() time.Time
}

// FleetView is the message with a new view of the fleet, or the error that prevented one.
type FleetView struct {
	View fleetview.View
	Err  error
}

// Fleet is the screen of a fleet: machines, requirements, and the chosen requirement in full.
type Fleet struct {
	surface
	shown *fleetview.View // nil until the first view
	err   string
	run   func(args ...string) (said string, ok bool)
	clock func() time.Time
	now   time.Time
}

// NewFleet returns the screen of a fleet.
func NewFleet(o FleetOptions) *Fleet {
	f := &Fleet{surface: newSurface(o.Color, o.Mouse), run: o.Run, clock: o.Now, now: o.Now()}
	f.chosen, f.picked = o.Name, o.Name != ""
	return f
}

// FleetFrame returns one frame as text, for output that is not a terminal.
func FleetFrame(o FleetOptions, v fleetview.View, width, height int) string {
	f := NewFleet(o)
	f.width, f.height = width, height
	f.setView(FleetView{View: v})
	return f.plainText(f.rows())
}

// Init implements tea.Model.
func (f *Fleet) Init() tea.Cmd { return tick() }

// View implements tea.Model.
func (f *Fleet) View() tea.View { return f.view(f.frame(), "warp watch --fleet") }

// Update implements tea.Model.
func (f *Fleet) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	f.now = f.clock()
	if do, taken := f.handleShared(msg); taken {
		return f, do
	}
	switch msg := msg.(type) {
	case FleetView:
		f.setView(msg)
	case tea.MouseWheelMsg:
		f.turnWheel(msg, f.move)
	case tea.KeyPressMsg:
		return f, f.press(msg, f.keys(), f.send)
	}
	return f, nil
}

// setView shows a new view and keeps the choice. On an error the last view stays.
func (f *Fleet) setView(v FleetView) {
	if f.err = ""; v.Err != nil {
		f.err = text.Flat(v.Err.Error())
		return
	}
	f.shown = &v.View
	if _, ok := f.selected(); !ok || !f.picked {
		f.chosen = f.defaultChoice()
	}
}

// defaultChoice returns what a person most likely wants to see: what asks, then what runs.
func (f *Fleet) defaultChoice() string {
	if asking := f.shown.Asking(); len(asking) > 0 {
		return asking[0].ID()
	}
	if all := f.shown.All(); len(all) > 0 {
		return all[0].ID()
	}
	return ""
}

func (f *Fleet) selected() (fleetview.Requirement, bool) {
	if f.shown == nil {
		return fleetview.Requirement{}, false
	}
	return f.shown.Find(f.chosen)
}

func (f *Fleet) move(by int) {
	if f.shown == nil {
		return
	}
	all := f.shown.All()
	if len(all) == 0 {
		return
	}
	n := slices.IndexFunc(all, func(r fleetview.Requirement) bool { return r.ID() == f.chosen })
	n = max(0, min(n+by, len(all)-1))
	f.chosen, f.picked, f.scroll, f.said = all[n].ID(), true, 0, ""
}

// question returns the chosen requirement's question, else the first one, and how many wait.
func (f *Fleet) question() (pendingQuestion, int) {
	if f.shown == nil {
		return pendingQuestion{}, 0
	}
	all := f.shown.Asking()
	if r, ok := f.selected(); ok && r.Ask != nil {
		return questionOf(r), len(all)
	}
	if len(all) == 0 {
		return pendingQuestion{}, 0
	}
	return questionOf(all[0]), len(all)
}

func questionOf(r fleetview.Requirement) pendingQuestion {
	return pendingQuestion{Question: feed.Question{ID: r.ID(), Text: strings.TrimSpace(r.Ask.Text), Options: r.Ask.Options, Default: r.Ask.Default}}
}

// keys returns the key bindings of the fleet screen.
func (f *Fleet) keys() []key {
	pause, pauseAll := "pause", "pause all"
	if r, _ := f.selected(); r.Paused {
		pause = "resume"
	}
	if f.shown != nil && f.shown.Paused != "" {
		pauseAll = "resume all"
	}
	return append([]key{
		{[]string{"q", "ctrl+c"}, "q", "leave", "leave; the fleet continues", nil},
		{[]string{"?"}, "?", "help", "show the keys", f.help},
		{[]string{"a"}, "a", "answer", "answer the question that waits", f.beginAnswer},
		{[]string{"e"}, "e", "evidence", "show the evidence for each criterion", f.showEvidence},
		{[]string{"p"}, "p", pause, "pause the requirement, or resume it", f.pause},
		{[]string{"s"}, "s", "stop", "stop the requirement after its step", f.stop},
		{[]string{"P"}, "P", pauseAll, "pause the fleet, or resume it", f.pauseAll},
	}, f.navigation(f.move)...)
}

func (f *Fleet) help() tea.Cmd {
	return f.showHelp(f.keys(), "The fleet continues when you leave. Every key runs the warp-fleet command that you could", "type yourself, and shows what it says.")
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
		return f.refuse("It is not running; warp-fleet submit queues it again.")
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
	return f.ensure("Pause the whole fleet? Running steps finish first.", f.runFleet("pause"))
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
