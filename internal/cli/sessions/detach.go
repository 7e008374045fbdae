package sessions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"warp/internal/cli/app"
	"warp/internal/cli/background"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
)

// detach starts the session in a separate process, which survives the terminal, and returns once it
// runs. It reports whether it is still running: one that ended at once cannot be watched.
func detach(a *app.App, d *turnstile.Drive, name string, def Definition, o Options) (runs bool, err error) {
	if held, err := lease(d, name); err != nil {
		return false, err
	} else if held != nil && !held.Stale(app.Hostname(), proc.Started, a.Env.Now()) {
		return false, held.Locked(a.Env.Now())
	}
	if err := os.MkdirAll(filepath.Dir(folderOf(d, name)), 0o755); err != nil {
		return false, err
	}
	def.assignCopies()
	job, err := json.Marshal(detachedJob{Name: name, Definition: def, Text: def.Text, Texts: def.texts, Reset: def.Reset, Options: o, Batch: o.batch})
	if err != nil {
		return false, err
	}
	file, out := jobFile(d, name), outFile(d, name)
	if err := durable.WriteNote(file, job); err != nil {
		return false, err
	}
	p := background.Process{What: "the session " + name, Line: []string{"sessions", "serve", file}, Out: out}
	if o.UI {
		before, _ := durable.ReadPlain(stateFile(d, name)) // empty for the first session of this name
		p.Shown = func(pid int) bool {
			held, err := lease(d, name)
			now, gone := durable.ReadPlain(stateFile(d, name))
			return err == nil && gone == nil && held != nil && held.PID == pid && !bytes.Equal(before, now)
		}
	}
	pid, err := p.Start(a, d)
	if err != nil || pid == 0 {
		return false, err
	}
	a.Printf("%s runs in the background (process %d); warp watch %s shows it, warp sessions tail %s follows it, warp sessions stop %s ends it\n", name, pid, name, name, name)
	return true, nil
}

// jobFile is the input of the detached process, outFile its output.
func jobFile(d *turnstile.Drive, name string) string { return hiddenFile(d, name, "job") }
func outFile(d *turnstile.Drive, name string) string { return hiddenFile(d, name, "out") }

func hiddenFile(d *turnstile.Drive, name, what string) string {
	return filepath.Join(filepath.Dir(folderOf(d, name)), "."+name+"."+what)
}

func stateFile(d *turnstile.Drive, name string) string {
	return filepath.Join(d.Store().Dir(), filepath.FromSlash(sessionstate.File(name)))
}

// detachedJob is the input of a detached process.
type detachedJob struct {
	Name       string            `json:"name"`
	Definition Definition        `json:"definition"`
	Text       []byte            `json:"text,omitempty"`
	Texts      map[string][]byte `json:"texts,omitempty"`
	Reset      bool              `json:"reset,omitempty"`
	Options    Options           `json:"options,omitzero"`
	Batch      batch             `json:"batch,omitzero"`
}

func readJob(file string) (h detachedJob, err error) {
	text, err := durable.ReadPlain(file)
	if err == nil {
		err = json.Unmarshal(text, &h)
	}
	if err != nil {
		return h, fmt.Errorf("reading what to run: %w", err)
	}
	h.Definition.Text, h.Definition.texts, h.Definition.Reset = h.Text, h.Texts, h.Reset
	return h, durable.RemoveFile(file)
}
