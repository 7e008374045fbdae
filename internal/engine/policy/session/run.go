package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"warp/internal/core/sessionstate"
	"warp/internal/engine/step"
)

// run is a session in progress.
type run struct {
	Engine
	Job
	files    *files
	shield   *shield
	spending *spending
	lanes    *lanes // where it commits
	reads    *reading
	dir      string // where its agents work: the project's folder, in the session's own or the person's work tree
	held     *heldItems
	lease    *step.Lease
	doc      *step.Document[sessionstate.State]

	resumed bool // it was started before

	mu      sync.Mutex
	stopped *step.StoppedError // why a person has to look
	toldEnd bool
}

// Run runs a session to its end and returns its final state. It fails if a person stopped or paused
// the session or has to look (*step.StoppedError), or if something is wrong with the machine.
func (e *Engine) Run(ctx context.Context, j Job) (*sessionstate.State, error) {
	if err := sessionstate.CheckName(j.Name); err != nil {
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
	r.doc = &step.Document[sessionstate.State]{Doc: Open(e.Store, j.Name), Lease: lease, Remark: r.remark, Passed: r.Passed}
	r.spending = newSpending(e, j, r.doc)
	r.held = newHeldItems(r)
	r.held.releaseStale(ctx)
	defer r.held.releaseAll(ctx)
	if err := r.setUpShield(ctx); err != nil {
		return nil, err
	}
	if err := r.openSession(ctx); err != nil {
		return nil, err
	}
	r.doc.Alone = true
	free, err := r.lanes.enterWorkTree(ctx)
	if err != nil {
		return nil, err
	}
	defer free()
	if slices.ContainsFunc(r.files.units, func(u unit) bool { return u.isChecked(sessionstate.Until{}) }) {
		if _, err = r.shield.baseTree(ctx, 0); err != nil { // all stages are compared with this
			return nil, err
		}
	}
	return r.endSession(ctx, r.runUnits(ctx))
}

// endSession ends the session according to its stages and the error.
func (r *run) endSession(ctx context.Context, err error) (*sessionstate.State, error) {
	switch {
	case errors.Is(err, ErrPaused):
		return r.doc.Now(), err
	case ctx.Err() != nil:
		return r.lanes.stopSession(ctx)
	case err != nil:
		return r.doc.Now(), err
	}
	for _, u := range r.files.units {
		u.dropMemory()
	}
	waits := ""
	if err == nil && !r.Loop && r.doc.Now().AllCompleted() {
		if waits, err = r.lanes.landSession(ctx); waits != "" {
			r.lanes.waitToLand(waits)
		}
		if err != nil && ctx.Err() != nil {
			return r.lanes.stopSession(ctx)
		}
	}
	if err == nil {
		s := r.doc.Now()
		complete := waits == "" && (s.AllCompleted() || s.Status == sessionstate.Complete)
		if err = r.lanes.own.leaveWorkTree(ctx, s, complete); err == nil && complete && r.files.units[0].member == nil {
			err = r.shield.dropBase(ctx, 0)
		}
	}
	if err == nil {
		err = recordEnd(r, "session_ended", func(s *sessionstate.State) error {
			s.Left = true
			if waits != "" {
				return s.End(sessionstate.ReasonLanding, waits, r.Now())
			}
			return s.End("", "", r.Now())
		})
	}
	s := r.doc.Now()
	if err != nil {
		return s, err
	}
	r.shield.removeCopies()
	r.tell(Note{Kind: Ended, Text: s.Why, Reason: *s.CompletionReason})
	return s, needsPerson(r, s)
}

// recordEnd records an update that may end the session.
func recordEnd(r *run, what string, fn func(*sessionstate.State) error) error {
	return r.doc.UpdateTold(what, fn, func(next *sessionstate.State) {
		if next.Status != sessionstate.Running && !r.toldEnd {
			r.toldEnd = true
			r.tell(Note{Kind: Ending, State: next, Person: needsPerson(r, next)})
		}
	})
}

// needsPerson returns why a person has to look at the session, or nil.
func needsPerson(r *run, s *sessionstate.State) error {
	if r.stopped == nil || s.Status == sessionstate.Complete { // it was a branch that lost to another one
		return nil
	}
	return r.stopped
}

// stopSession leaves the session's work tree, and ends the session at a person's request.
func (w *lanes) stopSession(ctx context.Context) (*sessionstate.State, error) {
	r := w.run
	left := w.own.leaveWorkTree(ctx, r.doc.Now(), false)
	ended := r.doc.Update("stopped", func(s *sessionstate.State) error {
		s.Left = true
		return s.End(sessionstate.ReasonStopped, "it was stopped", r.Now())
	})
	r.tell(Note{Kind: Ended, Reason: sessionstate.ReasonStopped})
	return r.doc.Now(), errors.Join(ctx.Err(), left, ended)
}

// Unmet reports whether a loop ran out of iterations before reaching the end that its strategy
// wants.
func (j Job) Unmet(s *sessionstate.State) bool {
	for i, u := range expandUnits(j.Plan) {
		st, err := s.Stage(i)
		until, bad := sessionstate.ParseUntil(u.stage.Until)
		if err == nil && bad == nil && u.gathers == nil && st.Reason == sessionstate.ReasonMaxIterations && until.Kind != sessionstate.Fixed {
			return true
		}
	}
	return false
}

func (r *run) tell(n Note) {
	n.At, n.Session = r.Now(), r.Name
	if r.lease != nil {
		r.lease.Live.Set(n.Show)
	}
	r.Tell(n)
}

func (r *run) remark(format string, args ...any) {
	r.tell(Note{Kind: Remark, Text: fmt.Sprintf(format, args...)})
}
