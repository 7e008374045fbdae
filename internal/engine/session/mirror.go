package session

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"warp/internal/core/session"
	"warp/internal/durable"
	"warp/internal/engine/place"
)

// An agent in a work tree of its own reads the session's files there, under the same
// names: what is outside of its folder an agent may not be allowed to read, or not see.

// mostMirrored bounds a file that is copied for agents.
const mostMirrored = 1 << 20

// mirror copies what agents read of a session, its progress and its stages' outputs, to a
// work tree of its own.
func (r *run) mirror(dir string) error {
	if !r.isOwn(dir) {
		return nil
	}
	from := r.files.path(session.Dir(r.Name))
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || filepath.Ext(path) != ".md" || strings.HasSuffix(path, ".full.md") {
			return err
		}
		text, err := durable.ReadPlain(path)
		if err != nil || len(text) > mostMirrored {
			return err
		}
		to := filepath.Join(dir, r.fromRoot(path))
		if was, err := durable.ReadPlain(to); err == nil && bytes.Equal(was, text) {
			return nil
		}
		return errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.WriteFile(to, text, 0o644))
	})
}

// isOwn tells whether a folder is in a work tree of the session's own.
func (r *run) isOwn(dir string) bool {
	rel, err := filepath.Rel(filepath.Join(r.Root, filepath.FromSlash(place.Folder)), dir)
	return err == nil && filepath.IsLocal(rel)
}

// fromRoot is a path from the project's folder.
func (r *run) fromRoot(path string) string {
	rel, err := filepath.Rel(r.Root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return rel
}

// shown is a file of the session as an agent that works in a folder finds it.
func (r *run) shown(dir, path string) string {
	if r.isOwn(dir) {
		return r.fromRoot(path)
	}
	return within(dir, path)
}
