package watch

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/feed"
)

// runWarp runs a warp command in the background.
func (m *Model) runWarp(dir string, args ...string) tea.Cmd {
	return func() tea.Msg {
		said, ok := m.acts.Warp(dir, args...)
		return newReply(said, ok)
	}
}

func newReply(said string, ok bool) reply {
	if said = strings.TrimSpace(said); said == "" && ok {
		said = "done"
	}
	return reply{said, ok}
}

func (m *Model) help() tea.Cmd {
	return m.showHelp(m.keys(), "What runs continues when you leave. Every key runs the warp command that you could", "type yourself, and shows what it says.")
}

// underway passes the chosen entry on if it is under way; otherwise it shows a message.
func (m *Model) underway(act func(e entry) tea.Cmd) tea.Cmd {
	e := m.selected()
	if e == nil || e.unbegun || e.item.State.Over() {
		return m.refuse("It is not under way.")
	}
	return act(*e)
}

// underwayDrive is underway for issues; why refuses other work.
func (m *Model) underwayDrive(why string, act func(e entry) tea.Cmd) tea.Cmd {
	return m.underway(func(e entry) tea.Cmd {
		if !e.item.IsDrive() {
			return m.refuse(why)
		}
		return act(e)
	})
}

// folder returns where commands about the item run.
func (e entry) folder() string {
	if e.item.Root != "" {
		return e.item.Root
	}
	return e.feed.Root
}

// needsContinue reports whether only a person can continue the item: it is paused, its process
// is gone, or it was stopped. A paused session has no process.
func (e entry) needsContinue() bool {
	switch i := e.item; {
	case e.unbegun, i.State == feed.Done, i.State == feed.Failed && i.IsDrive(), i.State.Over() && i.Kind == feed.Workflow:
		return false
	case i.State.Over(), i.State == feed.Paused:
		return true
	default:
		return i.PID == 0
	}
}

func (m *Model) pause() tea.Cmd {
	if e := m.selected(); e != nil && e.needsContinue() {
		m.said, m.bad = "…", false
		if e.item.PID != 0 {
			return m.runWarp(e.folder(), e.item.Line("continue")...)
		}
		return m.runWarp(e.folder(), e.item.Line("resume", "--detach")...) // it must outlive this screen
	}
	return m.underway(func(e entry) tea.Cmd {
		m.said, m.bad = "…", false
		return m.runWarp(e.folder(), e.item.Line("pause")...)
	})
}

func (m *Model) skip() tea.Cmd {
	return m.underwayDrive("Only an issue can be skipped. S stops a session or workflow.", func(e entry) tea.Cmd {
		return m.ensure("Skip "+itemLabel(e.item)+"? The night continues with the next issue.", m.runWarp(e.folder(), e.item.Line("stop", "--skip")...))
	})
}

func (m *Model) stopAfter() tea.Cmd {
	return m.underwayDrive("A session or workflow stops at once: S.", func(e entry) tea.Cmd {
		return m.ensure("Stop the night after "+itemLabel(e.item)+"?", m.runWarp(e.folder(), "stop", "--after"))
	})
}

func (m *Model) stopNow() tea.Cmd {
	return m.underway(func(e entry) tea.Cmd {
		return m.ensure("Stop "+itemLabel(e.item)+" now?", m.runWarp(e.folder(), e.item.Line("stop")...))
	})
}

func (m *Model) showDiff() tea.Cmd {
	e := m.selected()
	if e == nil || e.unbegun {
		return m.refuse("There is no diff.")
	}
	item, root := e.item, e.feed.Root
	var commits []string
	for _, c := range e.feed.Book.Commits {
		if c.Row.Issue == item.Issue && item.Issue != "" && !feed.ParseTime(c.At).Before(item.Started) {
			commits = append(commits, c.Row.Hash)
		}
	}
	return func() tea.Msg {
		words, err := m.acts.Diff(root, item, commits)
		if err != nil {
			return reply{err.Error(), false}
		}
		return newPager("diff of "+itemLabel(item), words, false, diffStyle)
	}
}

func (m *Model) showTest() tea.Cmd {
	e := m.selected()
	if e == nil || e.unbegun {
		return m.refuse("There are no tests.")
	}
	last, ok := evidence.Last(e.feed.Book.Tests, func(t evidence.Tested) bool {
		return e.item.Issue != "" && t.Issue == e.item.Issue && !t.NotRun
	})
	if !ok {
		return m.refuse("No tests have run for it yet.")
	}
	t := last.Row
	return m.read(e.feed.Root, t.Log, fmt.Sprintf("tests of %s: %s: %s", itemLabel(e.item), t.Stage, t.Said()), t.Excerpt)
}

func (m *Model) showTranscript() tea.Cmd {
	e := m.selected()
	if e == nil || e.unbegun {
		return m.refuse("There is no transcript.")
	}
	if log := m.acts.Log(e.item); log != "" {
		return m.read(e.feed.Root, log, "transcript of "+itemLabel(e.item)+", which continues", "")
	}
	runs := e.feed.RunsOf(e.item)
	if len(runs) == 0 {
		return m.refuse("No run of an agent has ended yet.")
	}
	r := runs[len(runs)-1].Row
	return m.read(e.feed.Root, r.Log, fmt.Sprintf("transcript of %s: %s as %s", itemLabel(e.item), text.Flat(r.Agent), text.Flat(r.Role)), r.Summary)
}

// read shows the end of a log, or the excerpt kept in evidence.
func (m *Model) read(root, file, title, kept string) tea.Cmd {
	return func() tea.Msg {
		if file != "" {
			words, err := m.acts.Read(root, file)
			if err == nil {
				return newPager(title, words, true, nil)
			}
			if kept == "" {
				return reply{"The log is gone: " + err.Error(), false}
			}
		}
		if kept == "" {
			return reply{"No log was kept.", false}
		}
		return newPager(title+" (excerpt)", kept, false, nil)
	}
}

// beginAnswer starts to answer the question shown.
func (m *Model) beginAnswer() tea.Cmd {
	q, _ := questionToShow(m.feeds, m.selected())
	return m.ask(q)
}

func (m *Model) send(q pendingQuestion, args []string) tea.Cmd { return m.runWarp(q.root, args...) }

// click chooses the entry under the mouse.
func (m *Model) click(e tea.MouseClickMsg) {
	const above = 3 // header and rule
	if e.Button != tea.MouseLeft || m.pager != nil || m.answer != nil || m.confirm != nil || m.width >= wide && e.X >= listWidth(m.width) || m.open && m.width < wide {
		return
	}
	row := 0
	for n, x := range m.entries {
		row += len(x.rows(40, m.now, false))
		if e.Y-above+m.top < row && e.Y >= above {
			m.move(n - m.index())
			return
		}
	}
}
