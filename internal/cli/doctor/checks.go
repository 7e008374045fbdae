package doctor

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"time"

	"warp/internal/cli/app"
	"warp/internal/turnstile"
)

// The levels of a finding.
const (
	fine    = "ok"
	Warning = "warning" // a night can run all the same
	Problem = "problem" // it cannot
)

// Finding is one line of the report.
type Finding struct {
	Part   string `json:"part"`
	Level  string `json:"level"` // ok, warning or problem
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
}

func ok(part, detail string) Finding           { return Finding{part, fine, detail, ""} }
func warning(part, detail, fix string) Finding { return Finding{part, Warning, detail, fix} }
func problem(part, detail, fix string) Finding { return Finding{part, Problem, detail, fix} }

// patience bounds each call to the outside.
const patience = 10 * time.Second

// check is one thing that a night needs, or that tells of damage.
type check struct {
	name string
	find func(exam) []Finding
	slow bool // it may take minutes: it is made last, alone, and not when time is short
}

// checks are all there are, in the order of the report.
var checks = []check{
	{"git", tools, false},
	{"identity", identity, false},
	{"agent", agents, false},
	{"sandbox", contained, false},
	{"level", level, false},
	{"tests", tests, true},
	{"tracker", tracked, false},
	{"remote", remote, false},
	{"bridge", bridge, false},
	{"hooks", hooks, false},
	{"permissions", permissions, false},
	{"settings", settings, false},
	{"disk", disk, false},
	{"store", store, false},
	{"state", state, false},
	{"telemetry", recorded, false},
	{"journal", journal, false},
	{"locks", locks, false},
}

func names() (list []string) {
	for _, c := range checks {
		list = append(list, c.name)
	}
	return list
}

// exam is one check: the command's surroundings and the project looked at.
type exam struct {
	app   *app.App
	drive *turnstile.Drive
	ctx   context.Context
	quick bool
	tell  func(string) // progress
}

// Examine makes the named checks, all without names. Quick leaves out what may take
// minutes. Those that wait for the outside do so at the same time.
func Examine(ctx context.Context, a *app.App, d *turnstile.Drive, quick bool, only ...string) (all []Finding) {
	wanted := map[string]bool{}
	for _, name := range only {
		wanted[name] = true
	}
	found := make([][]Finding, len(checks))
	var others sync.WaitGroup
	var last []func()
	for i, c := range checks {
		if len(only) > 0 && !wanted[c.name] {
			continue
		}
		run := func() { found[i] = c.examine(ctx, a, d, quick) }
		if c.slow && !quick {
			last = append(last, run)
		} else {
			others.Go(run)
		}
	}
	others.Wait()
	for _, run := range last {
		run()
	}
	for _, list := range found {
		all = append(all, list...)
	}
	return all
}

// examine makes a check. What the code that it calls would print becomes a finding.
func (c check) examine(ctx context.Context, a *app.App, d *turnstile.Drive, quick bool) []Finding {
	var said bytes.Buffer
	quiet := *a
	quiet.Err = &said
	list := c.find(exam{&quiet, turnstile.Open(d.Root(), a.Env), ctx, quick, func(text string) { a.Note("%s", text) }})
	for line := range strings.Lines(said.String()) {
		list = append(list, warning(c.name, strings.TrimPrefix(strings.TrimSpace(line), "warp: "), ""))
	}
	return list
}
