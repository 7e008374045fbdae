// Package tokens is what agents have used, in tokens and in money: how a line of
// a transcript is read, which work a message belongs to, what rows the ledger of
// tokens gets, how all of it is added up, and when a budget is spent. What a
// model without a price has cost is not known, which is never the same as
// nothing. It does no I/O: lines, rows and prices come in.
package tokens

import "time"

// Tokens are counted by what they cost.
type Tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

// Sum is all of them.
func (t Tokens) Sum() int64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite }

// Plus adds others.
func (t Tokens) Plus(u Tokens) Tokens {
	return Tokens{t.Input + u.Input, t.Output + u.Output, t.CacheRead + u.CacheRead, t.CacheWrite + u.CacheWrite}
}

// Less takes others away; none falls below nothing.
func (t Tokens) Less(u Tokens) Tokens {
	return Tokens{max(0, t.Input-u.Input), max(0, t.Output-u.Output), max(0, t.CacheRead-u.CacheRead), max(0, t.CacheWrite-u.CacheWrite)}
}

// Most is the larger of each. What a message has used only grows while it is
// written, so this is what it used in the end, in any order.
func (t Tokens) Most(u Tokens) Tokens {
	return Tokens{max(t.Input, u.Input), max(t.Output, u.Output), max(t.CacheRead, u.CacheRead), max(t.CacheWrite, u.CacheWrite)}
}

// Place is the work that something was used for; the zero value is no drive's.
type Place struct {
	Issue string
	Chunk int
	Phase string
}

// The sources of an entry.
const (
	Transcript = "transcript" // a message of a session
	Run        = "run"        // a run of a headless drive, as its journal has it
)

// Entry is something that was used.
type Entry struct {
	At      time.Time
	Project string
	Session string
	Place
	Work   string // what it was for where that is no drive: "session NAME", "workflow NAME"
	Model  string
	Source string
	Tokens
	// Paid tells that MicroUSD is what it has cost. Else the price of its
	// model says that.
	Paid     bool
	MicroUSD int64
	// Unpriced says that its cost is unknown.
	Unpriced bool
}

// Untold tells that neither tokens nor cost are known: of an agent that does not
// tell them, or that was killed.
func (e Entry) Untold() bool { return e.Unpriced && e.Sum() == 0 }
