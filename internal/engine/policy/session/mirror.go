package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/pipeline"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/place"
)

// An agent in a separate work tree reads copies of the session's files there, under the same names:
// it may not be allowed to read, or even see, files outside its folder.

// reading knows what agents read of a session, and where.
type reading struct {
	root  string // the project's folder
	files *files
	plan  *pipeline.Pipeline
	task  string
}

// mostMirrored is the largest file, in bytes, that is copied for agents.
const mostMirrored = 4 << 20

// mirrorFiles copies what agents read of a session to a separate work tree: its progress, its
// stages' outputs and contexts, and its initial files.
func (r *reading) mirrorFiles(dir string) error {
	if !r.isOwn(dir) {
		return nil
	}
	root, err := os.OpenRoot(dir) // confines links that an agent made
	if err != nil {
		return err
	}
	defer root.Close()
	seen := r.initial(dir)
	for i, file := range r.plan.Initial {
		if err := copyInto(root, seen[i], file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return filepath.WalkDir(r.files.path(sessionstate.Dir(r.files.name)), func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || strings.HasSuffix(path, sessionstate.ArchiveEnding) || filepath.Ext(path) != ".md" && filepath.Base(path) != contextFile {
			return err
		}
		return copyInto(root, filepath.Join(dir, r.fromRoot(path)), path)
	})
}

// clearMirror removes the copies before a work tree is removed: in a project that tracks
// .claude/.gitignore they are not ignored, and would look like work.
func (r *reading) clearMirror(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(filepath.Join(".claude", filepath.FromSlash(sessionstate.Dir(r.files.name))))
}

// copyInto copies a file into a work tree, unless the copy is up to date or the file is too large.
func copyInto(root *os.Root, to, from string) error {
	text, err := durable.ReadPlain(from)
	if err != nil || len(text) > mostMirrored {
		return err
	}
	if was, err := durable.ReadPlain(to); err == nil && bytes.Equal(was, text) {
		return nil
	}
	rel, err := filepath.Rel(root.Name(), to)
	if err != nil {
		return err
	}
	return errors.Join(root.MkdirAll(filepath.Dir(rel), 0o755), root.WriteFile(rel, text, 0o644))
}

// isOwn reports whether a folder is in one of the session's own work trees.
func (r *reading) isOwn(dir string) bool {
	rel, err := filepath.Rel(filepath.Join(r.root, filepath.FromSlash(place.Folder)), dir)
	return err == nil && filepath.IsLocal(rel)
}

// fromRoot returns a path relative to the project's folder.
func (r *reading) fromRoot(path string) string {
	rel, err := filepath.Rel(r.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}

// pathFor returns the full path of a session's file for an agent that works in a folder.
func (r *reading) pathFor(dir, path string) string {
	if rel, err := filepath.Rel(r.files.path(sessionstate.Dir(r.files.name)), path); err == nil && filepath.IsLocal(rel) && r.isOwn(dir) {
		return filepath.Join(dir, r.fromRoot(path))
	}
	return path
}

// shownPath is pathFor as prompts show it: relative to the agent's folder if within it.
func (r *reading) shownPath(dir, path string) string {
	return relativeWithin(dir, r.pathFor(dir, path))
}

// initial returns the session's initial files as an agent in a folder finds them.
func (r *reading) initial(dir string) []string {
	if !r.isOwn(dir) {
		return r.plan.Initial
	}
	list := make([]string, len(r.plan.Initial))
	for i, file := range r.plan.Initial {
		list[i] = filepath.Join(dir, ".claude", filepath.FromSlash(sessionstate.Dir(r.files.name)), "inputs", fmt.Sprintf("%d-%s", i+1, filepath.Base(file)))
	}
	return list
}

// initialFilesOf returns the initial files for a unit: all of them, unless only others ask for them.
func (r *reading) initialFilesOf(u unit, dir string) []string {
	if slices.ContainsFunc(r.files.units, unit.readsInitialFiles) && !u.readsInitialFiles() {
		return nil
	}
	return r.initial(dir)
}

// taskOf returns the task for the agents of a unit, with the context and the initial files if
// nothing else mentions them.
func (r *reading) taskOf(u unit, dir string) string {
	task := r.task
	if u.stage.Context != "" && !text.UsesVariable(u.stage.Prompt, "CONTEXT") {
		task += "\n\nContext: " + u.stage.Context
	}
	if files := r.initial(dir); len(files) > 0 && !slices.ContainsFunc(r.files.units, unit.readsInitialFiles) {
		task += "\n\nRead these files first:\n- " + strings.Join(files, "\n- ")
	}
	return task
}

func (u unit) readsInitialFiles() bool {
	return slices.ContainsFunc(u.stage.Inputs, func(in pipeline.Input) bool { return in.Initial })
}
