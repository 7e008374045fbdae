package watch

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"warp/internal/ui/feed"
)

// typed presses keys one after the other, and does what they ask for.
func (m *Model) typed(t *testing.T, names ...string) (quit bool) {
	t.Helper()
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "down": tea.KeyDown, "up": tea.KeyUp}
	for _, name := range names {
		k := tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
		if code, ok := special[name]; ok {
			k = tea.KeyPressMsg{Code: code}
		}
		_, do := m.Update(k)
		if do == nil || m.answer != nil { // an input only lets its cursor blink
			continue
		}
		msg := do()
		if _, ok := msg.(tea.QuitMsg); ok {
			return true
		}
		m.Update(msg)
	}
	return false
}

// Each key runs the command that a person would type, in the right folder.
func TestKeysRunCommands(t *testing.T) {
	at45, at47 := "/home/ada/mail/.claude/worktrees/issue-45: ", "/home/ada/mail: "
	for _, c := range []struct {
		on, keys, want string
	}{
		{"45", "a enter", at47 + "answer -- q7 files"},
		{"45", "a 1", at47 + "answer -- q7 sqlite"},
		{"47", "a up enter", at47 + "answer -- q7 sqlite"},
		{"47", "a o b o t h enter", at47 + "answer --other -- q7 both"},
		{"47", "a esc", ""},
		{"47", "a 3", ""},
		{"45", "p", at45 + "pause -- 45"},
		{"flaky", "p", at47 + "sessions resume --detach -- flaky"},
		{"44", "p", ""},
		{"43", "p", ""},
		{"45", "x n", ""},
		{"45", "x y", at45 + "stop --skip -- 45"},
		{"45", "s y", at45 + "stop --after"},
		{"45", "S y", at45 + "stop -- 45"},
		{"flaky", "S y", at47 + "sessions stop -- flaky"},
		{"flaky", "x", ""},
		{"43", "S", ""},
		{"45", "down down up p", "/home/ada/mail/.claude/worktrees/issue-47: pause -- 47"},
	} {
		m := screen(someNight(), 120, 40, false)
		m.choose(t, c.on)
		ran := ""
		m.acts.Warp = func(dir string, args ...string) (string, bool) {
			ran = dir + ": " + strings.Join(args, " ")
			return "said \x1b[31mso", true
		}
		m.typed(t, strings.Fields(c.keys)...)
		if ran != c.want {
			t.Errorf("%s on %s: %q, want %q", c.keys, c.on, ran, c.want)
		}
		if ran != "" && !strings.Contains(m.frame(), `said \u001b[31mso`) {
			t.Errorf("%s: the answer is not shown", c.keys)
		}
	}
}

func TestAPausedDriveIsContinued(t *testing.T) {
	f := someNight()
	f.Items[1].State = feed.Paused
	m := screen(f, 120, 40, false)
	m.choose(t, "45")
	ran := ""
	m.acts.Warp = func(_ string, args ...string) (string, bool) { ran = strings.Join(args, " "); return "", true }
	m.typed(t, "p")
	if ran != "continue -- 45" || !strings.Contains(m.frame(), "done") {
		t.Errorf("%q", ran)
	}
}

// What a workflow did not finish before it was aborted, no key continues.
func TestAnAbortedWorkflowIsOver(t *testing.T) {
	for kind, rests := range map[feed.Kind]bool{feed.Workflow: false, feed.Loop: true} {
		if e := (entry{item: feed.Item{Kind: kind, State: feed.Stopped}}); e.needsContinue() != rests {
			t.Errorf("%s: %v", kind, !rests)
		}
	}
}

// A document that was run again is there twice, and either can be chosen.
func TestAWorkflowThatWasRunAgainIsTwoEntries(t *testing.T) {
	f := someNight()
	first := feed.Item{Kind: feed.Workflow, Name: "auth", State: feed.Done, Started: now.Add(-time.Hour), Ended: now.Add(-time.Minute), Archived: true}
	second := first
	second.Started, second.Archived = first.Started.Add(1), false
	f.Items, f.Questions = []feed.Item{second, first}, nil
	m := screen(f, 120, 40, false)
	m.typed(t, "g")
	for range max(1, len(m.entries)-1) {
		at := m.index()
		m.typed(t, "down")
		if m.index() != at+1 {
			t.Fatalf("from %d to %d", at, m.index())
		}
	}
}

func TestLogsAndDiffsAreShown(t *testing.T) {
	m := screen(someNight(), 120, 40, false)
	m.choose(t, "45")
	m.acts.Diff = func(root string, i feed.Item, commits []string) (string, error) {
		return strings.Join(append(commits, root, i.Name), "\n") + "\n+new\n-old\n", nil
	}
	m.acts.Read = func(_, file string) (string, error) { return "the log of " + file + "\n", nil }
	m.typed(t, "d")
	if f := m.frame(); !strings.Contains(f, "diff of #45") || !strings.Contains(f, "3f9c21ab77d0") || !strings.Contains(f, "+new") {
		t.Errorf("%s", f)
	}
	m.typed(t, "q", "T")
	if f := m.frame(); !strings.Contains(f, "transcript of #45: claude as code") || !strings.Contains(f, "the log of /logs/output.log") {
		t.Errorf("%s", f)
	}
	m.typed(t, "q")
	m.acts.Log = func(i feed.Item) string { return "/runs/now-of-" + i.Name }
	m.typed(t, "T")
	if f := m.frame(); !strings.Contains(f, "transcript of #45, which continues") || !strings.Contains(f, "the log of /runs/now-of-45") {
		t.Errorf("%s", f)
	}
	m.typed(t, "esc")
	if m.pager != nil || !m.typed(t, "q") {
		t.Error("q does not leave")
	}
}

// As long as a person has chosen nothing, the screen shows what runs now.
func TestTheScreenFollowsWhatRuns(t *testing.T) {
	f := someNight()
	f.Items, f.Questions = f.Items[1:], nil
	m := screen(f, 120, 40, false)
	if m.selected().item.Name != "45" {
		t.Errorf("%s", m.chosen)
	}
	later := someNight()
	later.Items[0].Question, later.Items[0].State, later.Items[1].State, later.Items[1].Ended = nil, feed.Running, feed.Done, now
	m.Update(Feeds{List: []*feed.Feed{later}})
	if m.selected().item.Name != "47" {
		t.Errorf("%s", m.chosen)
	}
}

// A new reading keeps what is chosen, and a gone one leads back to what runs.
func TestTheChosenOneStays(t *testing.T) {
	m := screen(someNight(), 120, 40, false)
	m.choose(t, "44")
	m.Update(Feeds{List: []*feed.Feed{someNight()}})
	if m.selected().item.Name != "44" {
		t.Errorf("%s", m.chosen)
	}
	f := someNight()
	f.Items = f.Items[1:2]
	m.Update(Feeds{List: []*feed.Feed{f}})
	if m.selected() == nil || m.selected().item.Name != "45" {
		t.Errorf("%s", m.chosen)
	}
}

// What is approved and not begun stands last, in the order of work, each with the reason why
// it is passed over; what is begun is not there twice.
func TestApprovedIssuesAreInTheQueue(t *testing.T) {
	m := screen(someNight(), 120, 40, false)
	var got []string
	for _, e := range m.entries {
		if e.unbegun {
			got = append(got, e.mark().text+" "+e.item.Issue+" "+e.note(now).paint(false))
		}
	}
	if want := "· 50 |– 48 passed over: it waits for #47|– 51 waits for #50"; strings.Join(got, "|") != want {
		t.Errorf("%q, want %q", got, want)
	}
	m.choose(t, "50")
	m.typed(t, "p")
	if f := m.frame(); !strings.Contains(f, "approved, and not begun yet") || !strings.Contains(f, "It is not under way.") {
		t.Errorf("%s", f)
	}
	m.Update(Ready{someNight().Root, nil})
	if m.selected() == nil || m.selected().item.Issue == "50" {
		t.Errorf("what is closed is still chosen: %v", m.selected())
	}
}

// A click chooses the row under the mouse, whatever the rows before it say; without the
// mouse it is the terminal's.
func TestAClickChooses(t *testing.T) {
	for _, size := range [][2]int{{44, 20}, {120, 40}, {200, 60}, {80, 12}} {
		m := screen(someNight(), size[0], size[1], false)
		m.choose(t, m.entries[len(m.entries)-1].item.Name)
		rows := strings.Split(m.frame(), "\n")
		for y, row := range rows {
			for _, e := range m.entries {
				if !strings.Contains(row, e.mark().text+" "+itemLabel(e.item)+" ") || strings.Contains(row, "asks") {
					continue
				}
				before := m.top
				m.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 3, Y: y})
				if m.selected().item.Name != e.item.Name {
					t.Errorf("%v: a click on row %d (%q) chose %s, not %s", size, y, row, m.selected().item.Name, e.item.Name)
				}
				m.choose(t, m.entries[len(m.entries)-1].item.Name)
				m.top = before
			}
		}
		chosen := m.chosen
		m.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 70, Y: 5})
		if size[0] > wide && m.chosen != chosen {
			t.Errorf("%v: a click on the right side chose %s", size, m.chosen)
		}
		if v := m.View(); v.MouseMode != tea.MouseModeNone {
			t.Error("the mouse is taken")
		}
	}
}
