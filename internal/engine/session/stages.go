package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"warp/internal/core/session"
	"warp/internal/core/session/progress"
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
			for _, i := range ready(r.units, r.now()) {
				if begun[i] {
					continue
				}
				begun[i] = true
				running++
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
	}
}

// now is the document as it was written last.
func (r *run) now() *session.State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

// stage runs one unit to its end.
func (r *run) stage(ctx context.Context, i int) error {
	u := r.units[i]
	if !r.Loop {
		if err := os.MkdirAll(r.folder(i), 0o755); err != nil {
			return fmt.Errorf("making the folder of stage %s: %w", u.name, err)
		}
	}
	if st, err := r.now().Stage(i); err == nil && st.Status == session.Pending {
		if err := r.update("stage_started", func(s *session.State) error { return s.StartStage(i, r.Now()) }); err != nil {
			return err
		}
		r.passed("stage_started")
		r.tell(Note{Kind: Staged, Stage: u.name})
	}
	for _, file := range []string{r.progressFile(i), session.ProgressFile(r.Name)} {
		if text, err := os.ReadFile(r.path(file)); err == nil {
			r.written.LoadOrStore(file, text)
		}
	}
	d, err := r.loop(ctx, i)
	if err != nil {
		return err
	}
	r.unmark(i) // of an iteration that was recorded before a crash
	return r.endStage(i, d)
}

// endStage ends a unit; what came of it is put before the stages after it.
func (r *run) endStage(i int, d session.Decision) error {
	u := r.units[i]
	if !r.Loop {
		if err := r.tellStages(i, d); err != nil {
			return err
		}
	}
	if err := r.update("stage_ended", func(s *session.State) error { return s.EndStage(i, d.Reason, d.Why, r.Now()) }); err != nil {
		return err
	}
	r.passed("stage_ended")
	if st, err := r.now().Stage(i); err == nil && !r.Loop {
		r.tell(Note{Kind: StageOver, Stage: u.name, Reason: st.Reason, Text: st.Why})
	}
	return nil
}

// tellStages writes what came of a unit into the session's progress file.
func (r *run) tellStages(i int, d session.Decision) error {
	st, err := r.now().Stage(i)
	if err != nil {
		return err
	}
	last := ""
	if rows := r.now().Rows(i); len(rows) > 0 {
		last = rows[len(rows)-1].Summary
	}
	about := progress.Section{
		Iteration: i + 1, Stage: r.units[i].name, At: r.Now(), Summary: fmt.Sprintf("It ended after %d iterations (%s). %s", st.IterationCompleted, d.Reason, last),
	}
	return r.note(i, session.ProgressFile(r.Name), about)
}

// folder is where a unit has its files: a loop in the session's own folder.
func (r *run) folder(i int) string {
	if r.Loop {
		return r.path(session.Dir(r.Name))
	}
	return r.path(session.StageDir(r.Name, i, r.units[i].name))
}

// progressFile is what each fresh agent of a unit reads, under the store's folder.
func (r *run) progressFile(i int) string {
	if r.Loop {
		return session.ProgressFile(r.Name)
	}
	return filepath.ToSlash(filepath.Join(session.StageDir(r.Name, i, r.units[i].name), "progress.md"))
}

func (r *run) outputFile(i int) string { return filepath.Join(r.folder(i), "output.md") }
