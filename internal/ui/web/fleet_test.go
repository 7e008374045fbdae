package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"warp/internal/core/conduct"
	"warp/internal/core/evidence"
	"warp/internal/core/fleetview"
)

func someFleet() fleetview.View {
	since := time.Date(2026, 11, 14, 19, 0, 0, 0, time.UTC)
	return fleetview.View{
		Fleet: "night-owls", Night: "2026-11-14", Merged: 14, Budget: fleetview.Budget{Settled: 20_000_000, Reserved: 4_000_000, Over: 1, Cap: 50_000_000}, Quiet: since, Circles: []string{"a#1 and a#2 wait for each other"},
		Machines: []fleetview.Machine{{Name: "atlas", Pool: "linux", Used: 3, Slots: 4, Resting: 1, Seen: since, Hold: "its slots are used"}, {Name: "rigel", Gone: true, Draining: true}},
		Running: []fleetview.Requirement{{Repo: "shop", Issue: "45", Title: "Keep drafts", State: fleetview.Running, Worker: "atlas", Account: "max", Attempt: 2, Since: since, Phase: "merging", Doing: "waits", Train: "waits", Beat: since, Spent: conduct.Spent{MicroUSD: 300_000, Tokens: 9},
			Ask: &conduct.Ask{ID: "q3", Text: "SQLite or files?", Context: "drafts", Options: []string{"sqlite", "files"}, Default: "files", Minutes: 30}}},
		Queue:  []fleetview.Requirement{{Repo: "shop", Issue: "46", Title: "Search", State: fleetview.Waiting, Paused: true}, {Repo: "shop", Issue: "47", Title: "Sort", State: fleetview.Waiting, Why: "waits for shop#45"}},
		Parked: []fleetview.Requirement{{Repo: "docs", Issue: "3", State: fleetview.Parked, Why: "the tests fail", Outcome: &conduct.Outcome{Result: "failed", Why: "the tests fail", Do: "warp-fleet submit docs#3", Limited: &conduct.Limit{}}}},
		Done:   []fleetview.Requirement{{Repo: "shop", Issue: "40", Title: "Sign in", State: fleetview.Done, Since: since, Outcome: &conduct.Outcome{Result: "merged", Commit: "77ab01c9d2e4", Pull: "https://example.invalid/1"}}},
		Trains: []fleetview.Train{{Repo: "shop", Target: "main", Line: []string{"shop#44", "shop#45"}, Turn: true}},
	}
}

// newFleetProject is a project beside a fleet, whose program says what it is asked.
func newFleetProject(t *testing.T, control bool) *project {
	t.Helper()
	var p *project
	p = newProjectWith(t, Options{Control: control, Fleet: &Fleet{Run: func(_ context.Context, args ...string) Said {
		if args[0] != "show" {
			p.lines = append(p.lines, args)
			return Said{Text: "done"}
		}
		p.shows++
		one, _ := p.server.fleet.last.Load().Find(args[len(args)-1])
		d := fleetview.Detail{Requirement: one, Steps: 8, Notes: []string{"worker rigel was lost"}}
		d.Evidence = &evidence.Account{Issue: one.Issue, Criteria: []evidence.Proof{{ID: "AC-01", Text: "It signs in " + p.evil, Met: true, Status: evidence.Met,
			Commits: []evidence.Commit{{Hash: "0123456789abcdef", Subject: "feat: sign in"}}, Tests: []evidence.Tested{{Passed: true}}, Verdict: &evidence.Verdict{Met: true, Reason: "the test shows it " + p.evil}}},
			Commits: []evidence.Commit{}, Gates: []evidence.Gate{}, Tests: []evidence.Tested{}, Interventions: []evidence.Intervened{}, Decisions: []evidence.Decision{}, Filed: []evidence.Filed{}}
		out, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		return Said{Out: out}
	}}})
	v := someFleet()
	p.server.fleet.last.Store(&v)
	p.read()
	return p
}

func TestTheFleetIsShown(t *testing.T) {
	p := newFleetProject(t, false)
	page := p.get("/fleet")
	contains(t, page, "night-owls", `href="/fleet" aria-current="page"`, "atlas", "3 of 4 slots", "its slots are used", "shop#44</strong> ← shop#45", `value="40"`, "$20.00", "of $50.00",
		`href="/fleet/shop/45"`, "asks you", "waits for shop#45", "the tests fail", "merged")
	if strings.Contains(page, "<button") {
		t.Error("a fleet that is read-only has buttons")
	}
	page = p.get("/fleet/shop/40")
	contains(t, page, "Sign in", "AC-01", "0123456789", "feat: sign in", "met: the test shows it", "worker rigel was lost", "<small>of 1</small>")
	p.get("/fleet/shop/40")
	if p.shows != 1 {
		t.Errorf("the evidence of what did not change was read %d times", p.shows)
	}
	if w := p.do(p.request(http.MethodGet, "/fleet/shop/99", "")); w.Code != http.StatusNotFound {
		t.Errorf("%d", w.Code)
	}
}

// What changes in the fleet reaches the pages that are open.
func TestTheFleetIsLive(t *testing.T) {
	p := newFleetProject(t, false)
	c, leave, ok := p.server.subscribe("/fleet")
	if !ok {
		t.Fatal("the page is not live")
	}
	defer leave()
	<-c
	p.server.Fleet.Follow = func(_ context.Context, show func(fleetview.View, error)) {
		v := someFleet()
		v.Merged = 4711
		show(v, nil)
		contains(t, string(<-c), "4711")
		show(fleetview.View{}, errors.New("the server does not answer"))
	}
	p.server.followFleet(t.Context())
	contains(t, string(<-c), "the server does not answer", "4711")
}

func TestFleetButtons(t *testing.T) {
	for _, c := range []struct{ path, form, want string }{
		{"/fleet/answer/shop/45", "say=files", "answer -- shop#45 files"},
		{"/fleet/answer/shop/45", "say=both", "answer --other -- shop#45 both"},
		{"/fleet/do/pause/shop/45", "", "pause -- shop#45"},
		{"/fleet/do/resume/shop/46", "", "resume -- shop#46"},
		{"/fleet/do/stop/shop/45", "", "stop -- shop#45"},
		{"/fleet/do/pause", "", "pause"},
	} {
		p := newFleetProject(t, true)
		w := p.do(p.request(http.MethodPost, c.path, c.form+"&back=/fleet"))
		if len(p.lines) != 1 || strings.Join(p.lines[0], " ") != c.want || w.Code != http.StatusSeeOther {
			t.Errorf("%s: %d, %q", c.path, w.Code, p.lines)
			continue
		}
		contains(t, p.get(w.Header().Get("Location")), "warp-fleet "+c.want)
	}
	p := newFleetProject(t, true)
	contains(t, p.get("/fleet/shop/45"), `action="/fleet/answer/shop/45"`, `action="/fleet/do/stop/shop/45"`, "SQLite or files?", "place 2 in the merge train")
	contains(t, p.get("/fleet"), "Pause the fleet")
}

func TestWhatAFleetRefuses(t *testing.T) {
	none := func(r *http.Request) {}
	for _, c := range []struct {
		name, path string
		make       func(*testing.T) *project
		change     func(*http.Request)
		code       int
	}{
		{"read-only", "/fleet/do/pause", func(t *testing.T) *project { return newFleetProject(t, false) }, none, 403},
		{"read-only, to the API", "/api/v1/fleet/shop/45/stop", func(t *testing.T) *project { return newFleetProject(t, false) }, none, 403},
		{"without CSRF token", "/fleet/do/stop/shop/45", func(t *testing.T) *project { return newFleetProject(t, true) }, func(r *http.Request) { r.Header.Del("X-CSRF-Token") }, 403},
		{"from another page", "/fleet/answer/shop/45", func(t *testing.T) *project { return newFleetProject(t, true) }, func(r *http.Request) { r.Header.Set("Origin", "https://evil.invalid") }, 403},
		{"an unknown requirement", "/fleet/do/stop/shop/99", func(t *testing.T) *project { return newFleetProject(t, true) }, none, 404},
		{"an unknown verb", "/fleet/do/drain/shop/45", func(t *testing.T) *project { return newFleetProject(t, true) }, none, 404},
		{"the whole fleet stopped", "/fleet/do/stop", func(t *testing.T) *project { return newFleetProject(t, true) }, none, 404},
		{"an answer to no question", "/fleet/answer/shop/46", func(t *testing.T) *project { return newFleetProject(t, true) }, none, 404},
		{"without --fleet", "/fleet/do/pause", func(t *testing.T) *project { p := newProject(t, true); p.read(); return p }, none, 404},
	} {
		p := c.make(t)
		r := p.request(http.MethodPost, c.path, "say=files")
		c.change(r)
		if w := p.do(r); w.Code != c.code || len(p.lines) > 0 {
			t.Errorf("%s: %d, want %d; it ran %q", c.name, w.Code, c.code, p.lines)
		}
	}
	p := newProject(t, true)
	p.read()
	if w := p.do(p.request(http.MethodGet, "/fleet", "")); w.Code != http.StatusNotFound || strings.Contains(p.get("/"), `href="/fleet"`) {
		t.Errorf("without --fleet there is a page: %d", w.Code)
	}
}

func TestAHostileFleet(t *testing.T) {
	p := newFleetProject(t, true)
	p.evil = hostile
	v := someFleet()
	v.Fleet, v.Night, v.Paused, v.Circles = hostile, hostile, hostile, []string{hostile}
	v.Machines[0].Name, v.Machines[0].Pool, v.Machines[0].Hold = hostile, hostile, hostile
	v.Trains[0].Repo, v.Trains[0].Target, v.Trains[0].Line = hostile, hostile, []string{hostile}
	r := &v.Running[0]
	r.Title, r.Doing, r.Worker, r.Phase, r.Train = hostile+strings.Repeat("x", 10<<20), hostile, hostile, hostile, hostile
	r.Ask = &conduct.Ask{ID: hostile, Text: hostile, Context: hostile, Options: []string{hostile}, Default: hostile, Minutes: 1}
	v.Queue[0].Repo, v.Queue[0].Why = hostile, hostile
	v.Parked[0].Outcome = &conduct.Outcome{Result: hostile, Why: hostile, Do: hostile, Pull: hostile}
	p.server.fleet.last.Store(&v)
	err := errors.New(hostile)
	p.server.fleet.broken.Store(&err)
	for _, path := range []string{"/fleet", "/fleet/shop/45", "/fleet/docs/3", "/fleet/shop/40"} {
		page := p.get(path)
		for _, bad := range []string{"<script>alert", "<img", "\x1b", "\x07", "\u202e", "\u2066", "\u200b"} {
			if i := strings.Index(page, bad); i >= 0 {
				t.Errorf("%s has %q: …%q…", path, bad, page[max(0, i-80):min(len(page), i+80)])
			}
		}
		if len(page) > 1<<20 {
			t.Errorf("%s has %d bytes", path, len(page))
		}
	}
}
