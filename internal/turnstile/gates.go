package turnstile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/text"
)

// GateResult is what one gate said.
type GateResult struct {
	Issue   string           `json:"issue,omitempty"`
	Epoch   int64            `json:"epoch,omitempty"` // the session's
	Chunk   int              `json:"chunk,omitempty"`
	Event   drivestate.Event `json:"event"`
	Gate    string           `json:"gate"` // the semantic gate's name, or the command
	Passed  bool             `json:"passed"`
	Reason  string           `json:"reason,omitempty"`
	Excerpt string           `json:"excerpt,omitempty"` // of a command that refused: the failing part of its output
	Log     string           `json:"log,omitempty"`     // where its output is kept
	Seconds float64          `json:"seconds"`
	output  string
	// Untried: the environment is broken, the gate says nothing about the work.
	Untried bool `json:"untried,omitempty"`
	cause   error
}

// Gate is a check that an engine adds to those of an event. It runs after the
// others and refuses as they do; reason "" lets the event pass. An error says
// that it could not be tried, which costs nothing.
type Gate struct {
	Name  string
	First bool // it runs before the others
	Run   func(context.Context, *drivestate.State) (reason string, err error)
	// Tested, where it is not nil, is the tree that the gate has seen pass the tests:
	// the drive remembers it.
	Tested *string
}

// UnprovenError refuses an event whose fact could not be established. It costs no
// retry: nothing was tried, only claimed.
type UnprovenError struct {
	Event drivestate.Event
	Why   string
	Do    string // what makes it true
}

func (e *UnprovenError) Error() string {
	text := fmt.Sprintf("%s is not true yet: %s", e.Event, e.Why)
	if e.Do != "" {
		text += "\n" + e.Do
	}
	return text
}

// GateError says that a gate refused an event.
type GateError struct {
	Event  drivestate.Event
	Result GateResult
}

const (
	quoted     = 40    // of the last lines of a gate's output, in a message
	maxExcerpt = 1_900 // of its failing part, in evidence
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

// Broken tells whether the gate could not be tried at all: nothing was counted.
func (e *GateError) Broken() bool { return e.Result.Untried }

// Unwrap returns why a gate could not be tried, where it was an engine's.
func (e *GateError) Unwrap() error { return e.Result.cause }

// signature is the text that tells this failure from others.
func (e *GateError) signature() string {
	return e.Result.Gate + "\n" + e.Result.Reason + "\n" + e.Result.output
}

// gateRun is what the gates of one event said, up to the first that refused.
type gateRun struct {
	event   drivestate.Event
	results []GateResult
	tree    string // the work tree's fingerprint, when a gate needed it
	seen    View   // the state that the gates looked at; empty when there are none
}

func (g gateRun) failure() *GateError {
	if n := len(g.results); n > 0 && !g.results[n-1].Passed {
		return &GateError{g.event, g.results[n-1]}
	}
	return nil
}
