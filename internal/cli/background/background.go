// Package background runs a command line of warp's again in a process of its own, which no
// terminal's end ends, and shows it with warp watch.
package background

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/watchers"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// settleTime is how long it has to end at once, before it is said to run.
const settleTime = 10 * time.Second

// flags are those that lead here: the process in the background goes without them.
var flags = []string{"--detach", "--ui"}

// Job is what runs in the background.
type Job struct {
	Name  string // night, workflow
	Hint  string // which commands show it and end it
	UI    bool   // this process becomes warp watch
	Watch string // what that begins with
}

// Run runs the command line of this process in the background, says so when that works, and
// shows it where that is wanted.
func Run(a *app.App, d *turnstile.Drive, j Job) error {
	out := filepath.Join(d.Store().Dir(), "state", j.Name+".out")
	// One that runs already keeps writing its own, and has it back when this one is refused.
	before := out + ".before"
	moved := durable.MoveFile(out, before) == nil
	p := Process{What: "the " + j.Name, Line: inForeground(a.Line), Out: out}
	if j.UI {
		p.Shown = func(int) bool { return len(printed(out)) > 0 }
	}
	pid, err := p.Start(a, d)
	if (err != nil || pid == 0) && moved {
		err = errors.Join(err, durable.MoveFile(before, out))
	}
	if err != nil || pid == 0 {
		return err
	}
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
	// Shown tells whether warp watch can show it: that is enough for --ui. Else nil.
	Shown func(pid int) bool
}

// Start starts it, and returns when an agent of its works, or when it has not ended for a
// while. One that ends sooner does not run in the background (a workflow that paused at once
// was said to): its output is shown here, its exit code is the error's, and pid is 0.
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

// awaitEnd waits for the end of a process until it works, or for as long as it may take.
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

// hasAgent tells whether an agent works for a process, here or in the work tree of a drive.
func hasAgent(a *app.App, d *turnstile.Drive, pid int) bool {
	stores := []*durable.Store{d.Store()}
	for _, o := range app.FindOtherDrives(d, a.Env) {
		stores = append(stores, o.Store())
	}
	return slices.ContainsFunc(stores, func(s *durable.Store) bool {
		list, _ := agent.Running(s) // what cannot be read shows no agent
		return slices.ContainsFunc(list, func(l agent.Left) bool { return l.Parent == pid })
	})
}

// printed is what a process has printed.
func printed(out string) string {
	said, _ := durable.ReadPlain(out) // none: it has printed nothing
	return render.Printable(string(said))
}

// inForeground is a command line without what leads here: --detach=1 once began one process
// after the other.
func inForeground(line []string) []string {
	return slices.DeleteFunc(slices.Clone(line), func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.Contains(flags, name)
	})
}

// CheckFlags refuses flags that mean nothing to work in the background.
func CheckFlags(inBackground, json, dryRun bool) error {
	switch {
	case inBackground && json:
		return app.WrongUsage("--detach and --ui print no events, so they take no --json")
	case inBackground && dryRun:
		return app.WrongUsage("--dry-run starts nothing, so it takes neither --detach nor --ui")
	}
	return nil
}

// BeginUI prepares for --ui, and refuses it where there is no terminal to show anything on.
// The work that begins now already waits for answers: the process that becomes warp watch
// is this one.
func BeginUI(a *app.App, d *turnstile.Drive, ui bool) error {
	if !ui {
		return nil
	}
	if !a.Terminal {
		return app.WrongUsage("--ui needs a terminal; --detach goes on in the background, and warp watch shows it later")
	}
	_, err := watchers.Join(d.Project.Home().Dir()) // it counts as long as the process lives
	return err
}

// Watch turns this process into warp watch; name is what to begin with.
func Watch(a *app.App, name string) error {
	line := []string{"watch"}
	if name != "" {
		line = append(line, "--", name)
	}
	return a.BecomeUI(line)
}
