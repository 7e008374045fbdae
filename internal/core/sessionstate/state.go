package sessionstate

import (
	"errors"
	"fmt"
	"time"
)

// Loop and Pipeline are the types of sessions.
const (
	Loop     = "loop"
	Pipeline = "pipeline"
)

// The statuses of a session.
const (
	Running  = "running"
	Complete = "complete"
	Failed   = "failed"
)

// State is the document state.json. Members that it does not name are kept by
// the codec. Those of a pipeline mirror its current stage.
type State struct {
	Session            string  `json:"session"`
	Type               string  `json:"type"`
	Pipeline           string  `json:"pipeline,omitempty"`
	StartedAt          string  `json:"started_at"`
	Status             string  `json:"status"`
	Iteration          int     `json:"iteration"`           // the newest that was started
	IterationCompleted int     `json:"iteration_completed"` // the newest that is recorded
	IterationStarted   *string `json:"iteration_started"`   // nil: none is in progress
	CurrentStage       int     `json:"current_stage"`
	Stages             []Stage `json:"stages"` // a loop has none
	History            History `json:"history"`
	CompletedAt        *string `json:"completed_at"`
	CompletionReason   *string `json:"completion_reason"`

	// Branch is the session's own, where it commits, and BeganOn the one that was
	// checked out before. Without them it commits on what is checked out.
	Branch  string `json:"branch,omitempty"`
	BeganOn string `json:"began_on,omitempty"`
	Left    bool   `json:"left,omitempty"` // what it began on is checked out again, or cannot be

	// RetryFrom is how many rows there were when items that had been given up were to be
	// tried again: older rows do not count against an item.
	RetryFrom int `json:"retry_from,omitempty"`

	Why            string `json:"why,omitempty"` // the reason, for people
	Paused         *Pause `json:"paused,omitempty"`
	HistoryDropped int    `json:"history_dropped,omitempty"` // rows that only the journal has
	Counts         Counts `json:"counts,omitempty"`          // of a loop
}

// Pause says since when no iteration may be started.
type Pause struct {
	At string `json:"at"`
}

// EngineAt tells whether an engine is at the session, or was when it was killed:
// nothing else changes the document then.
func EngineAt(s *State) bool { return s.Status == Running && s.Paused == nil }

// Beginning is what is known of a session when it begins.
type Beginning struct {
	Session  string
	Pipeline string // "": a loop
	Stages   []Stage
}

// Begin makes the document of a new session. Of a pipeline's stages it takes what
// they are (name, loop, runs); nothing has happened to them yet.
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

// Len is how many stages there are; a loop is one.
func (s *State) Len() int { return max(1, len(s.Stages)) }

// Validate says why a document cannot be a session's, or nil. It is lenient where
// other tools may have written it: what has no bearing on going on is not looked at.
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
	if err := times(s.StartedAt, said(s.IterationStarted), said(s.CompletedAt)); err != nil {
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

// stamp prints a time as this document does: UTC, seconds.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

func said(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
