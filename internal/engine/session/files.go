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

// folder is where a unit has its files, under the store's folder: a loop in the
// session's own.
func (f *files) folder(i int) string {
	if f.loop {
		return session.Dir(f.name)
	}
	return session.StageDir(f.name, i, f.units[i].name)
}

// in is the full path of a file of a unit.
func (f *files) in(i int, name string) string { return filepath.Join(f.path(f.folder(i)), name) }

// The files of a unit: what it leaves for others, what is known of the iteration
// that is under way, and what the checks said after the last one, for the next
// agent; an empty one says that they passed.
const (
	outputFile = "output.md"
	memoryFile = "iteration.json"
	failedFile = "failed.txt"
)

// progressFile is what each fresh agent of a unit reads, under the store's folder.
func (f *files) progressFile(i int) string {
	if f.loop {
		return session.ProgressFile(f.name)
	}
	return f.folder(i) + "/progress.md"
}

// forget keeps what is known of one iteration from being taken for the next one's.
func (f *files) forget(i int) { _ = os.Remove(f.in(i, memoryFile)) }

// failed is what the checks said after the last iteration; "": they passed.
func (f *files) failed(i int) string {
	said, _ := os.ReadFile(f.in(i, failedFile)) // where there is none, nothing failed
	return string(said)
}

// remember keeps what the checks said. The file is emptied and never removed: a
// file that is gone is what the guard of another run puts back.
func (f *files) remember(i int, said string) error {
	if f.failed(i) == said {
		return nil
	}
	return durable.Jot(f.in(i, failedFile), []byte(said))
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

// note adds a section to a progress file and keeps it bounded; what it has no
// room for goes to the full text beside it.
func (f *files) note(i int, file string, s progress.Section) error {
	return f.edit(file, func(was []byte) ([]byte, error) {
		if len(was) == 0 {
			title := f.name
			if file != session.ProgressFile(f.name) {
				title += " " + f.units[i].name
			}
			was = []byte(progress.New(title, f.verify))
		}
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
	})
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
				each, _ := filepath.Glob(f.in(k, "outputs/*.md"))
				list = append(list, each...)
			}
			if _, err := os.Stat(f.in(k, outputFile)); err == nil {
				list = append(list, f.in(k, outputFile))
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

// collect keeps a copy of the output of an iteration where another stage reads
// those of all.
func (f *files) collect(i, number int) error {
	for _, u := range f.units {
		for _, in := range u.stage.Inputs {
			if !in.All || in.From != f.units[i].name {
				continue
			}
			text, err := os.ReadFile(f.in(i, outputFile))
			if os.IsNotExist(err) {
				return nil
			}
			if err == nil {
				err = os.MkdirAll(f.in(i, "outputs"), 0o755)
			}
			if err != nil {
				return err
			}
			return os.WriteFile(f.in(i, fmt.Sprintf("outputs/%04d.md", number)), text, 0o644)
		}
	}
	return nil
}

// label begins the names under which the guard keeps what an iteration did.
func (f *files) label(i, number int) string {
	return fmt.Sprintf("session-%s-%s-%d", f.name, f.units[i].name, number)
}

// shown is the name of a unit for people; a loop has none.
func (f *files) shown(i int) string {
	if f.loop {
		return ""
	}
	return f.units[i].name
}
