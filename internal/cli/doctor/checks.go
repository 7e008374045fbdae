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
	Warning = "warning" // a night can run anyway
	Problem = "problem" // a night cannot run
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

// callTimeout bounds each external call.
const callTimeout = 10 * time.Second

// check is one requirement of a night, or a sign of damage.
type check struct {
	name string
	find func(exam) []Finding
	slow bool // may take minutes: runs last, alone, and not with --quick
}

// checks are all checks, in the order of the report.
var checks = []check{
	{"git", tools, false},
	{"identity", identity, false},
	{"agent", agents, false},
	{"sandbox", checkSandbox, false},
	{"level", level, false},
	{"tests", tests, true},
	{"tracker", checkTracker, false},
	{"remote", remote, false},
	{"bridge", bridge, false},
	{"hooks", hooks, false},
	{"permissions", permissions, false},
	{"settings", settings, false},
	{"disk", disk, false},
	{"store", store, false},
	{"state", state, false},
	{"telemetry", checkRecords, false},
	{"journal", journal, false},
	{"locks", locks, false},
}

func names() (list []string) {
	for _, c := range checks {
		list = append(list, c.name)
	}
	return list
}

// exam is the input of a check: the command's environment and the project.
type exam struct {
	app   *app.App
	drive *turnstile.Drive
	ctx   context.Context
	quick bool
	tell  func(string) // prints progress
}

// Examine runs the named checks, or all. quick skips those that may take minutes. Checks that
// wait for something external run concurrently.
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

// examine runs a check. What the code it calls prints becomes a finding.
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
