package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"warp/internal/core/session"
	"warp/internal/core/session/progress"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/step"
)

// run is a session that is under way.
type run struct {
	Engine
	Job
	files  *files
	shield *shield
	purse  *purse
	lanes  *lanes // where it commits
	reads  *reading
	dir    string // where its agents work: the project's folder in its own work tree, or in the person's
	held   *held
	lease  *step.Lease
	doc    *step.Document[session.State]

	resumed bool // it had begun before

	mu      sync.Mutex
	stopped *step.StoppedError // why a person has to look
}

// Run takes a session to its end and returns it as it is then. The error says
// that it could not be taken there: a person stopped or paused it or has to look
// (*step.StoppedError), or something is wrong with the machine.
func (e *Engine) Run(ctx context.Context, j Job) (*session.State, error) {
	if err := session.CheckName(j.Name); err != nil {
		return nil, err
	}
	r := &run{Engine: *e, Job: j, dir: e.Root}
	r.Home = cmp.Or(e.Home, e.Store)
	if r.Passed == nil {
		r.Passed = func(string) {}
	}
	if r.Tell == nil {
		r.Tell = func(Note) {}
	}
	r.files = newFiles(e, j)
	r.lanes, r.reads = &lanes{run: r}, &reading{root: r.Root, files: r.files, plan: r.Plan, task: r.Task}
	if err := r.checkAgents(ctx); err != nil {
		return nil, err
	}
	lease, err := step.Acquire(ctx, e.Store, j.Name, e.Process, r.remark)
	if err != nil {
		return nil, err
	}
	defer lease.Release()
	r.lease = lease
	r.doc = &step.Document[session.State]{Doc: Open(e.Store, j.Name), Lease: lease, Remark: r.remark, Passed: r.Passed}
	r.purse = newPurse(e, j, r.doc)
	r.held = newHeld(r)
	r.held.returnOld(ctx)
	defer r.held.returnAll(ctx)
	if err := r.protect(ctx); err != nil {
		return nil, err
	}
	if err := r.begin(ctx); err != nil {
		return nil, err
	}
	r.doc.Alone = true
	free, err := r.lanes.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	if slices.ContainsFunc(r.files.units, func(u unit) bool { return u.judged(session.Until{}) }) {
		if _, err = r.shield.base(ctx, 0); err != nil { // what all stages are held against
			return nil, err
		}
	}
	return r.finish(ctx, r.stages(ctx))
}

// finish ends the session, as its stages and the error say.
func (r *run) finish(ctx context.Context, err error) (*session.State, error) {
	switch {
	case errors.Is(err, ErrPaused):
		return r.doc.Now(), err
	case ctx.Err() != nil:
		return r.lanes.stop(ctx)
	case err != nil:
		return r.doc.Now(), err
	}
	for _, u := range r.files.units {
		u.forget()
	}
	waits := ""
	if err == nil && !r.Loop && r.doc.Now().AllCompleted() {
		if waits, err = r.lanes.landSession(ctx); waits != "" {
			r.lanes.waitToLand(waits)
		}
		if err != nil && ctx.Err() != nil {
			return r.lanes.stop(ctx)
		}
	}
	if err == nil {
		s := r.doc.Now()
		complete := waits == "" && (s.AllCompleted() || s.Status == session.Complete)
		if err = r.lanes.own.leave(ctx, s, complete); err == nil && complete && r.files.units[0].member == nil {
			err = r.shield.dropBase(ctx, 0)
		}
	}
	if err == nil {
		err = r.doc.Update("session_ended", func(s *session.State) error {
			s.Left = true
			if waits != "" {
				return s.End(session.ReasonLanding, waits, r.Now())
			}
			return s.End("", "", r.Now())
		})
	}
	s := r.doc.Now()
	if err != nil {
		return s, err
	}
	r.shield.clear()
	r.tell(Note{Kind: Ended, Text: s.Why, Reason: *s.CompletionReason})
	if r.stopped != nil && s.Status != session.Complete { // else it was a branch that another one was chosen before
		return s, r.stopped
	}
	return s, nil
}

// stop leaves the session's work tree, and ends the session as a person has asked.
func (w *lanes) stop(ctx context.Context) (*session.State, error) {
	r := w.run
	left := w.own.leave(ctx, r.doc.Now(), false)
	ended := r.doc.Update("stopped", func(s *session.State) error {
		s.Left = true
		return s.End(session.ReasonStopped, "it was stopped", r.Now())
	})
	r.tell(Note{Kind: Ended, Reason: session.ReasonStopped})
	return r.doc.Now(), errors.Join(ctx.Err(), left, ended)
}

// Unmet tells whether a loop of the session had as many iterations as it may, and
// did not reach the end that its strategy wants.
func (j Job) Unmet(s *session.State) bool {
	for i, u := range expand(j.Plan) {
		st, err := s.Stage(i)
		until, bad := session.ParseUntil(u.stage.Until)
		if err == nil && bad == nil && u.gathers == nil && st.Reason == session.ReasonMaxIterations && until.Kind != session.Fixed {
			return true
		}
	}
	return false
}

// begin makes the session's document, or resumes it. A session that has
// ended makes room for the next of its name, and is kept.
func (r *run) begin(ctx context.Context) error {
	v, err := r.doc.Doc.Read()
	switch {
	case durable.IsMissing(err) && r.Goes:
		return fmt.Errorf("there is no session %s", r.Name)
	case durable.IsMissing(err):
		return r.create(ctx, nil)
	case err != nil:
		return err
	}
	for _, n := range v.Notes {
		r.remark("%s", n)
	}
	if v.Doc.Status == session.Running && r.Force && !r.Goes { // no process is at it: its name is ours
		r.doc.Set(v.Doc)
		if err := r.doc.Update("stopped", func(s *session.State) error {
			return s.End(session.ReasonStopped, "another session was begun in its place (--force)", r.Now())
		}); err != nil {
			return err
		}
		v.Doc = r.doc.Now()
	}
	if v.Doc.Status != session.Running && !v.Doc.Left && r.shield.guard != nil { // a loop is complete before it leaves its work tree
		if err := r.lanes.newLane(r.shield.guard).leave(ctx, v.Doc, v.Doc.Status == session.Complete); err != nil {
			return err
		}
	}
	if v.Doc.Status != session.Running && !r.Goes {
		return r.create(ctx, v.Doc)
	}
	r.doc.Set(v.Doc)
	same := func(a, b session.Stage) bool { return a.Name == b.Name && a.Loop == b.Loop }
	if r.Loop != (len(v.Doc.Stages) == 0) || !r.Loop && !slices.EqualFunc(v.Doc.Stages, described(r.files.units), same) {
		return fmt.Errorf("the session %s was begun with other stages than its definition has now; warp sessions rm %s removes it, --force begins anew and keeps it", r.Name, r.Name)
	}
	if err := r.doc.Update("resumed", func(s *session.State) error {
		if r.Retry {
			s.RetryItems()
		}
		if err := r.files.redoBranches(s); err != nil {
			return err
		}
		return s.Resume() // it may be complete
	}); err != nil {
		return err
	}
	r.resumed = true
	r.tell(Note{Kind: Began, Text: "resuming"})
	return r.files.keep(r.Files, r.Goes && !r.Anew)
}

// create begins a session, unless a loop over a queue has nothing to do. The
// earlier one of its name, if any, is kept.
func (r *run) create(ctx context.Context, earlier *session.State) error {
	if r.Loop {
		ru, err := r.rules(0)
		if err != nil {
			return err
		}
		if ru.queue != nil {
			ready, held, err := ru.queue.Ready(ctx)
			if err != nil {
				return err
			}
			if len(ready) == 0 {
				return &NothingError{left(0, held)}
			}
		}
	}
	b := session.Beginning{Session: r.Name}
	if !r.Loop {
		b.Pipeline, b.Stages = r.Plan.Name, described(r.files.units)
	}
	s, err := session.Begin(b, r.Now())
	if err != nil {
		return err
	}
	for _, do := range []func() error{
		func() error { return r.setAside(earlier) },
		func() error { return r.lanes.own.nameBranch(s) },
		func() error { return r.Store.CheckFolder(session.Dir(r.Name)) },
		func() error { return os.MkdirAll(r.files.path(session.Dir(r.Name)), 0o755) },
		func() error { return r.shield.disown(ctx) },
		func() error { return r.files.keep(r.Files, false) },
		func() error {
			return r.files.write(session.ProgressFile(r.Name), []byte(progress.New(r.Name, r.Checks.Verify)))
		},
	} {
		if err := do(); err != nil {
			return fmt.Errorf("beginning the session %s: %w", r.Name, err)
		}
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
	if s == nil {
		return nil
	}
	when := s.StartedAt
	if s.CompletedAt != nil {
		when = *s.CompletedAt
	}
	digits := slices.DeleteFunc([]byte(when), func(c byte) bool { return (c < '0' || c > '9') && c != 'T' && c != '-' })
	first := text.Prefix(r.Name, 50) + "." + string(digits)
	old := first
	for n := 2; ; n++ {
		if _, err := os.Lstat(r.files.path(session.Dir(old))); errors.Is(err, fs.ErrNotExist) {
			break
		}
		old = fmt.Sprintf("%s-%d", first, n)
	}
	if err := os.Rename(r.files.path(session.Dir(r.Name)), r.files.path(session.Dir(old))); err != nil {
		return fmt.Errorf("keeping the earlier session %s: %w", r.Name, err)
	}
	r.remark("the earlier session %s is kept as %s", r.Name, old)
	return nil
}

func (r *run) tell(n Note) {
	n.At, n.Session = r.Now(), r.Name
	r.Tell(n)
}

func (r *run) remark(format string, args ...any) {
	r.tell(Note{Kind: Remark, Text: fmt.Sprintf(format, args...)})
}
