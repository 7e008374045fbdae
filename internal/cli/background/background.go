// Package background runs a warp command line again in a detached process, which survives the
// terminal, and shows it with warp watch.
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
	"warp/internal/engine/watchers"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// begunWithin is how long a process may take to show its first sign of life.
const begunWithin = 30 * time.Second

// flags are removed from the command line of the background process.
var flags = []string{"--detach", "--ui"}

// Job is what runs in the background.
type Job struct {
	Name  string // night, workflow
	Hint  string // the commands that show it and end it
	UI    bool   // this process becomes warp watch
	Watch string // what warp watch shows first
}

// Run runs this process's command line in the background, reports when it has printed something,
// and shows it if wanted.
func Run(a *app.App, d *turnstile.Drive, j Job) error {
	out := filepath.Join(d.Store().Dir(), "state", j.Name+".out")
	// A process that is already running keeps writing its file, which is moved back if this one
	// is refused.
	before := out + ".before"
	moved := durable.MoveFile(out, before) == nil
	pid, err := start(a, "the "+j.Name, out)
	if err != nil {
		if moved {
			err = errors.Join(err, durable.MoveFile(before, out))
		}
		return err
	}
	a.Printf("The %s runs in the background (process %d). Watch it: warp watch. %s\nIts output: %s\n", j.Name, pid, j.Hint, out)
	if !j.UI {
		return nil
	}
	return Watch(a, j.Watch)
}

func start(a *app.App, what, out string) (pid int, err error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	pid, gone, err := proc.Detach(append([]string{self}, inForeground(a.Line)...), a.Dir, out, a.DetachedEnviron())
	if err != nil {
		return 0, fmt.Errorf("starting %s in the background: %w", what, err)
	}
	begun, err := AwaitSign(what, pid, out, gone, func() bool {
		text, _ := durable.ReadPlain(out) // it appears with the first line
		return len(text) > 0
	})
	if err == nil && !begun {
		text, _ := durable.ReadPlain(out)
		err = fmt.Errorf("%s ended at once: %s", what, render.Printable(string(text)))
	}
	return pid, err
}

// inForeground removes the flags that lead here: --detach=1 once started one process after the
// other.
func inForeground(line []string) []string {
	return slices.DeleteFunc(slices.Clone(line), func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.Contains(flags, name)
	})
}

// AwaitSign waits for a background process's first sign of life; false if it ended before.
func AwaitSign(what string, pid int, out string, gone <-chan struct{}, alive func() bool) (begun bool, err error) {
	late := time.After(begunWithin)
	for {
		select {
		case <-gone:
			return false, nil
		case <-late:
			return false, fmt.Errorf("%s (process %d) does not respond; see %s", what, pid, out)
		case <-time.After(10 * time.Millisecond):
		}
		if alive() {
			return true, nil
		}
	}
}

// BeginUI prepares for --ui, and refuses it without a terminal. From now on work waits for
// answers, because this process becomes warp watch.
func BeginUI(a *app.App, d *turnstile.Drive, ui bool) error {
	if !ui {
		return nil
	}
	if !a.Terminal {
		return app.WrongUsage("--ui needs a terminal; --detach goes on in the background, and warp watch shows it later")
	}
	_, err := watchers.Join(d.Project.Home().Dir()) // counts as long as the process lives
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
