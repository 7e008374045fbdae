// Package watch is the terminal UI: the queue, the chosen item in full, and the open question. A
// frame depends only on feeds, size and time. The package decides nothing: a key runs a warp
// command and shows its output.
package watch

import (
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"warp/internal/core/text"
	"warp/internal/ui/feed"
)

// Acts are the functions that keys call.
type Acts struct {
	// Warp runs a warp command in a folder and returns its output.
	Warp func(dir string, args ...string) (said string, ok bool)
	// Diff returns the diff of an item's branch.
	Diff func(root string, i feed.Item, commits []string) (string, error)
	// Read returns the end of a project's log file.
	Read func(root, file string) (string, error)
	// Log returns the log of the agent now working on an item, or "".
	Log func(i feed.Item) string
	Now func() time.Time
}

// Options configure the screen.
type Options struct {
	Name  string // item to choose first; "": a running one
	Color bool
	Mouse bool
	Acts  Acts
}

// Feeds is the message with a new reading of the projects.
type Feeds struct {
	List []*feed.Feed
	Err  error
}

// Ready is the message with a project's approved issues that have not begun, in the order of
// work.
type Ready struct {
	Root   string
	Issues []feed.ApprovedIssue
}

// Model is the screen.
type Model struct {
	feeds   []*feed.Feed
	ready   map[string][]feed.ApprovedIssue // by project root
	err     string
	entries []entry
	now     time.Time

	surface
	acts Acts

	name string // item to choose once a feed has it
}

// New returns a screen.
func New(o Options) *Model {
	return &Model{ready: map[string][]feed.ApprovedIssue{}, surface: newSurface(o.Color, o.Mouse), acts: o.Acts, name: o.Name, now: o.Acts.Now()}
}

// Frame returns one frame as text, for scripts and output that is not a terminal.
func Frame(o Options, feeds []*feed.Feed, ready []Ready, width, height int) string {
	m := New(o)
	m.width, m.height = width, height
	for _, r := range ready {
		m.ready[r.Root] = r.Issues
	}
	m.setFeeds(Feeds{List: feeds})
	return m.plainText(m.rows())
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
	if do, taken := m.handleShared(msg); taken {
		return m, do
	}
	switch msg := msg.(type) {
	case Feeds:
		m.setFeeds(msg)
	case Ready:
		m.ready[msg.Root] = msg.Issues
		m.setFeeds(Feeds{List: m.feeds})
	case tea.MouseWheelMsg:
		m.turnWheel(msg, m.move)
	case tea.MouseClickMsg:
		m.click(msg)
	case tea.KeyPressMsg:
		return m, m.press(msg, m.keys(), m.send)
	}
	return m, nil
}

// setFeeds shows a new reading and keeps the choice.
func (m *Model) setFeeds(f Feeds) {
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
	if next := m.defaultChoice(); m.selected() == nil || !m.picked && next != m.chosen {
		m.chosen, m.scroll = next, 0
	}
}

// defaultChoice returns what a person most likely wants to see: what asks, what runs, what ended
// last.
func (m *Model) defaultChoice() string {
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

// index returns the position of the chosen entry, or -1.
func (m *Model) index() int {
	return slices.IndexFunc(m.entries, func(e entry) bool { return e.key() == m.chosen })
}

// selected returns the chosen entry, or nil.
func (m *Model) selected() *entry {
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

// wide is the least width that shows the queue and the detail side by side.
const wide = 72

// frame draws the whole screen, filling its width and height.
func (m *Model) frame() string {
	return m.paint(m.rows())
}

func (m *Model) rows() []line {
	width, height := max(m.width, 20), max(m.height, 8)
	var rows []line
	if len(m.feeds) == 0 {
		rows = []line{{}, {{dim, " reading …"}}}
		if m.err != "" {
			rows = append(rows, say(red, m.err))
		}
	} else {
		rows = header(m.feeds, m.entries, width, m.now)
		rows = append(rows, m.body(m.panes(), width, height-len(rows)-1, m.now)...)
	}
	return fill(rows, m.footer(width, m.keys()), width, height)
}

// panes returns the parts between header and footer.
func (m *Model) panes() panes {
	at := m.selected()
	p := panes{list: m.list}
	p.question, p.waiting = questionToShow(m.feeds, at)
	if at != nil {
		p.detail = func(width int) []line { return detail(*at, width, m.now) }
	}
	return p
}

// list returns the queue, scrolled to the chosen entry.
func (m *Model) list(width, height int) []line {
	var l listing
	for _, e := range m.entries {
		chosen := e.key() == m.chosen
		l.add(e.rows(width, m.now, chosen), chosen)
	}
	if len(m.entries) == 0 {
		l.rows = []line{{}, {{dim, " Nothing has run here since yesterday."}}, {{dim, " warp drive begins."}}}
	}
	for _, f := range m.feeds {
		for _, n := range f.Notes[:min(len(f.Notes), 3)] {
			l.rows = append(l.rows, line{{yellow, " ! "}, {dim, text.Flat(n)}})
		}
	}
	if m.err != "" {
		l.rows = append(l.rows, say(red, " "+m.err))
	}
	return m.scrollToChosen(l, height)
}
