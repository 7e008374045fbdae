// Package conduct is the protocol between a drive and its conductor, the worker of a fleet. The
// drive asks before each phase, push and filing, and does nothing until it is told to go. Every
// question and reply is a line of JSON.
package conduct

import "time"

// Kind is the kind of a drive's message.
type Kind string

// The messages of a drive. It waits for a reply to all but Live and End.
const (
	Phase    Kind = "phase"    // a phase is next
	Push     Kind = "push"     // it is about to push
	File     Kind = "file"     // it is about to change something in the tracker
	Question Kind = "question" // a person must decide
	Live     Kind = "live"     // what it is doing
	End      Kind = "end"      // it is done: nothing follows
)

// Say is a message of a drive.
type Say struct {
	Kind   Kind   `json:"kind"`
	Serial int64  `json:"n,omitempty"`     // number of a message that needs a reply, from 1
	Phase  string `json:"phase,omitempty"` // the drive's current one
	Agent  bool   `json:"agent,omitempty"` // the phase may start agents, which cost money
	What   string `json:"what,omitempty"`  // the branch pushed, what is filed, or what it is doing
	Spent
	Windows []Window `json:"windows,omitempty"` // of its account, as far as the agent reported
	Ask     *Ask     `json:"ask,omitempty"`
	Outcome *Outcome `json:"outcome,omitempty"`
}

// Spent is what a drive has used since it began, in all its processes.
type Spent struct {
	Tokens   int64 `json:"tokens,omitempty"`
	MicroUSD int64 `json:"micro_usd,omitempty"`
}

// Window is how much of an account's window is used.
type Window struct {
	Name    string    `json:"name"` // five_hour, seven_day
	Percent float64   `json:"percent"`
	Reset   time.Time `json:"reset,omitzero"`
}

// Ask is a question to a person.
type Ask struct {
	ID      string   `json:"id"`
	Text    string   `json:"text"`
	Context string   `json:"context,omitempty"`
	Options []string `json:"options,omitempty"`
	Default string   `json:"default,omitempty"`
	Minutes int      `json:"minutes,omitempty"` // until the default is taken; 0: no limit
}

// Outcome is how a requirement ended.
type Outcome struct {
	Result string `json:"result"` // as in evidence: merged, pull_request, failed, …
	Why    string `json:"why,omitempty"`
	Do     string `json:"do,omitempty"`
	Commit string `json:"commit,omitempty"`
	Pull   string `json:"pull,omitempty"` // the pull request's address
	// Limited is set if an account hit a limit; the drive can then be resumed.
	Limited *Limit `json:"limited,omitempty"`
}

// Limit is a limit that an account hit.
type Limit struct {
	Until string `json:"until,omitempty"` // RFC 3339; "" if unknown
	Text  string `json:"text,omitempty"`
}

// Reply answers a message of a drive.
type Reply struct {
	Serial int64  `json:"n"`
	Go     bool   `json:"go"`
	Why    string `json:"why,omitempty"` // why it must not continue; the drive parks itself where it is
	// MicroUSD is what the phase may spend; 0: no limit besides the drive's own.
	MicroUSD int64 `json:"micro_usd,omitempty"`
	// Answer is a person's answer to a question; "" if none came in time.
	Answer string `json:"answer,omitempty"`
	By     string `json:"by,omitempty"`
	// Good, without a serial number, is for how many milliseconds the fleet keeps this drive. If
	// they pass without a renewal, the drive ends its agent as if the worker were gone: it may have
	// been stopped, or cut off.
	Good int64 `json:"good_ms,omitempty"`
}
