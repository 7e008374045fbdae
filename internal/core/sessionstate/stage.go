package sessionstate

import (
	"fmt"
	"slices"

	"warp/internal/core/lossless"
)

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
