package clean

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/cli/sessions"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/place"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// sessions finds loops and pipelines that ended some time ago. One that did not
// end can be resumed.
func (f *finder) sessions(d *turnstile.Drive, age time.Duration) error {
	dir := filepath.Join(d.Store().Dir(), filepath.FromSlash(sessionstate.Folder))
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || sessionstate.CheckName(name) != nil {
			continue
		}
		kind := durable.Kind[sessionstate.State]{Name: sessionstate.Name(name), Version: sessionstate.Version, Validate: sessionstate.Validate, Alone: sessionstate.EngineAt}
		v, err := durable.Open(d.Store(), sessionstate.File(name), kind).Read()
		if durable.IsMissing(err) && isOfSession(d.Root()) {
			continue // copies that the session's agents read: they go with the work tree
		}
		if err != nil {
			f.keep("session", name, "its state cannot be read: %v", err)
			continue
		}
		if v.Doc.Status == sessionstate.Running || v.Doc.CompletedAt == nil {
			f.keep("session", name, "it has not ended: warp sessions resume %s continues it", name)
			continue
		}
		ended, err := time.Parse(time.RFC3339, *v.Doc.CompletedAt)
		if err != nil || f.now.Sub(ended) < age {
			f.keep("session", name, "it ended %s", render.Seconds(*v.Doc.CompletedAt))
			continue
		}
		f.remove("session", name, "it ended "+render.Seconds(*v.Doc.CompletedAt), func(ctx context.Context) error {
			return sessions.Remove(ctx, f.app, d, name, sessions.Removal{Ended: true})
		})
	}
	return err
}

// isOfSession reports whether a folder is in a work tree that a session has made.
func isOfSession(dir string) bool {
	return strings.Contains(filepath.ToSlash(dir), "/"+place.Folder+"/session-")
}
