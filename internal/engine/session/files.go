package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/session"
	"warp/internal/core/session/progress"
	"warp/internal/durable"
	"warp/internal/engine/step"
)

// files are where a session keeps what is told of it.
type files struct {
	store  *durable.Store
	name   string
	loop   bool
	units  []unit
	verify string
}

// path is the full path of something in the store's folder.
func (f *files) path(name string) string {
	return filepath.Join(f.store.Dir(), filepath.FromSlash(name))
}

// write replaces a file in the store's folder, durably.
func (f *files) write(name string, text []byte) error {
	return f.edit(name, func([]byte) ([]byte, error) { return text, nil })
}

func (f *files) edit(name string, fn func([]byte) ([]byte, error)) error {
	return step.Patiently(func() error {
		return f.store.EditFile(filepath.ToSlash(filepath.Join(filepath.Base(f.store.Dir()), name)), fn)
	})
}

// folder is where a unit has its files: a loop in the session's own folder.
func (f *files) folder(i int) string {
	if f.loop {
		return f.path(session.Dir(f.name))
	}
	return f.path(session.StageDir(f.name, i, f.units[i].name))
}

// progressFile is what each fresh agent of a unit reads, under the store's folder.
func (f *files) progressFile(i int) string {
	if f.loop {
		return session.ProgressFile(f.name)
	}
	return filepath.ToSlash(filepath.Join(session.StageDir(f.name, i, f.units[i].name), "progress.md"))
}

func (f *files) outputFile(i int) string { return filepath.Join(f.folder(i), "output.md") }

// memoryFile is what is known of the iteration that is under way.
func (f *files) memoryFile(i int) string { return filepath.Join(f.folder(i), "iteration.json") }

func (f *files) forget(i int) { _ = os.Remove(f.memoryFile(i)) } // another iteration's is not taken for the next one's

// failedFile is what the checks said after the last iteration, for the next agent;
// an empty one says that they passed.
func (f *files) failedFile(i int) string { return filepath.Join(f.folder(i), "failed.txt") }

// failed is what the checks said after the last iteration; "": they passed.
func (f *files) failed(i int) string {
	said, _ := os.ReadFile(f.failedFile(i)) // where there is none, nothing failed
	return string(said)
}

// remember keeps what the checks said. The file is emptied and never removed: a
// file that is gone is what the guard of another run puts back.
func (f *files) remember(i int, said string) error {
	if f.failed(i) == said {
		return nil
	}
	return durable.Jot(f.failedFile(i), []byte(said))
}

// keep keeps what the session was started with: all of it, or what is missing.
func (f *files) keep(list map[string][]byte, missing bool) error {
	for name, text := range list {
		file := filepath.Join(session.Dir(f.name), name)
		if _, err := os.Lstat(f.path(file)); missing && err == nil {
			continue
		}
		if err := f.write(file, text); err != nil {
			return err
		}
	}
	return nil
}

// mostProgress bounds the progress file, which every agent reads.
const mostProgress = 16 << 10

// note adds a section to a progress file.
func (f *files) note(i int, file string, s progress.Section) error {
	return f.edit(file, func(was []byte) ([]byte, error) {
		if len(was) == 0 {
			was = []byte(progress.New(f.title(i, file), f.verify))
		}
		return f.added(file, was, s)
	})
}

func (f *files) title(i int, file string) string {
	if file == session.ProgressFile(f.name) {
		return f.name
	}
	return f.name + " " + f.units[i].name
}

// added adds a section to a progress file and keeps it bounded; what it has no
// room for goes to the full text beside it.
func (f *files) added(file string, was []byte, s progress.Section) ([]byte, error) {
	text, dropped := progress.Condense(progress.Add(string(was), s), mostProgress)
	if dropped == "" {
		return []byte(text), nil
	}
	full := f.path(strings.TrimSuffix(file, ".md") + ".full.md")
	out, err := os.OpenFile(full, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("keeping what the progress file has no room for: %w", err)
	}
	_, err = out.WriteString(dropped)
	if closing := out.Close(); err == nil {
		err = closing
	}
	return []byte(text), err
}

// inputs are the files that a stage is to read, one a line.
func (f *files) inputs(i int, dir string) string {
	var list []string
	for _, in := range f.units[i].stage.Inputs {
		for k, u := range f.units {
			if u.name != in.From {
				continue
			}
			if in.All {
				each, _ := filepath.Glob(filepath.Join(f.folder(k), "outputs", "*.md"))
				list = append(list, each...)
			}
			if _, err := os.Stat(f.outputFile(k)); err == nil {
				list = append(list, f.outputFile(k))
			}
		}
	}
	if len(list) == 0 {
		return "(none)"
	}
	for k := range list {
		list[k] = "- " + within(dir, list[k])
	}
	return strings.Join(list, "\n")
}

// wanted tells whether another stage reads the outputs of all iterations of this
// one.
func (f *files) wanted(i int) bool {
	for _, u := range f.units {
		for _, in := range u.stage.Inputs {
			if in.All && in.From == f.units[i].name {
				return true
			}
		}
	}
	return false
}

// label begins the names under which the guard keeps what an iteration did.
func (f *files) label(i, number int) string {
	return "session-" + f.name + "-" + f.units[i].name + "-" + itoa(number)
}

// shown is the name of a unit for people; a loop has none.
func (f *files) shown(i int) string {
	if f.loop {
		return ""
	}
	return f.units[i].name
}
