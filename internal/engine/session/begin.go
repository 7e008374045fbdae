package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"warp/internal/core/session"
	"warp/internal/core/session/progress"
	"warp/internal/core/text"
	"warp/internal/durable"
)

// begin makes the session's document, or resumes it. A session that has
// ended makes room for the next of its name, and is kept.
func (r *run) begin(ctx context.Context) error {
	v, err := r.doc.Doc.Read()
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
	if v.Doc.Status != session.Running { // it may have been killed before it left its branch
		if err := r.leaveBranch(ctx, v.Doc); err != nil {
			return err
		}
	}
	if !r.Goes && v.Doc.Status != session.Running {
		if err := r.nothing(ctx); err != nil {
			return err
		}
		if err := r.setAside(v.Doc); err != nil {
			return err
		}
		return r.create(ctx)
	}
	r.doc.Set(v.Doc)
	if r.Loop != (len(v.Doc.Stages) == 0) || !r.Loop && !same(v.Doc.Stages, r.units) {
		return fmt.Errorf("the session %s was begun with other stages than its definition has now; warp sessions rm %s removes it", r.Name, r.Name)
	}
	if err := r.doc.Update("resumed", func(s *session.State) error {
		if s.Status == session.Running && s.Paused == nil {
			return nil
		}
		return s.Resume()
	}); err != nil {
		return err
	}
	if err := r.keep(r.Files, r.Goes && !r.Anew); err != nil {
		return err
	}
	r.count()
	r.tell(Note{Kind: Began, Text: "resuming"})
	return nil
}

func same(was []session.Stage, units []unit) bool {
	return slices.EqualFunc(was, described(units), func(a, b session.Stage) bool { return a.Name == b.Name && a.Loop == b.Loop })
}

// count finds out how often items were tried before.
func (r *run) count() {
	for _, row := range r.doc.Now().History {
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
	ru, err := r.rules(0)
	if err != nil || ru.queue == nil {
		return err
	}
	ready, held, err := ru.queue.Ready(ctx)
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
	if err := r.nameBranch(s); err != nil {
		return err
	}
	if err := os.MkdirAll(r.path(session.Dir(r.Name)), 0o755); err != nil {
		return fmt.Errorf("making the session's folder: %w", err)
	}
	if err := r.dismissAll(ctx); err != nil {
		return err
	}
	if err := r.disown(); err != nil {
		return err
	}
	if err := r.keep(r.Files, false); err != nil {
		return err
	}
	if err := r.write(session.ProgressFile(r.Name), []byte(progress.New(r.Name, r.verify))); err != nil {
		return err
	}
	r.doc.Set(s)
	if err := r.doc.Update("session_began", func(*session.State) error { return nil }); err != nil {
		return err
	}
	r.tell(Note{Kind: Began})
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
	return text.Prefix(name, 50) + "." + string(digits)
}
