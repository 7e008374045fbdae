package sessionstate

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// recordedError means that an iteration already has its row, which stays unchanged.
type recordedError struct {
	Where     string
	Iteration int
}

func (e *recordedError) Error() string {
	return fmt.Sprintf("%s: iteration %d is recorded already", e.Where, e.Iteration)
}

// StartStage starts a stage. A running one just continues, as after a resume and in a loop.
func (s *State) StartStage(i int, now time.Time) error {
	st, err := s.Stage(i)
	if err != nil {
		return err
	}
	switch {
	case s.Status != Running:
		return fmt.Errorf("%s: the session is %s", s.where(i), s.Status)
	case st.Status == Running:
		return nil
	case st.Status != Pending:
		return fmt.Errorf("%s: it is %s and does not start again", s.where(i), st.Status)
	}
	st.Status, st.StartedAt = Running, stamp(now)
	s.put(i, st)
	return nil
}

// open returns a stage that must be running.
func (s *State) open(i int) (Stage, error) {
	st, err := s.Stage(i)
	switch {
	case err != nil:
		return st, err
	case s.Status != Running:
		return st, fmt.Errorf("%s: the session is %s", s.where(i), s.Status)
	case st.Status != Running:
		return st, fmt.Errorf("%s: it is %s, not running", s.where(i), st.Status)
	}
	return st, nil
}

// Resumable returns the next iteration of a stage, and whether it had begun before: then it runs
// again, as nothing is known about what it did.
func (s *State) Resumable(i int) (iteration int, again bool) {
	st, err := s.Stage(i)
	if err != nil {
		return 0, false
	}
	return st.IterationCompleted + 1, st.Iteration > st.IterationCompleted
}

// StartIteration starts the iteration that Resumable returns.
func (s *State) StartIteration(i int, now time.Time) (int, error) {
	st, err := s.open(i)
	if err != nil {
		return 0, err
	}
	if s.Paused != nil {
		return 0, fmt.Errorf("%s: it is paused since %s", s.where(i), text.LocalStamp(s.Paused.At))
	}
	st.Iteration, _ = s.Resumable(i)
	st.IterationStarted = new(stamp(now))
	s.put(i, st)
	return st.Iteration, nil
}

// AddAsleep excludes time in which the machine slept from the current iteration, as if it had begun
// later.
func (s *State) AddAsleep(i int, slept time.Duration) error {
	st, err := s.open(i)
	if err != nil || st.IterationStarted == nil || slept <= 0 {
		return err
	}
	began, err := time.Parse(time.RFC3339, *st.IterationStarted)
	if err != nil {
		return err
	}
	st.IterationStarted = new(stamp(began.Add(slept)))
	s.put(i, st)
	return nil
}

// WithdrawIteration cancels the current iteration because there was nothing to do.
func (s *State) WithdrawIteration(i int) error {
	st, err := s.open(i)
	if err != nil {
		return err
	}
	st.Iteration, st.IterationStarted = st.IterationCompleted, nil
	s.put(i, st)
	return nil
}

// CompleteIteration records the current iteration, and only that: r.Iteration must match. It fills
// in the row's time, stage and cost, which includes its judge; the time comes from the document.
func (s *State) CompleteIteration(i int, r Row, spent budget.Amount, now time.Time) error {
	st, err := s.open(i)
	switch {
	case err != nil:
		return err
	case r.Iteration > 0 && r.Iteration <= st.IterationCompleted:
		return &recordedError{s.where(i), r.Iteration}
	case st.IterationStarted == nil || r.Iteration != st.Iteration:
		return fmt.Errorf("%s: iteration %d was never started", s.where(i), r.Iteration)
	}
	r = r.bounded()
	r.Origin = lossless.Origin{} // a new row, wherever it was copied from
	r.Timestamp, r.Stage = stamp(now), st.Name
	if spent.MicroUSD > 0 {
		r.Cost = evidence.Dollars(spent.MicroUSD)
	}
	st.Counts.add(r, spent, event.Since(*st.IterationStarted, now))
	st.IterationCompleted, st.IterationStarted = r.Iteration, nil
	s.remember(r)
	s.put(i, st)
	return nil
}

// Pause stops new iterations from starting; the current one may finish.
func (s *State) Pause(now time.Time) error {
	if s.Status != Running {
		return fmt.Errorf("session %s is %s: there is nothing to pause", s.Session, s.Status)
	}
	if s.Paused == nil {
		s.Paused = &Pause{stamp(now)}
	}
	return nil
}

// The statuses of a stage, in addition to Running and Failed.
const (
	Pending   = "pending"
	Completed = "completed"
	Skipped   = "skipped" // another branch of a parallel stage was chosen
)

// Stage is one stage of a pipeline. It has its own counts, as stages may run in parallel.
type Stage struct {
	lossless.Origin
	Name          string `json:"name"`
	Loop          string `json:"loop"`
	Runs          int    `json:"runs"`
	Status        string `json:"status"`
	StartedAt     string `json:"started_at,omitempty"`
	CompletedAt   string `json:"completed_at,omitempty"`
	IterationsRun *int   `json:"iterations_run,omitempty"` // nil until it has ended
	Reason        string `json:"reason,omitempty"`

	Why                string  `json:"why,omitempty"`
	Iteration          int     `json:"iteration,omitempty"`
	IterationCompleted int     `json:"iteration_completed,omitempty"`
	IterationStarted   *string `json:"iteration_started,omitempty"`
	Counts             Counts  `json:"counts,omitempty"`
}

func (st *Stage) validate() error {
	if err := CheckName(st.Name); err != nil {
		return fmt.Errorf("name: %w", err)
	}
	if !slices.Contains([]string{Pending, Running, Completed, Failed, Skipped}, st.Status) {
		return fmt.Errorf("status is %q, none of pending, running, completed, failed, skipped", st.Status)
	}
	if err := counters(st.Iteration, st.IterationCompleted); err != nil {
		return err
	}
	return times(st.StartedAt, st.CompletedAt, deref(st.IterationStarted))
}

// Stage returns a copy of a stage; for a loop, made from the document's own counters.
func (s *State) Stage(i int) (Stage, error) {
	if i < 0 || i >= s.Len() {
		return Stage{}, fmt.Errorf("session %s has no stage %d: there are %d, counted from 0", s.Session, i, s.Len())
	}
	if len(s.Stages) > 0 {
		return s.Stages[i], nil
	}
	st := Stage{
		Status: s.Status, StartedAt: s.StartedAt, CompletedAt: deref(s.CompletedAt), Reason: deref(s.CompletionReason), Why: s.Why,
		Iteration: s.Iteration, IterationCompleted: s.IterationCompleted, IterationStarted: s.IterationStarted, Counts: s.Counts,
	}
	if s.Status == Complete {
		st.Status = Completed
	}
	return st, nil
}

// put stores what Stage returned. finish records how a loop ends.
func (s *State) put(i int, st Stage) {
	if len(s.Stages) > 0 {
		s.Stages[i] = st
		s.mirror()
		return
	}
	s.Iteration, s.IterationCompleted, s.IterationStarted, s.Counts = st.Iteration, st.IterationCompleted, st.IterationStarted, st.Counts
}

// mirror copies the current stage to the document's own members: the first that runs, else the
// first that failed, else the next, else the last.
func (s *State) mirror() {
	at := len(s.Stages) - 1
	for _, status := range []string{Running, Failed, Pending} {
		if i := slices.IndexFunc(s.Stages, func(st Stage) bool { return st.Status == status }); i >= 0 {
			at = i
			break
		}
	}
	st := s.Stages[at]
	s.CurrentStage, s.Iteration, s.IterationCompleted, s.IterationStarted = at, st.Iteration, st.IterationCompleted, st.IterationStarted
}

// where names a stage for messages.
func (s *State) where(i int) string {
	if len(s.Stages) == 0 {
		return "session " + s.Session
	}
	return fmt.Sprintf("session %s, stage %d (%s)", s.Session, i, s.Stages[i].Name)
}
