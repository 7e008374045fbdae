package clean

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"warp/internal/core/session"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

// sessions finds loops and pipelines that ended some time ago. One that did not
// end is there to be gone on with.
func (f *finder) sessions(d *turnstile.Drive, age time.Duration) error {
	dir := filepath.Join(d.Store().Dir(), filepath.FromSlash(session.Folder))
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() || session.CheckName(name) != nil {
			continue
		}
		kind := durable.Kind[session.State]{Name: session.Name(name), Version: session.Version, Validate: session.Validate, Alone: session.EngineAt}
		doc := durable.Open(d.Store(), session.File(name), kind)
		v, err := doc.Read()
		if err != nil {
			f.keep("session", name, "its state cannot be read: %v", err)
			continue
		}
		if v.Doc.Status == session.Running || v.Doc.CompletedAt == nil {
			f.keep("session", name, "it has not ended: warp sessions resume %s goes on with it", name)
			continue
		}
		ended, err := time.Parse(time.RFC3339, *v.Doc.CompletedAt)
		if err != nil || f.now.Sub(ended) < age {
			f.keep("session", name, "it ended %s", *v.Doc.CompletedAt)
			continue
		}
		f.remove("session", name, "it ended "+*v.Doc.CompletedAt, func(context.Context) error {
			return f.drop(d, doc, name, filepath.Join(dir, name))
		})
	}
	return err
}

// drop removes a session while holding its name, so that nobody begins it
// meanwhile.
func (f *finder) drop(d *turnstile.Drive, doc *durable.Doc[session.State], name, dir string) error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	stamp, _ := f.app.Env.Started(f.app.Env.PID)
	hold, _, err := d.Store().Acquire(name, durable.Process{PID: f.app.Env.PID, Stamp: stamp, Host: host}, f.app.Env.Started)
	if err != nil {
		return err
	}
	defer func() { _ = hold.Release() }()
	v, err := doc.Read()
	if err == nil && v.Doc.Status == session.Running {
		return fmt.Errorf("the session %s was begun again meanwhile", name)
	}
	if _, err := doc.Remove(); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}
