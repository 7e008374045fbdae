package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"warp/internal/core/pipeline"
	"warp/internal/core/sessionstate"
	"warp/internal/core/sessionstate/progressfile"
	"warp/internal/core/text"
	"warp/internal/engine/step"
)

// unit is what runs as one loop: a stage, a member of a parallel stage, or the gathering of its
// members. Each is a stage in the document.
type unit struct {
	index  int // in the document
	stage  pipeline.Stage
	name   string
	shown  string // the name shown to people; "" for a loop
	after  []int  // the units it waits for
	member *pipeline.Member
	block  string // the parallel stage it belongs to; "": none
	place  string // the name of its branch's work tree; "": the session's own
	// gathers are the last units of the branches it gathers; nil: it is no gathering.
	gathers []int
	apart   bool // it commits, and may run while another unit does

	session  string // the session's name
	dir      string // the folder of its files
	folder   string // dir, relative to the store's folder
	progress string // the file each fresh agent reads, relative to the store's folder
}

func (u unit) commits() bool { return u.stage.Commit }

// choice returns the judge that chooses between the gathered members, or nil.
func (u unit) choice() *pipeline.Judge {
	if u.gathers == nil {
		return nil
	}
	return u.stage.Parallel.Judge
}

// isChecked reports whether a unit's work is checked, and so compared with what it started from.
func (u unit) isChecked(until sessionstate.Until) bool {
	return u.stage.Commit || len(u.stage.Verify) > 0 || until.Kind == sessionstate.Gates
}

// expandUnits returns the units of a plan. What waits for a parallel stage waits for its gathering.
func expandUnits(p *pipeline.Pipeline) (units []unit) {
	of := make([]int, len(p.Stages)) // the unit that represents each stage
	for _, i := range p.Order() {
		s := p.Stages[i]
		var after []int
		for _, a := range s.After {
			after = append(after, of[a])
		}
		if s.Parallel == nil {
			of[i] = len(units)
			units = append(units, unit{stage: s, name: s.ID, after: after})
			continue
		}
		units = append(units, expandParallel(s, after, len(units))...)
		of[i] = len(units) - 1
	}
	nameInputs(units)
	return units
}

// initialStages returns the document's initial stages of the units.
func initialStages(units []unit) (list []sessionstate.Stage) {
	for _, u := range units {
		st := sessionstate.Stage{Name: u.name, Loop: cmp.Or(u.stage.Loop, u.stage.ID), Runs: u.stage.Runs}
		if u.gathers != nil {
			st.Loop, st.Runs = "parallel", 1
		}
		list = append(list, st)
	}
	return list
}

// readyUnits returns the units that can start: everything they wait for is completed.
func readyUnits(units []unit, s *sessionstate.State) (list []int) {
	status := func(i int) string {
		st, err := s.Stage(i)
		if err != nil {
			return sessionstate.Failed
		}
		return st.Status
	}
	for i, u := range units {
		open := status(i) == sessionstate.Pending || status(i) == sessionstate.Running
		if open && !slices.ContainsFunc(u.after, func(a int) bool { return status(a) != sessionstate.Completed && status(a) != sessionstate.Skipped }) {
			list = append(list, i)
		}
	}
	return list
}

// runUnits runs the units in order, in parallel where nothing has to wait. What waits for a failed
// unit does not start; what is running continues to its end, unless another branch was chosen.
func (r *run) runUnits(ctx context.Context) error {
	var errs []error
	begun := map[int]context.CancelFunc{} // the running units
	done := make(chan ended, len(r.files.units))
	for {
		if err := skipBeaten(r, begun); err != nil {
			errs = append(errs, err)
		}
		for _, i := range readyUnits(r.files.units, r.doc.Now()) {
			if _, is := begun[i]; is || len(errs) > 0 || ctx.Err() != nil {
				continue
			}
			var own context.Context
			own, begun[i] = context.WithCancel(ctx)
			r.spending.bounds.Share(len(begun))
			go func() { done <- ended{i, r.runToEnd(own, i)} }()
		}
		if len(begun) == 0 {
			return errors.Join(errs...)
		}
		e := <-done
		begun[e.unit]()
		delete(begun, e.unit)
		if e.err != nil && !r.files.isBeaten(r.doc.Now(), e.unit) {
			errs = append(errs, e.err)
		}
		r.spending.bounds.Share(len(begun))
	}
}

// ended is the result of a finished unit.
type ended struct {
	unit int
	err  error
}

func (r *run) runToEnd(ctx context.Context, i int) error {
	u := r.files.units[i]
	if err := os.MkdirAll(u.dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of stage %s: %w", u.name, err)
	}
	if st, err := r.doc.Now().Stage(i); err == nil && st.Status == sessionstate.Pending {
		if err := r.doc.Update("stage_started", func(s *sessionstate.State) error { return s.StartStage(i, r.Now()) }); err != nil {
			return err
		}
		r.tell(Note{Kind: Staged, Stage: u.name})
	}
	d, err := r.runUnit(ctx, i)
	if err == nil {
		err = leaveSummary(r, u)
	}
	if d, err = r.settleDecision(ctx, i, d, err); err != nil {
		return err
	}
	if sessionstate.Succeeds(d.Reason) {
		refused, err := r.lanes.commitChoice(ctx, u)
		if err != nil {
			return err
		}
		if refused != "" {
			d = sessionstate.Decision{Stop: true, Reason: sessionstate.ReasonVerify, Why: "the choice cannot be committed: " + text.Opening(refused)}
		}
	}
	if sessionstate.Succeeds(d.Reason) {
		why, err := r.lanes.landUnit(ctx, u)
		if err != nil {
			return err
		}
		if why != "" {
			d = sessionstate.Decision{Stop: true, Reason: sessionstate.ReasonLanding, Why: why}
			r.lanes.waitToLand(why)
		}
	}
	return r.endStage(ctx, i, d)
}

// settleDecision turns an error that stopped a unit into a decision. It lets no unit succeed whose
// checks fail, whose output is missing although a stage reads it, or after something was pushed
// past the engine.
func (r *run) settleDecision(ctx context.Context, i int, d sessionstate.Decision, err error) (sessionstate.Decision, error) {
	u := r.files.units[i]
	var stopped *step.StoppedError
	var spent *spentError
	stop := func(reason, why string) { d = sessionstate.Decision{Stop: true, Reason: reason, Why: why} }
	needPerson := func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.stopped = stopped
		stop(sessionstate.ReasonFailed, stopped.Why)
	}
	switch {
	case errors.As(err, &stopped):
		if needPerson(); r.spending.bounds.Broken() != "" {
			d.Reason = sessionstate.ReasonAgentError
		}
	case errors.As(err, &spent):
		stop(sessionstate.ReasonBudget, spent.why)
	case err != nil:
		return d, err
	case sessionstate.Succeeds(d.Reason) && u.lastFailure() != "":
		stop(sessionstate.ReasonVerify, "the checks fail: "+text.Opening(u.lastFailure()))
	case sessionstate.Succeeds(d.Reason) && r.files.readerWithoutInput(u) != "":
		stop(sessionstate.ReasonNoOutput, "it left no output, but stage "+r.files.readerWithoutInput(u)+" reads it; may_be_empty: true in the pipeline allows that")
	}
	if err = r.shield.checkRemote(ctx); errors.As(err, &stopped) {
		needPerson()
		err = nil
	}
	return d, err
}

// endStage ends a unit, and adds its result to the progress file for later stages.
func (r *run) endStage(ctx context.Context, i int, d sessionstate.Decision) error {
	u := r.files.units[i]
	st, err := r.doc.Now().Stage(i)
	if err == nil && !r.Loop {
		last := ""
		if rows := r.doc.Now().Rows(i); len(rows) > 0 {
			last = rows[len(rows)-1].Summary
		}
		said := fmt.Sprintf("It ended after %s (%s). %s", text.Count(st.IterationCompleted, "iteration"), d.Reason, last)
		err = r.files.appendProgress(u, sessionstate.ProgressFile(r.Name), progressfile.Section{Iteration: st.IterationCompleted, Stage: u.name, At: r.Now(), Summary: said})
	}
	// Later stages are compared with what the first started from; a resume with what was there
	// before.
	if err == nil && sessionstate.Succeeds(d.Reason) && u.member == nil && u.gathers == nil && (i > 0 || len(r.files.units) == 1) {
		err = r.shield.dropBase(ctx, i)
	}
	if err == nil {
		err = recordEnd(r, "stage_ended", func(s *sessionstate.State) error { return s.EndStage(i, d.Reason, d.Why, r.Now()) })
	}
	if err != nil || r.Loop {
		return err
	}
	if st, err = r.doc.Now().Stage(i); err == nil {
		r.tell(Note{Kind: StageOver, Stage: u.name, Reason: st.Reason, Text: st.Why})
	}
	return err
}
