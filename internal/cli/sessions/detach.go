package sessions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// begunWithin is how long a detached session has to give its first sign of life.
const begunWithin = 30 * time.Second

// detach starts the session in a separate process, which no terminal's end
// ends, and returns when it runs.
func detach(a *app.App, d *turnstile.Drive, name string, def Definition, o Options) error {
	if held, err := lease(d, name); err != nil {
		return err
	} else if held != nil && !held.Stale(hostname(), proc.Started, a.Env.Now()) {
		return &durable.LockedError{What: fmt.Sprintf("the session %q", name), PID: held.PID, Age: held.Age(a.Env.Now())}
	}
	dir := filepath.Join(d.Store().Dir(), filepath.FromSlash(sessionstate.Folder))
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	def.keep()
	job, err := json.Marshal(handed{Name: name, Definition: def, Text: def.Text, Texts: def.texts, Reset: def.Reset, More: o.More, Goes: o.Goes, Force: o.Force, Retry: o.Retry, Batch: o.batch})
	if err != nil {
		return err
	}
	file, out := jobFile(d, name), outFile(d, name)
	if err := durable.WriteNote(file, job); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	before, _ := durable.ReadPlain(stateFile(d, name)) // none: it is the first of its name
	pid, gone, err := proc.Detach([]string{self, "sessions", "serve", file}, a.Dir, out, a.DetachedEnviron())
	if err != nil {
		return fmt.Errorf("starting the session in the background: %w", err)
	}
	late := time.After(begunWithin)
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for waits := true; waits; {
		select {
		case <-gone:
			waits = false
		case <-late:
			return fmt.Errorf("the session (process %d) does not respond; see %s", pid, out)
		case <-look.C:
			held, err := lease(d, name)
			if now, gone := durable.ReadPlain(stateFile(d, name)); err == nil && gone == nil && held != nil && held.PID == pid && !bytes.Equal(before, now) {
				a.Printf("%s runs in the background (process %d); warp watch %s shows it, warp sessions tail %s follows it, warp sessions stop %s ends it\n", name, pid, name, name, name)
				return nil
			}
		}
	}
	after, _ := durable.ReadPlain(stateFile(d, name))
	if v, err := open(d, name).Read(); err == nil && v.Doc.Status != sessionstate.Running && !bytes.Equal(before, after) {
		a.Printf("%s\n", endLine(v.Doc))
		return exitError(v.Doc, nil, false)
	}
	text, _ := durable.ReadPlain(out)
	return fmt.Errorf("the session did not start: %s", lastPart(string(text)))
}

// jobFile is what a detached process is given, outFile what it prints.
func jobFile(d *turnstile.Drive, name string) string { return hidden(d, name, "job") }
func outFile(d *turnstile.Drive, name string) string { return hidden(d, name, "out") }

func hidden(d *turnstile.Drive, name, what string) string {
	return filepath.Join(d.Store().Dir(), filepath.FromSlash(sessionstate.Folder), "."+name+"."+what)
}

func stateFile(d *turnstile.Drive, name string) string {
	return filepath.Join(d.Store().Dir(), filepath.FromSlash(sessionstate.File(name)))
}

// handed is what a detached process is given.
type handed struct {
	Name       string            `json:"name"`
	Definition Definition        `json:"definition"`
	Text       []byte            `json:"text,omitempty"`
	Texts      map[string][]byte `json:"texts,omitempty"`
	Reset      bool              `json:"reset,omitempty"`
	More       int               `json:"more,omitempty"`
	Goes       bool              `json:"goes,omitempty"`
	Retry      bool              `json:"retry,omitempty"`
	Force      bool              `json:"force,omitempty"`
	Batch      batch             `json:"batch,omitzero"`
}

func read(file string) (h handed, err error) {
	text, err := durable.ReadPlain(file)
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	if err != nil {
		return h, fmt.Errorf("reading what to run: %w", err)
	}
	h.Definition.Text, h.Definition.texts, h.Definition.Reset = h.Text, h.Texts, h.Reset
	return h, errors.Join(durable.RemoveFile(file))
}
