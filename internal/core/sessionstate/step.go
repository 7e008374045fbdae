package sessionstate

import (
	"fmt"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
)

// recordedError says that an iteration has its row already, which stays as it is.
type recordedError struct {
	Where     string
	Iteration int
}

func (e *recordedError) Error() string {
	return fmt.Sprintf("%s: iteration %d is recorded already", e.Where, e.Iteration)
}

// StartStage lets a stage begin. One that runs already goes on: so it is when a
// session is resumed, and so a loop begins.
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

// open is a stage that runs.
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

// Resumable says which iteration of a stage is the next to run, and whether it
// had begun before: then it is run again, as nothing is known of what it did.
func (s *State) Resumable(i int) (iteration int, again bool) {
	st, err := s.Stage(i)
	if err != nil {
		return 0, false
	}
	return st.IterationCompleted + 1, st.Iteration > st.IterationCompleted
}

// StartIteration starts the iteration that Resumable names.
func (s *State) StartIteration(i int, now time.Time) (int, error) {
	st, err := s.open(i)
	if err != nil {
		return 0, err
	}
	if s.Paused != nil {
		return 0, fmt.Errorf("%s: it is paused since %s", s.where(i), s.Paused.At)
	}
	st.Iteration, _ = s.Resumable(i)
	st.IterationStarted = new(stamp(now))
	s.put(i, st)
	return st.Iteration, nil
}

// AddAsleep leaves time out of the iteration that is in progress, in which the machine
// was asleep: as if it had begun later.
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

// WithdrawIteration takes back the iteration that is in progress, as there turned
// out to be nothing to do in it.
func (s *State) WithdrawIteration(i int) error {
	st, err := s.open(i)
	if err != nil {
		return err
	}
	st.Iteration, st.IterationStarted = st.IterationCompleted, nil
	s.put(i, st)
	return nil
}

// CompleteIteration records the iteration that is in progress, and that one only:
// r.Iteration says which one is meant. The row's time, stage and cost are filled in.
func (s *State) CompleteIteration(i int, r Row, spent Spent, now time.Time) error {
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
	r.Origin = lossless.Origin{} // it is new, wherever it was copied from
	r.Timestamp, r.Stage = stamp(now), st.Name
	if spent.MicroUSD > 0 {
		r.Cost = evidence.Dollars(spent.MicroUSD)
	}
	st.Counts.add(r, spent, since(*st.IterationStarted, now))
	st.IterationCompleted, st.IterationStarted = r.Iteration, nil
	s.remember(r)
	s.put(i, st)
	return nil
}

// since is the time from a stamp.
func since(at string, now time.Time) time.Duration {
	t, err := time.Parse(time.RFC3339, at)
	if err != nil {
		return 0
	}
	return max(0, now.Sub(t))
}

// Pause keeps iterations from being started; the one in progress may end.
func (s *State) Pause(now time.Time) error {
	if s.Status != Running {
		return fmt.Errorf("session %s is %s: there is nothing to pause", s.Session, s.Status)
	}
	if s.Paused == nil {
		s.Paused = &Pause{stamp(now)}
	}
	return nil
}
