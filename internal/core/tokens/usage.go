// Package tokens is about what agents use, in tokens and in money: reading transcripts, assigning
// messages to work, the rows of the token ledger, sums, and budgets. The cost of a model without a
// price is unknown, which is never the same as zero. It does no I/O: lines, rows and prices come in
// as values.
package tokens

import "time"

// Tokens are counted by price class.
type Tokens struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
}

func (t Tokens) Sum() int64 { return t.Input + t.Output + t.CacheRead + t.CacheWrite }

func (t Tokens) Plus(u Tokens) Tokens {
	return Tokens{t.Input + u.Input, t.Output + u.Output, t.CacheRead + u.CacheRead, t.CacheWrite + u.CacheWrite}
}

// Less subtracts others; no count falls below zero.
func (t Tokens) Less(u Tokens) Tokens {
	return Tokens{max(0, t.Input-u.Input), max(0, t.Output-u.Output), max(0, t.CacheRead-u.CacheRead), max(0, t.CacheWrite-u.CacheWrite)}
}

// Most returns the maximum of each. A message's usage only grows while it is written, so this is
// its final usage, in any order.
func (t Tokens) Most(u Tokens) Tokens {
	return Tokens{max(t.Input, u.Input), max(t.Output, u.Output), max(t.CacheRead, u.CacheRead), max(t.CacheWrite, u.CacheWrite)}
}

// Place is the work that something was used for; the zero value is outside any drive.
type Place struct {
	Issue string
	Chunk int
	Phase string
}

const (
	Transcript = "transcript" // a message of a session
	Run        = "run"        // a run of a headless drive, from its journal
)

// Entry is a usage record.
type Entry struct {
	At      time.Time
	Project string
	Session string
	Place
	Work   string // work outside a drive: "session NAME", "workflow NAME"
	Role   string // of a run
	Model  string
	Source string
	Tokens
	// Paid means that MicroUSD is the cost. Otherwise the price of its model decides.
	Paid     bool
	MicroUSD int64
	// Unpriced means that the cost is unknown.
	Unpriced bool
}

// Untold reports whether neither tokens nor cost are known, as for an agent that does not report
// them or was killed.
func (e Entry) Untold() bool { return e.Unpriced && e.Sum() == 0 }
