package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"warp/internal/core/session"
	"warp/internal/core/session/progress"
	"warp/internal/durable"
)

// ErrOver says that a session has ended and is not gone on with unless somebody
// says so.
var ErrOver = errors.New("the session has ended")

// begin makes the session's document, or goes on with it. A session that has
// ended makes room for the next of its name, and is kept.
func (r *run) begin(ctx context.Context) error {
	v, err := r.doc.Read()
	switch {
	case durable.IsMissing(err):
		if r.Goes {
			return fmt.Errorf("there is no session %s", r.Name)
		}
		return r.create(ctx)
	case err != nil:
		return err
	}
	for _, n := range v.Notes {
		r.remark("%s", n)
	}
	r.state = v.Doc
	if !r.Goes && v.Doc.Status != session.Running {
		r.state = nil
		if err := r.nothing(ctx); err != nil {
			return err
		}
		if err := r.setAside(v.Doc); err != nil {
			return err
		}
		return r.create(ctx)
	}
	if r.Loop != (len(v.Doc.Stages) == 0) || !r.Loop && !r.same(v.Doc.Stages) {
		return fmt.Errorf("the session %s was begun with other stages than its definition has now; warp sessions rm %s takes it away", r.Name, r.Name)
	}
	if err := r.update("resumed", func(s *session.State) error {
		if s.Status == session.Running && s.Paused == nil {
			return nil
		}
		return s.Resume()
	}); err != nil {
		return err
	}
	if err := r.keepFiles(r.Goes); err != nil {
		return err
	}
	r.count()
	r.passed("resumed")
	r.tell(Note{Kind: Began, Text: "it is gone on with"})
	return nil
}

func (r *run) same(was []session.Stage) bool {
	return slices.EqualFunc(was, described(r.units), func(a, b session.Stage) bool { return a.Name == b.Name && a.Loop == b.Loop })
}

// count finds out how often items were tried before.
func (r *run) count() {
	for _, row := range r.state.History {
		if row.Item != "" && !slices.Contains(row.Items, row.Item) {
			r.tried[row.Item]++
		}
	}
}

// nothing looks whether a loop over a queue has anything to do: a session is not
// begun for nothing.
func (r *run) nothing(ctx context.Context) error {
	if !r.Loop {
		return nil
	}
	until, _, err := r.rules(0)
	if err != nil || until.Kind != session.Queue {
		return err
	}
	q, err := r.Engine.Queue(until)
	if err != nil {
		return err
	}
	ready, held, err := q.Ready(ctx)
	if err == nil && len(ready) == 0 {
		err = &NothingError{left(0, held)}
	}
	return err
}

func (r *run) create(ctx context.Context) error {
	if err := r.nothing(ctx); err != nil {
		return err
	}
	b := session.Beginning{Session: r.Name}
	if !r.Loop {
		b.Pipeline, b.Stages = r.Plan.Name, described(r.units)
	}
	s, err := session.Begin(b, r.Now())
	if err != nil {
		return err
	}
	if err := os.MkdirAll(r.path(session.Dir(r.Name)), 0o755); err != nil {
		return fmt.Errorf("making the session's folder: %w", err)
	}
	if err := r.clear(ctx); err != nil {
		return err
	}
	if err := r.keepFiles(false); err != nil {
		return err
	}
	if err := r.write(session.ProgressFile(r.Name), []byte(progress.New(r.Name, r.Engine.Verify))); err != nil {
		return err
	}
	r.state = s
	if err := r.update("began", func(*session.State) error { return nil }); err != nil {
		return err
	}
	r.passed("session_began")
	r.tell(Note{Kind: Began})
	return nil
}

// settings are the files of a user's that no agent may take away.
var settings = []string{"settings.json", "settings.local.json"}

// putBack writes what an agent has removed of the session's files, and of the
// settings.
func (r *run) putBack() error {
	for name, text := range r.settings {
		if _, err := os.Lstat(r.path(name)); err == nil {
			continue
		}
		if err := r.write(name, text); err != nil {
			return err
		}
		r.remark("%s was removed while the session ran; it is there again", name)
	}
	return r.keepFiles(true)
}

// keepFiles keeps what the session was started with: all of it, or what is missing.
func (r *run) keepFiles(missing bool) error {
	for name, text := range r.Files {
		file := filepath.Join(session.Dir(r.Name), name)
		if _, err := os.Lstat(r.path(file)); missing && err == nil {
			continue
		}
		if err := r.write(file, text); err != nil {
			return err
		}
	}
	return nil
}

// setAside keeps the folder of a session that has ended under another name. Its
// document goes with it: one that is missing is forgotten.
func (r *run) setAside(s *session.State) error {
	when := s.StartedAt
	if s.CompletedAt != nil {
		when = *s.CompletedAt
	}
	old := aside(r.Name, when)
	for n := 2; ; n++ {
		if _, err := os.Lstat(r.path(session.Dir(old))); errors.Is(err, fs.ErrNotExist) {
			break
		}
		old = aside(r.Name, fmt.Sprintf("%s-%d", when, n))
	}
	if err := os.Rename(r.path(session.Dir(r.Name)), r.path(session.Dir(old))); err != nil {
		return fmt.Errorf("keeping the earlier session %s: %w", r.Name, err)
	}
	r.remark("the earlier session %s is kept as %s", r.Name, old)
	return nil
}

// aside is the name that an earlier session is kept under.
func aside(name, when string) string {
	var digits []byte
	for _, c := range []byte(when) {
		if c >= '0' && c <= '9' || c == 'T' || c == '-' {
			digits = append(digits, c)
		}
	}
	if len(name) > 50 {
		name = name[:50]
	}
	return name + "." + string(digits)
}

// path is the full path of something in the store's folder.
func (e *Engine) path(name string) string {
	return filepath.Join(e.Store.Dir(), filepath.FromSlash(name))
}

// write replaces a file in the store's folder, durably.
func (e *Engine) write(name string, text []byte) error {
	return e.edit(name, func([]byte) ([]byte, error) { return text, nil })
}

func (e *Engine) edit(name string, fn func([]byte) ([]byte, error)) error {
	return patiently(func() error {
		return e.Store.EditFile(filepath.ToSlash(filepath.Join(filepath.Base(e.Store.Dir()), name)), fn)
	})
}
