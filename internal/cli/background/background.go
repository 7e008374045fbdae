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
	"warp/internal/engine/watchers"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// begunWithin is how long it has to give its first sign of life.
const begunWithin = 30 * time.Second

// flags are those that lead here: the process in the background goes without them.
var flags = []string{"--detach", "--ui"}

// Job is what runs in the background.
type Job struct {
	Name  string // night, workflow
	Hint  string // which commands show it and end it
	UI    bool   // this process becomes warp watch
	Watch string // what that begins with
}

// Run runs the command line of this process in the background, says so when that has printed
// something, and shows it where that is wanted.
func Run(a *app.App, d *turnstile.Drive, j Job) error {
	out := filepath.Join(d.Store().Dir(), "state", j.Name+".out")
	// One that runs already keeps writing its own, and has it back when this one is refused.
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

// inForeground is a command line without what leads here: --detach=1 once began one process
// after the other.
func inForeground(line []string) []string {
	return slices.DeleteFunc(slices.Clone(line), func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return slices.Contains(flags, name)
	})
}

// AwaitSign waits for the first sign of life of a process in the background; false: it ended
// before it gave one.
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
