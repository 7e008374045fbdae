package drivestate

import (
	"slices"
	"strings"
	"time"
)

// The reasons for which a budget trips, in the order in which they are told.
const (
	PhaseTimeout        = "phase_timeout"
	RetryExceeded       = "retry_exceeded"
	CodingCyclesReached = "coding_cycles_exceeded"
	NoProgress          = "no_progress"
	TotalChunks         = "total_chunks_exceeded"
	SessionTimeout      = "session_timeout"
)

// How a phase that lasts too long is treated.
const (
	Warn  = "warn"
	Block = "block"
	Halt  = "abort"
)

// Limits are the bounds of a drive, as configured.
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

// trips lists the budgets that the state has outrun. Counters trip when they
// exceed their limit, the run of identical failures when it reaches it.
func (s *State) trips(l Limits, now time.Time) (reasons, warnings []string) {
	if !s.Phase.Trips() {
		return nil, nil
	}
	b := &s.Budgets
	for _, t := range []struct {
		reason  string
		tripped bool
	}{
		{PhaseTimeout, s.phaseElapsed(now) > minutes(l.PhaseMinutes)},
		{RetryExceeded, b.RetryCount > l.Retries},
		{CodingCyclesReached, b.CodingCycles > l.CodingCycles},
		{NoProgress, b.NoProgress != nil && b.NoProgress.Count >= l.NoProgress},
		{TotalChunks, s.Metrics.ChunksCompleted-b.ChunksFrom > l.TotalChunks},
		{SessionTimeout, s.sessionElapsed(now) > minutes(l.SessionMinutes)},
	} {
		switch {
		case !t.tripped:
		case t.reason == PhaseTimeout && l.PhaseEnforcement != Block && l.PhaseEnforcement != Halt:
			warnings = append(warnings, t.reason)
		default:
			reasons = append(reasons, t.reason)
		}
	}
	return reasons, warnings
}

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

// phaseElapsed is the time spent in the phase, pauses left out.
func (s *State) phaseElapsed(now time.Time) time.Duration {
	return max(0, since(s.Budgets.PhaseStartedAt, now)-seconds(s.Budgets.PhasePausedSeconds))
}

// sessionElapsed is the time since the session began, or since its last fresh
// allowance, pauses left out.
func (s *State) sessionElapsed(now time.Time) time.Duration {
	from := s.Session.StartedAt
	if s.Budgets.SessionFrom != "" {
		from = s.Budgets.SessionFrom
	}
	return max(0, since(from, now)-seconds(s.Session.PausedSeconds))
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// beforeCoding are the phases from which there is nothing to continue with.
var beforeCoding = []Phase{Prerequisites, Discovering, Planning, Chunking}

// CanContinue tells whether a tripped budget may be reset.
func (s *State) CanContinue() bool {
	return !slices.Contains(beforeCoding, s.Budgets.ExceededFromPhase)
}

// trip records that budgets were outrun and parks the drive.
func (s *State) trip(reasons []string, on Event, now time.Time) {
	s.Budgets.ExceededReasons = reasons
	s.Budgets.ExceededAt = Stamp(now)
	s.Budgets.ExceededFromPhase = s.Phase
	s.move(BudgetExceeded, on, reasons, now)
}

// freshAllowance gives each tripped budget its whole limit again.
func (s *State) freshAllowance(now time.Time) {
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
			b.SessionFrom = Stamp(now)
			s.Session.PausedSeconds = 0
		}
		// phase_timeout: entering coding restarts the phase's clock.
	}
}

// failed notes one failure for the run of identical ones. Without a text, or
// without knowing the work tree, nothing can be said to be identical.
func (s *State) failed(st Step, text string) {
	diff := st.Tree
	if strings.TrimSpace(text) == "" || diff == "" || st.Sign == nil {
		return
	}
	signature := st.Sign(text)
	p := s.Budgets.NoProgress
	if p == nil || p.Signature != signature || p.Diff != diff {
		s.Budgets.NoProgress = &Progress{1, signature, diff}
		return
	}
	p.Count++
}

// Left is what remains of one budget, for people.
type Left struct {
	Reason string `json:"reason"`
	Used   int    `json:"used"`
	Limit  int    `json:"limit"`
	Unit   string `json:"unit"`
}

// Allowances lists what is left of every budget.
func (s *State) Allowances(l Limits, now time.Time) []Left {
	np := 0
	if s.Budgets.NoProgress != nil {
		np = s.Budgets.NoProgress.Count
	}
	return []Left{
		{PhaseTimeout, int(s.phaseElapsed(now).Minutes()), l.PhaseMinutes, "min"},
		{RetryExceeded, s.Budgets.RetryCount, l.Retries, "retries"},
		{CodingCyclesReached, s.Budgets.CodingCycles, l.CodingCycles, "cycles"},
		{NoProgress, np, l.NoProgress, "identical failures"},
		{TotalChunks, s.Metrics.ChunksCompleted - s.Budgets.ChunksFrom, l.TotalChunks, "chunks"},
		{SessionTimeout, int(s.sessionElapsed(now).Minutes()), l.SessionMinutes, "min"},
	}
}
