package sessionstate

import (
	"errors"
	"fmt"
	"time"
)

const (
	Loop     = "loop"
	Pipeline = "pipeline"
)

const (
	Running  = "running"
	Complete = "complete"
	Failed   = "failed"
)

// State is the document state.json. The codec keeps members that it does not name. The members of a
// pipeline mirror its current stage.
type State struct {
	Session            string  `json:"session"`
	Type               string  `json:"type"`
	Pipeline           string  `json:"pipeline,omitempty"`
	StartedAt          string  `json:"started_at"`
	Status             string  `json:"status"`
	Iteration          int     `json:"iteration"`           // last started
	IterationCompleted int     `json:"iteration_completed"` // last recorded
	IterationStarted   *string `json:"iteration_started"`   // nil if none is in progress
	CurrentStage       int     `json:"current_stage"`
	Stages             []Stage `json:"stages"` // none in a loop
	History            History `json:"history"`
	CompletedAt        *string `json:"completed_at"`
	CompletionReason   *string `json:"completion_reason"`

	// Branch is the session's branch for its commits, and BeganOn the one checked out before.
	// Without them it commits to the checked-out branch.
	Branch  string `json:"branch,omitempty"`
	BeganOn string `json:"began_on,omitempty"`
	Left    bool   `json:"left,omitempty"` // the original branch is checked out again, or cannot be

	// RetryFrom is the number of rows when items that had been given up were allowed again: older
	// rows do not count against an item.
	RetryFrom int `json:"retry_from,omitempty"`

	Why            string `json:"why,omitempty"` // the reason, for people
	Paused         *Pause `json:"paused,omitempty"`
	HistoryDropped int    `json:"history_dropped,omitempty"` // rows only in the journal
	Counts         Counts `json:"counts,omitempty"`          // for a loop
}

// Pause holds since when no iteration may start.
type Pause struct {
	At string `json:"at"`
}

// EngineAt reports whether an engine runs the session, or did when it was killed: then nothing else
// may change the document.
func EngineAt(s *State) bool { return s.Status == Running && s.Paused == nil }

// Beginning holds the parameters of a new session.
type Beginning struct {
	Session  string
	Pipeline string // "" for a loop
	Stages   []Stage
}

// Begin returns the document of a new session. It takes only the name, loop and runs of a
// pipeline's stages.
func Begin(b Beginning, now time.Time) (*State, error) {
	s := &State{
		Session: b.Session, Type: Loop, Pipeline: b.Pipeline, StartedAt: stamp(now), Status: Running,
		Stages: []Stage{}, History: History{},
	}
	if b.Pipeline != "" {
		s.Type = Pipeline
	}
	if (b.Pipeline == "") != (len(b.Stages) == 0) {
		return nil, errors.New("a pipeline has a name and stages, a loop has neither")
	}
	for _, st := range b.Stages {
		s.Stages = append(s.Stages, Stage{Name: st.Name, Loop: st.Loop, Runs: st.Runs, Status: Pending})
	}
	return s, Validate(s)
}

// Len returns the number of stages; a loop has one.
func (s *State) Len() int { return max(1, len(s.Stages)) }

// Validate returns why a document is not a valid session. It is lenient, as other tools write it
// too, and ignores what does not matter for continuing.
func Validate(s *State) error {
	if err := CheckName(s.Session); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	switch {
	case s.Type != "" && s.Type != Loop && s.Type != Pipeline:
		return fmt.Errorf("type is %q, neither loop nor pipeline", s.Type)
	case s.Status != Running && s.Status != Complete && s.Status != Failed:
		return fmt.Errorf("status is %q, none of running, complete, failed", s.Status)
	case s.CurrentStage < 0:
		return errors.New("current_stage must not be negative")
	}
	if err := counters(s.Iteration, s.IterationCompleted); err != nil {
		return err
	}
	if err := times(s.StartedAt, deref(s.IterationStarted), deref(s.CompletedAt)); err != nil {
		return err
	}
	names := map[string]bool{}
	for i, st := range s.Stages {
		if err := st.validate(); err != nil {
			return fmt.Errorf("stages[%d]: %w", i, err)
		}
		if names[st.Name] {
			return fmt.Errorf("stages[%d]: there are two stages named %q", i, st.Name)
		}
		names[st.Name] = true
	}
	return nil
}

func counters(iteration, completed int) error {
	if iteration < 0 || completed < 0 || completed > iteration {
		return fmt.Errorf("iteration %d and iteration_completed %d must not be negative, and a completed iteration must have started", iteration, completed)
	}
	return nil
}

func times(stamps ...string) error {
	for _, at := range stamps {
		if _, err := time.Parse(time.RFC3339, at); at != "" && err != nil {
			return fmt.Errorf("%q is not an RFC 3339 time", at)
		}
	}
	return nil
}

// stamp formats a time as in this document: UTC, in seconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
