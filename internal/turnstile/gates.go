package turnstile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/text"
)

// GateResult is the result of one gate.
type GateResult struct {
	Issue   string           `json:"issue,omitempty"`
	Epoch   int64            `json:"epoch,omitempty"` // the session's
	Chunk   int              `json:"chunk,omitempty"`
	Event   drivestate.Event `json:"event"`
	Gate    string           `json:"gate"` // the semantic gate's name, or the command
	Passed  bool             `json:"passed"`
	Reason  string           `json:"reason,omitempty"`
	Excerpt string           `json:"excerpt,omitempty"` // the failing part of a refusing command's output
	Log     string           `json:"log,omitempty"`     // where its output is kept
	Seconds float64          `json:"seconds"`
	output  string
	cycle   bool // its refusal costs a code/test cycle
	// Untried means that the environment is broken, so the gate says nothing about the work.
	Untried bool `json:"untried,omitempty"`
	cause   error
}

// When says when a gate of an engine runs.
type When int

const (
	Last  When = iota // after all others
	First             // before all others
	Early             // after the built-in gate, before the configured commands
)

// Gate is a check that an engine adds to an event; reason "" lets the event pass. An error means
// that it could not be run, which costs no retry.
type Gate struct {
	Name string
	When When
	Run  func(context.Context, *drivestate.State) (reason string, err error)
	// Replaces is the built-in check that this gate stands for; "": none.
	Replaces string
	// Cycle means that a refusal costs a code/test cycle besides the retry.
	Cycle bool
	// Output, if not nil, is the failing part of what the gate ran, if it refuses.
	Output *string
	// Tested, if not nil, is the tree that passed the tests in this gate, for the drive to
	// remember.
	Tested *string
}

// UnprovenError refuses an event whose fact could not be established. It costs no retry, because
// nothing was tried.
type UnprovenError struct {
	Event drivestate.Event
	Why   string
	Do    string // how to make it true
}

func (e *UnprovenError) Error() string {
	text := fmt.Sprintf("%s is not true yet: %s", e.Event, e.Why)
	if e.Do != "" {
		text += "\n" + e.Do
	}
	return text
}

// GateError means that a gate refused an event.
type GateError struct {
	Event  drivestate.Event
	Result GateResult
}

const (
	quoted     = 40    // last lines of a gate's output quoted in a message
	maxExcerpt = 1_900 // bytes of its failing part kept as evidence
)

func (e *GateError) Error() string {
	if unproven := new(UnprovenError); errors.As(e.Result.cause, &unproven) {
		return unproven.Error()
	}
	var b strings.Builder
	fmt.Fprintf(&b, "gate %q blocks %s: %s", e.Result.Gate, e.Event, e.Result.Reason)
	if e.Result.output != "" {
		fmt.Fprintf(&b, "\n%s", strings.TrimRight(text.LastLines(e.Result.output, quoted), "\n"))
	}
	if e.Result.Log != "" {
		fmt.Fprintf(&b, "\n(the whole output is in %s)", e.Result.Log)
	}
	return b.String()
}

// Broken reports whether the gate could not be run at all: no retry was counted.
func (e *GateError) Broken() bool { return e.Result.Untried }

// Unwrap returns why an engine's gate could not be run.
func (e *GateError) Unwrap() error { return e.Result.cause }

// signature returns a text that distinguishes this failure from others.
func (e *GateError) signature() string {
	return e.Result.Gate + "\n" + e.Result.Reason + "\n" + e.Result.output
}

// gateRun holds the results of one event's gates, up to the first that refused.
type gateRun struct {
	event   drivestate.Event
	results []GateResult
	tree    string // the work tree's fingerprint, if a gate needed it
	seen    View   // the state that the gates checked; empty without gates
}

func (g gateRun) failure() *GateError {
	if n := len(g.results); n > 0 && !g.results[n-1].Passed {
		return &GateError{g.event, g.results[n-1]}
	}
	return nil
}
