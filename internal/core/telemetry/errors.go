package telemetry

import (
	"slices"
	"time"

	"warp/internal/core/errorclass"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// The states of an error. A pending one is to be retried; all others are settled.
const (
	Pending   = "pending_retry"
	Recovered = "recovered"
	Escalated = "escalated" // to the user
	Queued    = "queued"    // as work: invalid input must be rewritten
	Logged    = "logged"    // only
)

// Errors is the document errors/classified.json.
type Errors struct {
	Errors  []Entry            `json:"errors"`
	Summary Summary            `json:"summary"`
	Dropped map[string]Summary `json:"dropped,omitempty"` // by session: errors that the list no longer holds
	// UnknownRow counts each session's current run of unknown failures.
	UnknownRow map[string]int `json:"unknown_row,omitempty"`
}

// Entry is one error: a call that failed, however often.
type Entry struct {
	lossless.Origin
	ID             string           `json:"id"`
	Timestamp      string           `json:"timestamp"` // first failure
	Classification errorclass.Class `json:"classification"`
	Tool           string           `json:"tool"`
	Message        string           `json:"message"` // last failure
	RetryCount     int              `json:"retry_count"`
	MaxRetries     int              `json:"max_retries"`
	Status         string           `json:"status"`
	NextRetry      *string          `json:"next_retry"`
	Context        *lossless.Value  `json:"context"`

	Session     string `json:"session,omitempty"`
	Key         string `json:"key,omitempty"`
	RecoveredAt string `json:"recovered_at,omitempty"`
}

type Failure struct {
	ID      string
	Session string
	Key     string // identifies the call; "" equals no other
	Class   errorclass.Class
	Tool    string
	Message string
	Context *lossless.Value // an object, or nil
}

// Fail records a failure: a new error, or another try of a call that has not succeeded since it
// failed. It returns the updated entry.
func (e *Errors) Fail(f Failure, now time.Time) Entry {
	at := e.open(f.Session, f.Key)
	if at < 0 {
		e.Errors = append(e.Errors, Entry{
			ID: f.ID, Timestamp: Stamp(now), Context: lossless.NewObject(), Session: f.Session, Key: f.Key,
		})
		at = len(e.Errors) - 1
	}
	e.Errors[at].failed(f, now)
	e.countUnknown(f)
	entry := e.Errors[at]
	e.bound()
	e.summarise()
	return entry
}

// Recover records the success of a call that had failed, and returns the error as it was; nil if
// the call had not failed.
func (e *Errors) Recover(session, key string, now time.Time) *Entry {
	at := e.open(session, key)
	if at < 0 {
		return nil
	}
	was, entry := e.Errors[at], &e.Errors[at]
	entry.Status, entry.NextRetry, entry.RecoveredAt = Recovered, nil, Stamp(now)
	delete(e.UnknownRow, session)
	e.summarise()
	return &was
}

// Succeed ends a session's row of unknown failures, and reports whether there was one.
func (e *Errors) Succeed(session string) bool {
	was := e.UnknownRow[session]
	delete(e.UnknownRow, session)
	return was > 0
}

// countUnknown counts consecutive unknown failures.
func (e *Errors) countUnknown(f Failure) {
	if f.Class.Policy().Class != errorclass.Unknown {
		delete(e.UnknownRow, f.Session)
		return
	}
	if e.UnknownRow == nil {
		e.UnknownRow = map[string]int{}
	}
	e.UnknownRow[f.Session]++
}

// Unknowns returns a session's newest unknown errors, at most that many, oldest first.
func (e *Errors) Unknowns(session string, most int) (list []Entry) {
	for _, x := range slices.Backward(e.Errors) {
		if x.Session == session && x.Classification.Policy().Class == errorclass.Unknown && len(list) < most {
			list = append(list, x)
		}
	}
	slices.Reverse(list)
	return list
}

// Drop removes the errors of a session that ended, and reports whether there were any.
func (e *Errors) Drop(session string) bool {
	was := len(e.Errors)
	e.Errors = slices.DeleteFunc(e.Errors, func(x Entry) bool { return x.Session == session })
	_, counted := e.Dropped[session]
	delete(e.Dropped, session)
	delete(e.UnknownRow, session)
	if len(e.Errors) == was && !counted {
		return false
	}
	e.summarise()
	return true
}

// open finds the error of a call that has not succeeded since.
func (e *Errors) open(session, key string) int {
	if key == "" {
		return -1
	}
	return slices.IndexFunc(e.Errors, func(x Entry) bool {
		return x.Key == key && x.Session == session && x.Status != Recovered
	})
}

// failed applies a failure, whose class may differ from the last.
func (x *Entry) failed(f Failure, now time.Time) {
	x.MaxRetries = f.Class.Policy().MaxRetries
	if x.RetryCount++; x.Classification != f.Class { // the first of its class: number of the retry that is due
		x.RetryCount = min(1, x.MaxRetries)
	}
	x.Classification, x.Tool, x.Message = f.Class, f.Tool, text.Prefix(f.Message, maxErrorMessage)
	x.Status = status(f.Class, x.RetryCount)
	x.NextRetry = nil
	if at, ok := errorclass.NextRetry(f.Class, x.RetryCount, now, f.Message); ok {
		stamp := Stamp(at)
		x.NextRetry = &stamp
	}
	if f.Context != nil {
		x.Context = f.Context
	}
}

// status returns the new status of an error, from its class's strategy.
func status(c errorclass.Class, retry int) string {
	most := c.Policy().MaxRetries
	switch {
	case c == errorclass.Syntax || c == errorclass.Validation:
		return Queued
	case most > 0 && retry <= most:
		return Pending
	case c.Policy().Class == errorclass.Unknown:
		return Logged
	}
	return Escalated
}
