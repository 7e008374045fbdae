package session

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/pipeline"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/place"
)

// An agent in a separate work tree reads the session's files there, under the same
// names: what is outside of its folder an agent may not be allowed to read, or not see.

// reading is what agents read of a session, and where.
type reading struct {
	root  string // the project's folder
	files *files
	plan  *pipeline.Pipeline
	task  string
}

// mostMirrored bounds a file that is copied for agents.
const mostMirrored = 4 << 20

// mirrorFiles copies what agents read of a session to a separate work tree: its progress, its
// stages' outputs and contexts, and the files that it was given to begin with.
func (r *reading) mirrorFiles(dir string) error {
	if !r.isOwn(dir) {
		return nil
	}
	root, err := os.OpenRoot(dir) // links that an agent has made lead nowhere else
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
		if err != nil || !e.Type().IsRegular() || strings.HasSuffix(path, ".full.md") || filepath.Ext(path) != ".md" && filepath.Base(path) != contextFile {
			return err
		}
		return copyInto(root, filepath.Join(dir, r.fromRoot(path)), path)
	})
}

// clearMirror removes the copies before a work tree is removed: a project with a
// .claude/.gitignore there does not hide them, and they would be taken for work.
func (r *reading) clearMirror(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return root.RemoveAll(filepath.Join(".claude", filepath.FromSlash(sessionstate.Dir(r.files.name))))
}

// copyInto copies a file into a work tree, unless the copy is there or the file is too
// large to be read.
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

// isOwn tells whether a folder is in a work tree of the session's own.
func (r *reading) isOwn(dir string) bool {
	rel, err := filepath.Rel(filepath.Join(r.root, filepath.FromSlash(place.Folder)), dir)
	return err == nil && filepath.IsLocal(rel)
}

// fromRoot is a path from the project's folder.
func (r *reading) fromRoot(path string) string {
	rel, err := filepath.Rel(r.root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}

// pathFor is the whole path of a file of the session for an agent that works in a folder.
func (r *reading) pathFor(dir, path string) string {
	if rel, err := filepath.Rel(r.files.path(sessionstate.Dir(r.files.name)), path); err == nil && filepath.IsLocal(rel) && r.isOwn(dir) {
		return filepath.Join(dir, r.fromRoot(path))
	}
	return path
}

// shownPath is the same path as prompts have it: from the agent's folder, when it is within.
func (r *reading) shownPath(dir, path string) string {
	return relativeWithin(dir, r.pathFor(dir, path))
}

// initial are the files that the session was given, as an agent finds them that works in
// a folder.
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

// planFor is the plan as an agent sees it that works in a folder.
func (r *reading) planFor(dir string) *pipeline.Pipeline {
	plan := *r.plan
	plan.Initial = r.initial(dir)
	return &plan
}

// initialFilesOf are the files that the stage of a unit is given to begin with.
func (r *reading) initialFilesOf(u unit, dir string) []string {
	return r.planFor(dir).InitialFilesFor(&u.stage)
}

// taskOf is the task of a unit.
func (r *reading) taskOf(u unit, dir string) string { return r.planFor(dir).Brief(&u.stage, r.task) }
