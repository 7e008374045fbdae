package watch

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"warp/internal/core/conduct"
	"warp/internal/core/fleetview"
)

// someFleet is a fleet with one of everything.
func someFleet() fleetview.View {
	usd := func(micro int64) conduct.Spent { return conduct.Spent{MicroUSD: micro, Tokens: micro / 10} }
	return fleetview.View{
		Fleet: "fleet", Night: "2026-11-16", Merged: 14,
		Budget: fleetview.Budget{Settled: 21_400_000, Reserved: 4_000_000, Cap: 50_000_000},
		Machines: []fleetview.Machine{{Name: "atlas", Pool: "linux", Used: 3, Slots: 4}, {Name: "mac-mini-2", Pool: "mac", Used: 0, Slots: 2, Gone: true},
			{Name: "rigel", Pool: "linux", Used: 1, Slots: 4, Draining: true}},
		Running: []fleetview.Requirement{
			{Repo: "shop", Issue: "42", Title: "Show the basket on every page", State: fleetview.Running, Worker: "atlas", Account: "max-1", Attempt: 2, Since: ago(31 * time.Minute), Spent: usd(1_270_000), Phase: "coding", Doing: "Edit basket.go", Beat: ago(3 * time.Second)},
			{Repo: "api", Issue: "7", Title: "Page through orders", State: fleetview.Running, Worker: "atlas", Attempt: 1, Since: ago(80 * time.Minute), Spent: usd(2_900_000), Phase: "merging", Doing: "waits for its turn to merge", Train: "waits"},
			{Repo: "shop", Issue: "45", Title: "Keep drafts", State: fleetview.Running, Worker: "rigel", Attempt: 1, Since: ago(12 * time.Minute), Spent: usd(300_000), Phase: "planning", Doing: "waits for an answer",
				Ask: &conduct.Ask{ID: "q3", Text: "Keep drafts in SQLite, or in one file per draft?", Options: []string{"sqlite", "files"}, Default: "files", Minutes: 30}},
		},
		Queue:  []fleetview.Requirement{{Repo: "shop", Issue: "46", Title: "Search all orders", State: fleetview.Waiting, Why: "waits for shop#42"}, {Repo: "api", Issue: "8", Title: "Rate limits", State: fleetview.Waiting, Paused: true, Why: "it is paused"}},
		Parked: []fleetview.Requirement{{Repo: "docs", Issue: "3", Title: "Explain refunds", State: fleetview.Parked, Attempt: 1, Why: "the tests fail", Spent: usd(800_000), Outcome: &conduct.Outcome{Result: "failed", Why: "the tests fail", Do: "warp-fleet submit docs#3"}}},
		Done:   []fleetview.Requirement{{Repo: "shop", Issue: "40", Title: "Sign in", State: fleetview.Done, Attempt: 1, Since: ago(3 * time.Hour), Spent: usd(1_100_000), Outcome: &conduct.Outcome{Result: "merged", Commit: "77ab01c9d2e4"}}},
		Trains: []fleetview.Train{{Repo: "api", Target: "main", Line: []string{"api#6", "api#7"}, Turn: true}},
	}
}

func fleetScreen(v fleetview.View, width, height int, color bool) *Fleet {
	f := NewFleet(FleetOptions{Color: color, Now: func() time.Time { return now }, Run: func(...string) (string, bool) { return "", true }})
	f.width, f.height = width, height
	f.Update(FleetView{View: v})
	return f
}

func TestFleetFrames(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {140, 40}} {
		for _, color := range []bool{true, false} {
			f := fleetScreen(someFleet(), size[0], size[1], color)
			have := f.frame()
			fits(t, have, size[0], size[1])
			name := fmt.Sprintf("fleet-%dx%d", size[0], size[1])
			if !color {
				name += "-nocolor"
				if strings.Contains(have, "\x1b") {
					t.Errorf("%s has escapes", name)
				}
			}
			golden(t, name, have)
		}
	}
	f := fleetScreen(someFleet(), 140, 40, false)
	f.chosen, f.picked = "api#7", true
	if frame := f.frame(); !strings.Contains(frame, "place 2 in the merge train") {
		t.Error(frame)
	}
}

func TestEverySizeIsFilledByAFleet(t *testing.T) {
	many := someFleet()
	for n := range 40 {
		many.Machines = append(many.Machines, fleetview.Machine{Name: fmt.Sprint("m", n), Slots: 100, Used: 50})
	}
	for width := 20; width <= 210; width += 19 {
		for _, height := range []int{8, 9, 15, 24, 61} {
			for _, v := range []fleetview.View{someFleet(), many, {Fleet: "empty"}} {
				f := fleetScreen(v, width, height, false)
				for _, f.open = range []bool{false, true} {
					fits(t, f.frame(), width, height)
				}
			}
		}
	}
	f := fleetScreen(someFleet(), 80, 24, false)
	f.shown = nil
	f.Update(FleetView{Err: errors.New("there is no fleet on this server")})
	if frame := f.frame(); !strings.Contains(frame, "there is no fleet") {
		t.Error(frame)
	}
}

// Each key runs the command of warp-fleet that a person would type.
func TestFleetKeysRunCommands(t *testing.T) {
	special := map[string]rune{"enter": tea.KeyEnter, "esc": tea.KeyEscape, "down": tea.KeyDown}
	for _, c := range []struct{ on, keys, paused, want string }{
		{"shop#45", "a enter", "", "answer -- shop#45 files"},
		{"shop#42", "a 1", "", "answer -- shop#45 sqlite"},
		{"shop#45", "a o b enter", "", "answer --other -- shop#45 b"},
		{"shop#45", "a esc", "", ""},
		{"shop#42", "p", "", "pause -- shop#42"},
		{"api#8", "p", "", "resume -- api#8"},
		{"shop#40", "p", "", ""},
		{"shop#42", "s y", "", "stop -- shop#42"},
		{"shop#42", "s n", "", ""},
		{"docs#3", "s y", "", ""},
		{"shop#42", "P y", "", "pause"},
		{"shop#42", "P", "ada", "resume"},
		{"shop#42", "down s y", "", "stop -- api#7"},
		{"shop#40", "e", "", "show -- shop#40"},
	} {
		v := someFleet()
		v.Paused = c.paused
		f := fleetScreen(v, 140, 40, false)
		f.chosen, f.picked = c.on, true
		var ran []string
		f.run = func(args ...string) (string, bool) {
			ran = append(ran, strings.Join(args, " "))
			return "it was said", true
		}
		for name := range strings.FieldsSeq(c.keys) {
			k := tea.KeyPressMsg{Code: []rune(name)[0], Text: name}
			if code, ok := special[name]; ok {
				k = tea.KeyPressMsg{Code: code}
			}
			if _, do := f.Update(k); do != nil && f.answer == nil {
				f.Update(do())
			}
		}
		if got := strings.Join(ran, "; "); got != c.want {
			t.Errorf("%s on %s ran %q, want %q", c.keys, c.on, got, c.want)
		}
		if c.want != "" && !strings.Contains(f.frame(), "it was said") {
			t.Errorf("%s: what the command said is not shown", c.keys)
		}
	}
}
