// Package watch is the terminal UI: the queue, the chosen one in full, the question that
// waits. Frames are drawn from feeds, a size and a time alone. It decides nothing: what a
// key asks for is left to commands of warp, and it shows what those say.
package watch

import (
	"slices"
	"time"

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

	surface
	acts Acts

	name string // still to be found
}

// New makes a screen.
func New(o Options) *Model {
	return &Model{ready: map[string][]approved.Issue{}, surface: newSurface(o.Color, o.Mouse), acts: o.Acts, name: o.Name, now: o.Acts.Now()}
}

// Frame is one frame of a reading, for scripts and for screens that are no terminal.
func Frame(o Options, feeds []*feed.Feed, ready []Ready, width, height int) string {
	m := New(o)
	m.width, m.height = width, height
	for _, r := range ready {
		m.ready[r.Root] = r.Issues
	}
	m.take(Feeds{List: feeds})
	return m.print(m.rows())
}

// Init implements tea.Model.
func (m *Model) Init() tea.Cmd { return tick() }

// View implements tea.Model.
func (m *Model) View() tea.View {
	return m.view(m.frame(), "warp watch")
}

// Update implements tea.Model.
func (m *Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	m.now = m.acts.Now()
	if do, taken := m.notice(msg); taken {
		return m, do
	}
	switch msg := msg.(type) {
	case Feeds:
		m.take(msg)
	case Ready:
		m.ready[msg.Root] = msg.Issues
		m.take(Feeds{List: m.feeds})
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case tea.MouseClickMsg:
		m.click(msg)
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
