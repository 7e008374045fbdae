package watch

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/google/go-cmp/cmp"

	"warp/internal/core/evidence"
	"warp/internal/ui/feed"
)

var update = flag.Bool("update", false, "write the frames, and the one of the documentation")

// screen is one of a size, with a reading taken in.
func screen(f *feed.Feed, width, height int, color bool) *Model {
	m := New(Options{Color: color, Acts: Acts{Now: func() time.Time { return now }, Log: func(feed.Item) string { return "" }}})
	m.width, m.height = width, height
	m.Update(Ready{f.Root, someReady})
	m.setFeeds(Feeds{List: []*feed.Feed{f}})
	return m
}

// choose moves to an entry.
func (m *Model) choose(t *testing.T, name string) {
	t.Helper()
	for _, e := range m.entries {
		if e.item.Name == name {
			m.chosen, m.picked = e.key(), true
			return
		}
	}
	t.Fatalf("there is no %s", name)
}

func golden(t *testing.T, name, have string) {
	t.Helper()
	path := filepath.Join("testdata", name+".txt")
	have += "\n"
	if *update {
		if err := os.WriteFile(path, []byte(have), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), have); d != "" {
		t.Errorf("%s (go test -update ./internal/ui/watch writes it):\n%s", name, d)
	}
}

// fits wants a frame that is exactly as large as the screen.
func fits(t *testing.T, frame string, width, height int) {
	t.Helper()
	rows := strings.Split(frame, "\n")
	if len(rows) != height {
		t.Errorf("%d rows, want %d", len(rows), height)
	}
	for n, r := range rows {
		if w := lipgloss.Width(r); w != width {
			t.Errorf("row %d is %d wide, want %d: %q", n, w, width, r)
		}
	}
}

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		width, height int
		name          string
		look          func(*Model)
	}{
		{44, 20, "44x20", nil}, {80, 24, "80x24", nil}, {120, 40, "120x40", nil}, {200, 60, "200x60", nil},
		{44, 20, "44x20-open", func(m *Model) { m.choose(t, "45"); m.open = true }},
		{120, 40, "120x40-running", func(m *Model) { m.choose(t, "45") }},
		{80, 24, "80x24-answer", func(m *Model) { m.beginAnswer() }},
		{80, 24, "80x24-help", func(m *Model) { m.help() }},
	} {
		for _, color := range []bool{true, false} {
			m := screen(someNight(), c.width, c.height, color)
			if c.look != nil {
				c.look(m)
			}
			have := m.frame()
			fits(t, have, c.width, c.height)
			name := c.name
			if !color {
				name += "-nocolor"
				if strings.Contains(have, "\x1b") {
					t.Errorf("%s has escapes", name)
				}
			} else if c.look != nil {
				continue
			}
			golden(t, name, have)
		}
	}
}

// Whatever size a terminal has, a frame fills it and nothing else.
func TestEverySizeIsFilled(t *testing.T) {
	for width := 20; width <= 210; width += 7 {
		for _, height := range []int{8, 9, 15, 24, 61} {
			for _, f := range []*feed.Feed{someNight(), {Project: "empty", Root: "/x", Book: someNight().Book}} {
				m := screen(f, width, height, false)
				fits(t, m.frame(), width, height)
				m.open = true
				fits(t, m.frame(), width, height)
			}
		}
	}
}

// The documentation shows what the screen looks like.
func TestTheDocumentationHasAFrame(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "how-to", "watch.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m := screen(someNight(), 112, 34, false)
	m.choose(t, "45")
	rows := strings.Split(m.frame(), "\n")
	for n := range rows {
		rows[n] = strings.TrimRight(rows[n], " ")
	}
	want := fmt.Sprintf("```text\n%s\n```", strings.Join(rows, "\n"))
	shown := regexp.MustCompile("(?s)```text\n.*?\n```")
	if *update {
		page = shown.ReplaceAllLiteral(page, []byte(want))
		if err := os.WriteFile(path, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if have := string(shown.Find(page)); have != want {
		t.Errorf("go test -update ./internal/ui/watch writes it:\n%s", cmp.Diff(want, have))
	}
}

// Costs that no agent has reported are unknown, not zero.
func TestAnUnknownCostIsNotZero(t *testing.T) {
	f := someNight()
	for n := range f.Items {
		f.Items[n].Live = nil
		f.Items[n].Cost = evidence.Cost{Runs: 2, Unpriced: 2}
	}
	unpriced := f.Book.Runs[0]
	unpriced.Row.MicroUSD, unpriced.Row.Unpriced, unpriced.At = 0, true, stamp(time.Minute)
	f.Book.Runs = []evidence.Entry[evidence.Run]{unpriced}
	frame := screen(f, 120, 40, false).frame()
	if strings.Contains(frame, "$0.00") || !strings.Contains(frame, "cost unknown") {
		t.Errorf("all runs have an unknown cost:\n%s", frame)
	}
}

// The time of a night that is over stands still.
func TestTheHeaderCountsToTheEnd(t *testing.T) {
	f := someNight()
	f.Items = f.Items[3:]
	if all := countTotals([]*feed.Feed{f}, now); all.to.Sub(all.from) != 155*time.Minute {
		t.Errorf("from %s to %s", all.from, all.to)
	}
	f.Items[0].State, f.Items[0].Ended = feed.Running, time.Time{}
	if all := countTotals([]*feed.Feed{f}, now); !all.to.Equal(now) {
		t.Errorf("to %s, and one is at work", all.to)
	}
}
