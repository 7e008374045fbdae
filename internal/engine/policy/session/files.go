package session

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/pipeline"
	"warp/internal/core/sessionstate"
	"warp/internal/core/sessionstate/progressfile"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/lessons"
	"warp/internal/engine/step"
)

// files knows the paths of a session's files.
type files struct {
	store   *durable.Store
	name    string
	units   []unit
	verify  string
	learned *lessons.Store
}

// newFiles assigns a folder to each unit of a job; a loop gets the session's own.
func newFiles(e *Engine, j Job) *files {
	f := &files{store: e.Store, name: j.Name, units: expandUnits(j.Plan), verify: e.Checks.Verify, learned: lessons.Open(cmp.Or(e.Home, e.Store))}
	markApart(f.units)
	for i := range f.units {
		u := &f.units[i]
		u.index, u.session, u.folder, u.progress = i, j.Name, sessionstate.Dir(j.Name), sessionstate.ProgressFile(j.Name)
		if !j.Loop {
			u.shown, u.folder = u.name, sessionstate.StageDir(j.Name, i, u.name)
			u.progress = u.folder + "/progress.md"
		}
		u.dir = f.path(u.folder)
	}
	return f
}

// path returns the full path of a name in the store's folder.
func (f *files) path(name string) string {
	return filepath.Join(f.store.Dir(), filepath.FromSlash(name))
}

// write replaces a file in the store's folder, durably.
func (f *files) write(name string, text []byte) error {
	return f.edit(name, func([]byte) ([]byte, error) { return text, nil })
}

func (f *files) edit(name string, fn func([]byte) ([]byte, error)) error {
	return durable.RetryBusy(func() error {
		return f.store.EditFile(filepath.ToSlash(filepath.Join(filepath.Base(f.store.Dir()), name)), fn)
	})
}

// The files of a unit: its output, what is known of the present iteration, and the checks' output
// after the last one for the next agent; empty if they passed.
const (
	outputFile  = "output.md"
	contextFile = "context.json"
	statusFile  = "status.json" // only on the desk, like result.json
	resultFile  = "result.json"
	memoryFile  = "iteration.json"
	failedFile  = "failed.txt"
)

func (u unit) pathOf(name string) string { return filepath.Join(u.dir, name) }

// memory opens what is known of an unrecorded iteration.
func (u unit) memory(store *durable.Store, number int) (*step.Memory, error) {
	m, _, err := step.Remember(store, u.pathOf(memoryFile), fmt.Sprintf("%s %s %d", u.session, u.name, number))
	return m, err
}

// dropMemory keeps the next iteration from using this one's memory.
func (u unit) dropMemory() { _ = durable.RemoveFile(u.pathOf(memoryFile)) }

// lastFailure returns the checks' output after the last iteration; "" if they passed.
func (u unit) lastFailure() string {
	said, _ := durable.ReadPlain(u.pathOf(failedFile)) // without the file nothing failed
	return string(said)
}

// saveFailure saves the checks' output. The file is emptied, never removed: the guard of another
// run would restore a missing file.
func (u unit) saveFailure(said string) error {
	if u.lastFailure() == said {
		return nil
	}
	return durable.WriteNote(u.pathOf(failedFile), []byte(said))
}

// label prefixes the names under which the guard keeps what an iteration did.
func (u unit) label(number int) string {
	return fmt.Sprintf("session-%s-%s-%d", u.session, u.name, number)
}

// saveDefinition saves the session's definition: all of it, or only what is missing.
func (f *files) saveDefinition(list map[string][]byte, missing bool) error {
	for name, text := range list {
		file := filepath.Join(sessionstate.Dir(f.name), name)
		if _, err := os.Lstat(f.path(file)); missing && err == nil {
			continue
		}
		if err := f.write(file, text); err != nil {
			return err
		}
	}
	return nil
}

// restoreDefinition restores the parts of the session's definition that an agent removed or
// changed, because a resume needs them. It returns the changed ones.
func (f *files) restoreDefinition(list map[string][]byte) (changed []string, err error) {
	for _, name := range slices.Sorted(maps.Keys(list)) {
		file := filepath.Join(sessionstate.Dir(f.name), name)
		have, err := durable.ReadPlain(f.path(file))
		if err == nil && bytes.Equal(have, list[name]) {
			continue
		}
		if err == nil {
			changed = append(changed, name)
		}
		if err := f.write(file, list[name]); err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// Limits in bytes of the progress file, which every agent reads, and of its lessons.
const (
	mostProgress = 16 << 10
	mostPatterns = 4 << 10
	// mostArchive is the size from which an archive of old progress is closed and a new one begun:
	// before each run the guard copies what changed, and an archive of 10,000 iterations cost more
	// than all else.
	mostArchive = 128 << 10
)

// appendProgress adds a section to a progress file and keeps it bounded; what has no room moves to
// the full text next to it.
func (f *files) appendProgress(u unit, file string, s progressfile.Section) error {
	return f.edit(file, func(was []byte) ([]byte, error) {
		text := f.withPatterns(progressfile.Add(f.progressText(u, file, string(was)), s), nil)
		text, dropped := progressfile.Condense(text, mostProgress)
		if dropped == "" {
			return []byte(text), nil
		}
		if err := archive(f.path(strings.TrimSuffix(file, ".md")), dropped); err != nil {
			return nil, fmt.Errorf("archiving the oldest part of the progress file: %w", err)
		}
		return []byte(text), nil
	})
}

// archive appends to the newest archive of a progress file, named without its extension. Full
// archives are numbered.
func archive(progress, dropped string) error {
	newest := progress + sessionstate.ArchiveEnding
	if info, err := os.Lstat(newest); err == nil && info.Size() > mostArchive {
		full := ""
		for n := 1; err == nil; n++ {
			full = fmt.Sprintf("%s.%d%s", progress, n, sessionstate.ArchiveEnding)
			_, err = os.Lstat(full)
		}
		if err := durable.MoveFile(newest, full); err != nil {
			return err
		}
	}
	return durable.AppendNote(newest, []byte(dropped), 0, 0o644)
}

// inputs returns the files a stage is to read, one per line.
func (f *files) inputs(reader unit, shown func(path string) string, initial []string) string {
	var list []string
	for _, in := range reader.stage.Inputs {
		list = append(list, f.outputs(in, initial)...)
	}
	if len(list) == 0 {
		return "(none)"
	}
	for k := range list {
		list[k] = "- " + shown(list[k])
	}
	return strings.Join(list, "\n")
}

// outputs returns the files of one input: the session's initial files, or a unit's output.
func (f *files) outputs(in pipeline.Input, initial []string) (list []string) {
	if in.Initial {
		return initial
	}
	for _, u := range f.units {
		if u.name != in.From {
			continue
		}
		if in.All {
			list = u.savedOutputs()
		}
		if _, err := os.Stat(u.pathOf(outputFile)); err == nil {
			list = append(list, u.pathOf(outputFile))
		}
	}
	return list
}

// savedOutputs returns the saved outputs of a unit's iterations.
func (u unit) savedOutputs() []string {
	each, _ := filepath.Glob(filepath.Join(u.dir, "outputs", "*.md")) // the pattern is well-formed
	return each
}

// needsAllOutputs reports whether a stage reads the outputs of all of a unit's iterations.
func (f *files) needsAllOutputs(u unit) bool {
	return text.UsesVariable(u.stage.Prompt, "CTX") || slices.ContainsFunc(f.units, func(reader unit) bool {
		return slices.ContainsFunc(reader.stage.Inputs, func(in pipeline.Input) bool { return in.All && in.From == u.name })
	})
}

// saveOutput saves a copy of an iteration's output if a stage reads those of all iterations.
func (f *files) saveOutput(u unit, number int) error {
	if !f.needsAllOutputs(u) {
		return nil
	}
	text, err := durable.ReadPlain(u.pathOf(outputFile))
	if os.IsNotExist(err) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(u.pathOf("outputs"), 0o755)
	}
	if err != nil {
		return err
	}
	return durable.WriteFile(u.pathOf(fmt.Sprintf("outputs/%04d.md", number)), text, 0o644)
}
