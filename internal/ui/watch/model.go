// Package watch is the terminal UI: the queue, the chosen one in full, the question that
// waits. Frames are drawn from feeds, a size and a time alone. It decides nothing: what a
// key asks for is left to commands of warp, and it shows what those say.
package watch

import (
	"slices"
	"strings"
	"time"

	"charm.land/bubbles/v2/textinput"
	tea "charm.land/bubbletea/v2"

	"warp/internal/core/text"
	"warp/internal/ui/approved"
	"warp/internal/ui/feed"
)

// Acts are what keys reach for.
type Acts struct {
	// Warp runs a command of warp's in a folder, and returns what it said.
	Warp func(dir string, args ...string) (said string, ok bool)
	// Diff is what the branch of an item has changed.
	Diff func(root string, i feed.Item, commits []string) (string, error)
	// Read is the end of a log file of a project.
	Read func(root, file string) (string, error)
	// Log is where the agent that works on an item writes now; "": none does.
	Log func(root string, i feed.Item) string
	Now func() time.Time
}

// Options are how the screen is shown.
type Options struct {
	Name  string // of the item to begin with; "": one that runs
	Color bool
	Mouse bool
	Acts  Acts
}

// Feeds are a new reading of the projects.
type Feeds struct {
	List []*feed.Feed
	Err  error
}

// Ready are the approved issues of a project that are not begun, in the order of work.
type Ready struct {
	Root   string
	Issues []approved.Issue
}

// Model is the screen.
type Model struct {
	feeds   []*feed.Feed
	ready   map[string][]approved.Issue // by project
	err     string
	entries []entry
	now     time.Time

	width, height int
	color, mouse  bool
	acts          Acts

	name   string // still to be found
	chosen string // an entry's key
	picked bool   // by a person; else what runs is shown
	open   bool   // in a narrow terminal: the detail is shown
	top    int    // first row of the queue that is seen
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

// New makes a screen.
func New(o Options) *Model {
	in := textinput.New()
	in.Prompt, in.CharLimit = "", 1000
	in.KeyMap.Paste.SetEnabled(false) // it would run programs; what the terminal pastes arrives anyway
	return &Model{ready: map[string][]approved.Issue{}, color: o.Color, mouse: o.Mouse, acts: o.Acts, name: o.Name, now: o.Acts.Now(), input: in, width: 80, height: 24}
}

// Frame is one frame of a reading, for scripts and for screens that are no terminal.
func Frame(o Options, feeds []*feed.Feed, ready []Ready, width, height int) string {
	m := New(o)
	m.width, m.height = width, height
	for _, r := range ready {
		m.ready[r.Root] = r.Issues
	}
	m.take(Feeds{List: feeds})
	rows := m.rows()
	rows = slices.CompactFunc(rows[:len(rows)-1], func(a, b line) bool { return a.isBlank() && b.isBlank() }) // without the keys
	painted := make([]string, len(rows))
	for n, r := range rows {
		painted[n] = strings.TrimRight(r.paint(m.color), " ")
	}
	return strings.TrimRight(strings.Join(painted, "\n"), "\n")
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

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd { return tick() }

// View implements tea.Model.
func (m *Model) View() tea.View {
	v := tea.NewView(m.frame())
	v.AltScreen, v.WindowTitle = true, "warp watch"
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	return v
}

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.now = m.acts.Now()
	switch msg := msg.(type) {
	case second:
		return m, tick()
	case Feeds:
		m.take(msg)
	case Ready:
		m.ready[msg.Root] = msg.Issues
		m.take(Feeds{List: m.feeds})
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case reply:
		m.said, m.bad = text.Flat(msg.text), !msg.ok
	case *pager:
		m.pager, m.said = msg, ""
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		m.click(msg)
	case tea.PasteMsg:
		if m.answer != nil && m.answer.typing {
			return m, m.typeWords(msg)
		}
	case tea.KeyPressMsg:
		return m, m.press(msg)
	}
	return m, nil
}

// take takes a reading in, and keeps what is chosen.
func (m *Model) take(f Feeds) {
	m.err = ""
	if f.Err != nil {
		m.err = text.Flat(f.Err.Error())
	}
	if f.List == nil {
		return
	}
	m.feeds = f.List
	m.entries = queue(m.feeds, m.ready, m.now)
	if m.name != "" {
		for _, f := range m.feeds {
			for _, i := range f.Find(m.name) {
				m.chosen, m.picked, m.name = (entry{feed: f, item: i}).key(), true, ""
				return
			}
		}
	}
	if next := m.first(); m.at() == nil || !m.picked && next != m.chosen {
		m.chosen, m.scroll = next, 0
	}
}

// first is what a person most likely wants to see: what asks, what runs, what came last.
func (m *Model) first() string {
	for _, fits := range []func(entry) bool{
		func(e entry) bool { return e.item.Question != nil },
		func(e entry) bool { return e.item.State == feed.Running },
		func(e entry) bool { return !e.unbegun && !e.item.State.Over() },
	} {
		if n := slices.IndexFunc(m.entries, fits); n >= 0 {
			return m.entries[n].key()
		}
	}
	for _, e := range slices.Backward(m.entries) {
		if !e.unbegun {
			return e.key()
		}
	}
	return ""
}

// index is where the chosen one is; -1: nowhere.
func (m *Model) index() int {
	return slices.IndexFunc(m.entries, func(e entry) bool { return e.key() == m.chosen })
}

// at is the chosen one; nil: there is none.
func (m *Model) at() *entry {
	if n := m.index(); n >= 0 {
		return &m.entries[n]
	}
	return nil
}

func (m *Model) move(by int) {
	if len(m.entries) == 0 {
		return
	}
	n := max(0, min(m.index()+by, len(m.entries)-1))
	m.chosen, m.picked, m.scroll, m.said = m.entries[n].key(), true, 0, ""
}

func (m *Model) page() int { return max(m.height-6, 1) }
