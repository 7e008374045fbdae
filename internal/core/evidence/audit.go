package evidence

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/event"
)

// proofs are the kinds of rows that engines and people rely on. Only processes with the key write
// them; observers write the others.
var proofs = []string{
	event.Run, event.Plan, event.Verdict, event.Gate, event.Tested, event.Commit, event.Filed, event.Intervened,
	event.Decision, event.Skipped, event.Outcome, event.PassedOver, event.Criteria, event.Criterion,
	event.Landed, event.Follow, event.Unasked, event.Check,
}

// proves reports whether rows of a kind count only if signed.
func proves(kind string) bool { return slices.Contains(proofs, kind) }

// negative reports whether a run claims a negative cost, which is impossible.
func negative(r event.Row) bool {
	if r.Kind != event.Run {
		return false
	}
	for _, name := range []string{"micro_usd", "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"} {
		if n, ok := r.Data.Get(name).Int(); ok && n < 0 {
			return true
		}
	}
	return false
}

// The most that a run can have used. An agent may claim any number, and sums must not overflow into
// debts.
const (
	mostUsed    = 1 << 50
	mostSeconds = 10 * 365 * 24 * 60 * 60
)

// bound limits what a run claims to have used.
func (r *Run) bound() {
	for _, n := range []*int64{&r.Input, &r.Output, &r.CacheRead, &r.CacheWrite, &r.MicroUSD} {
		*n = min(*n, mostUsed)
	}
	r.Seconds = min(max(r.Seconds, 0), mostSeconds)
}

// ahead is how far the clocks of machines that share a folder may differ.
const ahead = 10 * time.Minute

// Audit counts what is wrong with a journal's rows.
type Audit struct {
	Unsigned  int `json:"unsigned,omitempty"`  // unsigned rows of proof
	Forged    int `json:"forged,omitempty"`    // invalid signatures
	Misplaced int `json:"misplaced,omitempty"` // signed rows whose predecessor is missing or different
	Future    int `json:"future,omitempty"`
	Negative  int `json:"negative,omitempty"`

	// Mark is the signature of a row that the journal must contain; "" if none is known.
	Mark          string
	found, signed bool
}

// isCut reports whether the end of the journal is missing. A journal without any signed row is new.
func (a Audit) isCut() bool { return a.Mark != "" && a.signed && !a.found }

// Take counts one row.
func (a *Audit) Take(r event.Row, now time.Time) {
	if r.Standing == event.Signed || r.Standing == event.Misplaced {
		a.signed, a.found = true, a.found || r.Mac == a.Mark
	}
	switch r.Standing {
	case event.Forged:
		a.Forged++
	case event.Misplaced:
		a.Misplaced++
	case event.Unsigned:
		if proves(r.Kind) {
			a.Unsigned++
		}
	}
	if at, err := time.Parse(time.RFC3339, r.At); err == nil && at.Sub(now) > ahead {
		a.Future++
	}
	if negative(r) {
		a.Negative++
	}
}

// Since returns the counts added since an earlier audit.
func (a Audit) Since(b Audit) Audit {
	a.Unsigned, a.Forged, a.Misplaced = max(0, a.Unsigned-b.Unsigned), max(0, a.Forged-b.Forged), max(0, a.Misplaced-b.Misplaced)
	a.Future, a.Negative = max(0, a.Future-b.Future), max(0, a.Negative-b.Negative)
	return a
}

// Describe lists what is wrong, one sentence each.
func (a Audit) Describe() (list []string) {
	say := func(n int, one, many string) {
		switch {
		case n == 1:
			list = append(list, one)
		case n > 1:
			list = append(list, fmt.Sprintf(many, n))
		}
	}
	say(a.Unsigned, "1 row of proof is not signed and does not count: an agent, another tool or an older warp wrote it",
		"%d rows of proof are not signed and do not count: an agent, another tool or an older warp wrote them")
	say(a.Forged, "1 row has an invalid signature: it was rewritten or made up, or is signed with another key",
		"%d rows have an invalid signature: they were rewritten or made up, or are signed with another key")
	say(a.Misplaced, "in 1 place signed rows were removed, rewritten or moved", "in %d places signed rows were removed, rewritten or moved")
	if a.isCut() {
		list = append(list, "signed rows are missing at its end: they were cut off, or an older journal was put back; what was spent since is unknown")
	}
	say(a.Future, "1 row is from the future", "%d rows are from the future")
	say(a.Negative, "1 run claims a negative cost and does not count", "%d runs claim a negative cost and do not count")
	return list
}
