package drivestate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lazy"
)

// The reasons for exceeded budgets, in the order in which they are listed.
const (
	PhaseTimeout        = "phase_timeout"
	RetryExceeded       = "retry_exceeded"
	CodingCyclesReached = "coding_cycles_exceeded"
	NoProgress          = "no_progress"
	TotalChunks         = "total_chunks_exceeded"
	SessionTimeout      = "session_timeout"
)

// What happens when a phase lasts too long.
const (
	Warn  = "warn"
	Block = "block"
	Halt  = "abort"
)

// Limits are a drive's configured limits.
type Limits struct {
	PhaseMinutes     int
	PhaseEnforcement string
	Retries          int
	CodingCycles     int
	NoProgress       int
	TotalChunks      int
	SessionMinutes   int
	EditsPerFile     int
	ACsPerCommit     int
}

// Used is what a drive has used of its budgets, without pauses.
type Used struct {
	waits                             bool // no budget applies in its phase
	phase, session                    time.Duration
	retries, cycles, failures, chunks int
}

// Used counts from the session's start, or from its last renewed budget.
func (s *State) Used(now time.Time) Used {
	b := &s.Budgets
	u := Used{
		waits:   !s.Phase.Trips(),
		phase:   max(0, event.Since(b.PhaseStartedAt, now)-seconds(b.PhasePausedSeconds)),
		session: max(0, event.Since(cmp.Or(b.SessionFrom, s.Session.StartedAt), now)-seconds(s.Session.PausedSeconds)),
		retries: b.RetryCount, cycles: b.CodingCycles, chunks: s.Metrics.ChunksCompleted - b.ChunksFrom,
	}
	if b.NoProgress != nil {
		u.failures = b.NoProgress.Count
	}
	return u
}

// exceeded lists the exceeded budgets. Counters trip above their limit, the run of identical
// failures upon reaching it.
func (u Used) exceeded(l Limits) (reasons, warnings []string) {
	if u.waits {
		return nil, nil
	}
	for _, t := range []struct {
		reason  string
		tripped bool
	}{
		{PhaseTimeout, u.phase > minutes(l.PhaseMinutes)},
		{RetryExceeded, u.retries > l.Retries},
		{CodingCyclesReached, u.cycles > l.CodingCycles},
		{NoProgress, u.failures > 0 && u.failures >= l.NoProgress},
		{TotalChunks, u.chunks > l.TotalChunks},
		{SessionTimeout, u.session > minutes(l.SessionMinutes)},
	} {
		switch {
		case !t.tripped:
		case t.reason == PhaseTimeout && !l.stopsPhase():
			warnings = append(warnings, t.reason)
		default:
			reasons = append(reasons, t.reason)
		}
	}
	return reasons, warnings
}

// SessionLeft returns the session's remaining time.
func (u Used) SessionLeft(l Limits) time.Duration { return max(0, minutes(l.SessionMinutes)-u.session) }

// allowance is the use of one budget, for people.
type allowance struct {
	reason      string
	used, limit int
	unit        string
}

func (u Used) allowances(l Limits) []allowance {
	return []allowance{
		{PhaseTimeout, int(u.phase.Minutes()), l.PhaseMinutes, "min"},
		{RetryExceeded, u.retries, l.Retries, "retries"},
		{CodingCyclesReached, u.cycles, l.CodingCycles, "cycles"},
		{NoProgress, u.failures, l.NoProgress, "identical failures"},
		{TotalChunks, u.chunks, l.TotalChunks, "chunks"},
		{SessionTimeout, int(u.session.Minutes()), l.SessionMinutes, "min"},
	}
}

// stopsPhase reports whether a phase that lasts too long is stopped, not just warned about.
func (l Limits) stopsPhase() bool { return l.PhaseEnforcement == Block || l.PhaseEnforcement == Halt }

func minutes(n int) time.Duration   { return time.Duration(n) * time.Minute }
func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// beforeCoding are the phases with no work to continue.
var beforeCoding = []Phase{Prerequisites, Discovering, Planning, Chunking}

// CanContinue reports whether an exceeded budget may be reset.
func (b *Budgets) CanContinue() bool { return !slices.Contains(beforeCoding, b.ExceededFromPhase) }

// renewBudgets resets each exceeded budget.
func renewBudgets(s *State, st Step) {
	b := &s.Budgets
	for _, r := range b.ExceededReasons {
		switch r {
		case RetryExceeded:
			b.RetryCount = 0
		case CodingCyclesReached:
			b.CodingCycles = 0
		case NoProgress:
			b.NoProgress = nil
		case TotalChunks:
			b.ChunksFrom = s.Metrics.ChunksCompleted
		case SessionTimeout:
			b.SessionFrom = Stamp(st.Now)
			s.Session.PausedSeconds = 0
		}
		// phase_timeout: entering coding restarts the phase's clock.
	}
}

// countFailure extends the run of identical failures. Without a text or a known work tree, nothing
// can be called identical.
func (b *Budgets) countFailure(st Step, text string) {
	diff := st.Tree
	if strings.TrimSpace(text) == "" || diff == "" || st.Sign == nil {
		return
	}
	signature := st.Sign(text)
	p := b.NoProgress
	if p == nil || p.Signature != signature || p.Diff != diff {
		b.NoProgress = &Progress{1, signature, diff}
		return
	}
	p.Count++
}

// spelled are the reasons for budget_exceeded as people read them, with the setting to look at.
var spelled = lazy.Table[string, string]{
	{PhaseTimeout, "a phase took longer than max_phase_minutes"},
	{RetryExceeded, "it took more retries than max_retries_per_chunk allows"},
	{CodingCyclesReached, "it took more coding cycles than max_coding_cycles allows"},
	{NoProgress, "it failed in the same way again, with no new change (max_no_progress)"},
	{TotalChunks, "it has more chunks than max_total_chunks allows"},
	{SessionTimeout, "it took longer than max_session_minutes"},
	{CostExceeded, "its money is spent"},
	{TokensExceeded, "its tokens are spent"},
	{TimeExceeded, "its time is up"},
}

// Spell describes why budgets tripped. A reason from a later version keeps its name.
func Spell(reasons []string) string {
	words := make([]string, len(reasons))
	for i, r := range reasons {
		words[i] = cmp.Or(spelled.Get(r), r)
	}
	return strings.Join(words, ", and ")
}
