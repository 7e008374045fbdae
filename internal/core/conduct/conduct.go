// Package conduct is the conversation between a drive and the one who conducts it: the
// worker of a fleet. The drive asks before each phase, push and filing, and does nothing
// until it is told to go; everything it asks is a line of JSON, and so is every reply.
package conduct

import "time"

// Kind is what a drive has to say.
type Kind string

// What a drive says. It waits for a reply to all but Live and End.
const (
	Phase    Kind = "phase"    // a phase is next
	Push     Kind = "push"     // it is about to push
	File     Kind = "file"     // it is about to change something in the tracker
	Question Kind = "question" // a person must decide
	Live     Kind = "live"     // what it does now
	End      Kind = "end"      // it is done: nothing comes after
)

// Say is a line of a drive.
type Say struct {
	Kind   Kind   `json:"kind"`
	Serial int64  `json:"n,omitempty"`     // of what is to be replied to, counted from 1
	Phase  string `json:"phase,omitempty"` // the drive is in
	Agent  bool   `json:"agent,omitempty"` // the phase may start agents, which cost money
	What   string `json:"what,omitempty"`  // the branch pushed, what is filed, or what it does now
	Spent
	Windows []Window `json:"windows,omitempty"` // of its account, as far as the agent has told
	Ask     *Ask     `json:"ask,omitempty"`
	Outcome *Outcome `json:"outcome,omitempty"`
}

// Spent is what a drive has used since it began, over all of its processes.
type Spent struct {
	Tokens   int64 `json:"tokens,omitempty"`
	MicroUSD int64 `json:"micro_usd,omitempty"`
}

// Window is how much of a window of an account is used.
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
	Minutes int      `json:"minutes,omitempty"` // until the default is taken; 0: no bound
}

// Outcome is what became of a requirement.
type Outcome struct {
	Result string `json:"result"` // as evidence says it: merged, pull_request, failed, …
	Why    string `json:"why,omitempty"`
	Do     string `json:"do,omitempty"`
	Commit string `json:"commit,omitempty"`
	Pull   string `json:"pull,omitempty"` // the pull request's address
	// Limited is set when an account met a limit; the drive can be resumed then.
	Limited *Limit `json:"limited,omitempty"`
}

// Limit is one that an account met.
type Limit struct {
	Until string `json:"until,omitempty"` // RFC 3339; "": unknown
	Text  string `json:"text,omitempty"`
}

// Reply answers a line of a drive.
type Reply struct {
	Serial int64  `json:"n"`
	Go     bool   `json:"go"`
	Why    string `json:"why,omitempty"` // it must not go on; the drive parks itself where it is
	// MicroUSD is what the phase may spend; 0: no bound besides the drive's own.
	MicroUSD int64 `json:"micro_usd,omitempty"`
	// Answer is a person's, to a question; "": none came in time.
	Answer string `json:"answer,omitempty"`
	By     string `json:"by,omitempty"`
	// Good, without a serial number, is for how many milliseconds the fleet stands by this
	// drive. When they have passed and no more were granted, the drive ends its agent as if
	// the worker were gone: it may have been stopped, or cut off.
	Good int64 `json:"good_ms,omitempty"`
}
