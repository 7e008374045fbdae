package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"warp/internal/core/session"
	"warp/internal/core/session/progress"
	"warp/internal/core/text"
	"warp/internal/engine/step"
)

// stages runs one unit after the other, and side by side those that wait for
// nothing. What a failed one is waited for by is not begun; what is under way is
// taken to its end.
func (r *run) stages(ctx context.Context) error {
	var mu sync.Mutex
	var errs []error
	begun := map[int]bool{}
	done := make(chan struct{}, len(r.units))
	running := 0
	for {
		mu.Lock()
		failed := len(errs) > 0
		mu.Unlock()
		if !failed && ctx.Err() == nil {
			for _, i := range ready(r.units, r.doc.Now()) {
				if begun[i] {
					continue
				}
				begun[i] = true
				running++
				r.bounds.Share(running)
				go func() {
					defer func() { done <- struct{}{} }()
					if err := r.stage(ctx, i); err != nil {
						mu.Lock()
						errs = append(errs, err)
						mu.Unlock()
					}
				}()
			}
		}
		if running == 0 {
			return errors.Join(errs...)
		}
		<-done
		running--
		r.bounds.Share(running)
	}
}

// stage runs one unit to its end.
func (r *run) stage(ctx context.Context, i int) error {
	u := r.units[i]
	if !r.Loop {
		if err := os.MkdirAll(r.folder(i), 0o755); err != nil {
			return fmt.Errorf("making the folder of stage %s: %w", u.name, err)
		}
	}
	if st, err := r.doc.Now().Stage(i); err == nil && st.Status == session.Pending {
		if err := r.doc.Update("stage_started", func(s *session.State) error { return s.StartStage(i, r.Now()) }); err != nil {
			return err
		}
		r.tell(Note{Kind: Staged, Stage: u.name})
	}
	d, err := r.loop(ctx, i)
	if d, err = r.settle(ctx, i, d, err); err != nil {
		return err
	}
	return r.endStage(ctx, i, d)
}

// settle makes a decision of what keeps a unit from going on, and lets no unit
// succeed whose checks fail, or after something was pushed past the engine.
func (r *run) settle(ctx context.Context, i int, d session.Decision, err error) (session.Decision, error) {
	var stopped *step.StoppedError
	var spent *spentError
	switch {
	case errors.As(err, &stopped):
		d = session.Decision{Stop: true, Reason: session.ReasonFailed, Why: r.stop(stopped)}
		if r.bounds.Broken() != "" {
			d.Reason = session.ReasonAgentError
		}
	case errors.As(err, &spent):
		d = session.Decision{Stop: true, Reason: session.ReasonBudget, Why: spent.why}
	case err != nil:
		return d, err
	case session.Succeeds(d.Reason) && r.failed(i) != "":
		d = session.Decision{Stop: true, Reason: session.ReasonFailed, Why: "the checks fail: " + text.Opening(r.failed(i))}
	}
	switch err := r.checkRemote(ctx); {
	case errors.As(err, &stopped):
		d = session.Decision{Stop: true, Reason: session.ReasonFailed, Why: r.stop(stopped)}
	case err != nil:
		return d, err
	}
	return d, nil
}

// stop keeps why a person has to look, and returns it.
func (r *run) stop(e *step.StoppedError) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = e
	return e.Why
}

// endStage ends a unit; what came of it is put before the stages after it.
func (r *run) endStage(ctx context.Context, i int, d session.Decision) error {
	u := r.units[i]
	if !r.Loop {
		if err := r.tellStages(i, d); err != nil {
			return err
		}
	}
	if u.member == nil && u.gathers == nil && (i > 0 || len(r.units) == 1) { // later stages are held against the first
		if err := r.dropBase(ctx, i); err != nil {
			return err
		}
	}
	if err := r.doc.Update("stage_ended", func(s *session.State) error { return s.EndStage(i, d.Reason, d.Why, r.Now()) }); err != nil {
		return err
	}
	if st, err := r.doc.Now().Stage(i); err == nil && !r.Loop {
		r.tell(Note{Kind: StageOver, Stage: u.name, Reason: st.Reason, Text: st.Why})
	}
	return nil
}

// tellStages writes what came of a unit into the session's progress file.
func (r *run) tellStages(i int, d session.Decision) error {
	st, err := r.doc.Now().Stage(i)
	if err != nil {
		return err
	}
	last := ""
	if rows := r.doc.Now().Rows(i); len(rows) > 0 {
		last = rows[len(rows)-1].Summary
	}
	about := progress.Section{
		Iteration: i + 1, Stage: r.units[i].name, At: r.Now(), Summary: fmt.Sprintf("It ended after %d iterations (%s). %s", st.IterationCompleted, d.Reason, last),
	}
	return r.files.note(i, session.ProgressFile(r.Name), about)
}
