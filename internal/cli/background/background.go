// Package background runs a warp command line again in a detached process, which survives the
// terminal, and shows it with warp watch.
package background

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/drivestate"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/inbox"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// settleTime is how long a new process may take to fail before it counts as running.
const settleTime = 10 * time.Second

// flags are removed from the command line of the background process.
var flags = []string{"--detach", "--ui"}

// Job is what runs in the background.
type Job struct {
	Name  string // night, workflow
	Hint  string // the commands that show it and end it
	UI    bool   // this process becomes warp watch
	Watch string // what warp watch shows first
}

// Run runs this command line again in the background, reports once that process works, and with
// --ui becomes warp watch.
func Run(a *app.App, d *turnstile.Drive, j Job) error {
	out := filepath.Join(d.Store().Dir(), "state", j.Name+".out")
	p := Process{What: "the " + j.Name, Line: inForeground(a.Line), Out: nameOutput(out, a.Env.PID)}
	if j.UI {
		// Output proves nothing: it may be the reason for a refusal.
		p.Shown = func(pid int) bool { return hasLease(a, d, pid) }
	}
	pid, err := p.Start(a, d)
	if err != nil || pid == 0 {
		return errors.Join(err, durable.RemoveFile(p.Out))
	}
	out = keepOutput(p.Out, out)
	a.Printf("The %s runs in the background (process %d). Watch it: warp watch. %s\nIts output: %s\n", j.Name, pid, j.Hint, out)
	if !j.UI {
		return nil
	}
	return Watch(a, j.Watch)
}

// Process is a warp without a terminal.
type Process struct {
	What string   // the workflow
	Line []string // its command line
	Out  string   // the file for its output
	// Shown, if set, reports whether warp watch can show the process, which is enough for --ui.
	Shown func(pid int) bool
}

// Start starts the process. It returns once an agent works for it, or after settleTime. If the
// process ends sooner, Start prints its output, the error has its exit code, and pid is 0 (a
// workflow that paused at once was once reported as running).
func (p Process) Start(a *app.App, d *turnstile.Drive) (pid int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	pid, gone, err := proc.Detach(append([]string{self}, p.Line...), a.Dir, p.Out, a.DetachedEnviron())
	if err != nil {
		return 0, fmt.Errorf("starting %s in the background: %w", p.What, err)
	}
	code, ended := awaitEnd(gone, time.After(settleTime), func() bool {
		return hasAgent(a, d, pid) || p.Shown != nil && p.Shown(pid)
	})
	if !ended {
		return pid, nil
	}
	if code == app.Done {
		a.Printf("%s", printed(p.Out))
		return 0, nil
	}
	a.Note("%s ended at once (exit code %d):", p.What, code)
	fmt.Fprintf(a.Err, "%s", printed(p.Out))
	return 0, &app.Silent{Code: code}
}

// awaitEnd waits until a process ends, works, or late fires.
func awaitEnd(gone <-chan int, late <-chan time.Time, works func() bool) (code int, ended bool) {
	for {
		select {
		case code := <-gone:
			return code, true
		case <-late:
			return 0, false
		case <-time.After(10 * time.Millisecond):
		}
		if works() {
			return 0, false
		}
	}
}

// hasAgent reports whether an agent works for a process, here or in the work tree of a drive.
func hasAgent(a *app.App, d *turnstile.Drive, pid int) bool {
	return slices.ContainsFunc(listStores(a, d), func(s *durable.Store) bool {
		list, _ := agent.Running(s) // an unreadable list counts as no agent
		return slices.ContainsFunc(list, func(l agent.Left) bool { return l.Parent == pid })
	})
}

// hasLease reports whether a process drives an issue or a workflow, here or in the work tree of a
// drive.
func hasLease(a *app.App, d *turnstile.Drive, pid int) bool {
	return slices.ContainsFunc(listStores(a, d), func(s *durable.Store) bool {
		list, _ := s.Leases() // an unreadable list counts as no engine
		host := app.Hostname()
		return slices.ContainsFunc(list, func(l durable.LeaseFile) bool {
			return l.PID == pid && cmp.Or(l.Host, host) == host && !l.Stale(host, a.Env.Started, a.Env.Now()) && (l.Session == drivestate.Lease || l.Session == workflowstate.Lease)
		})
	})
}

// listStores returns the stores of a project and of the drives in its other work trees.
func listStores(a *app.App, d *turnstile.Drive) []*durable.Store {
	stores := []*durable.Store{d.Store()}
	for _, o := range app.FindOtherDrives(d, a.Env) {
		stores = append(stores, o.Store())
	}
	return stores
}

func printed(out string) string {
	said, _ := durable.ReadPlain(out) // a missing file means no output
	return render.Printable(string(said))
}

// inForeground removes the flags that start a background process: a leftover --detach=1 once
// started one process after another.
func inForeground(line []string) []string {
	return slices.DeleteFunc(slices.Clone(line), func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.Contains(flags, name)
	})
}

// CheckFlags refuses flags that make no sense in the background.
func CheckFlags(inBackground, json, dryRun bool) error {
	switch {
	case inBackground && json:
		return app.WrongUsage("--detach and --ui print no events, so they take no --json")
	case inBackground && dryRun:
		return app.WrongUsage("--dry-run starts nothing, so it takes neither --detach nor --ui")
	}
	return nil
}

// BeginUI prepares for --ui, and refuses it without a terminal. From now on work waits for
// answers, because this process becomes warp watch.
func BeginUI(a *app.App, d *turnstile.Drive, ui bool) error {
	if !ui {
		return nil
	}
	if !a.Terminal {
		return app.WrongUsage("--ui needs a terminal; --detach continues in the background, and warp watch shows it later")
	}
	_, err := inbox.JoinWatchers(d.Project.Home().Dir()) // counts as long as the process lives
	return err
}

// Watch turns this process into warp watch; name is what to show first.
func Watch(a *app.App, name string) error {
	line := []string{"watch"}
	if name != "" {
		line = append(line, "--", name)
	}
	return a.BecomeUI(line)
}
