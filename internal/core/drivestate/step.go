package drivestate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// Step is one event with everything known when it happens.
type Step struct {
	Event   Event
	Data    Data
	Now     time.Time
	Limits  Limits
	Tree    string // fingerprint of the work tree; "" if unknown
	Tested  string // tree that passed the tests, with TestsPassed
	Blocked string // why a gate refused the event; "" if all passed
	Cycle   bool   // what refused it were the tests, or what costs as much
	Targets map[Event][]string
	// Sign returns a signature that identical failures share; nil means that no two are identical.
	Sign func(failure string) string
	// From git, if there is a repository.
	Head    string            // the checked-out branch
	Tips    map[string]string // tips of the guarded branches, of Head and of the branch in Data
	Commits []string          // on the drive's branch since the phase began, if the phase allows any
}

// Outcome is the result of a step.
type Outcome struct {
	From     Phase    `json:"from"`
	To       Phase    `json:"to"`
	Event    Event    `json:"event"`
	Reasons  []string `json:"reasons,omitempty"`  // exceeded budgets
	Warnings []string `json:"warnings,omitempty"` // advice only
}

// Tripped reports whether an exceeded budget stopped the event.
func (o Outcome) Tripped() bool { return len(o.Reasons) > 0 }

// PausedError refuses an event while the drive is paused.
type PausedError struct{ Since string }

func (e *PausedError) Error() string {
	return "the drive is paused since " + text.LocalStamp(e.Since) + "; run warp continue to resume it, or warp stop to abort"
}

// Check reports whether an event is allowed now, before anything costly is done for it.
func (s *State) Check(on Event) (Phase, error) {
	to, err := Table.Next(s.Phase, on)
	switch {
	case err != nil:
		return "", err
	case s.Paused != nil && on != Abort && on != BudgetAbort:
		return "", &PausedError{s.Paused.At}
	case s.Frozen.EndsByPerson() && on != Abort && on != BudgetAbort:
		return "", &FrozenError{s.Phase, *s.Frozen}
	case on == BudgetContinue && !s.Budgets.CanContinue():
		return "", fmt.Errorf("event %q is not allowed: the budget tripped in phase %q, before any coding, so there is nothing to continue; allowed: %s, %s",
			on, s.Budgets.ExceededFromPhase, BudgetAbort, Abort)
	}
	return to, nil
}

// Apply moves the state by one event. On an error nothing has changed. A refusing gate or an
// exceeded budget changes counters and perhaps the phase, but the event has no other effect.
func (s *State) Apply(st Step) (Outcome, error) {
	to, err := s.Check(st.Event)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{From: s.Phase, To: to, Event: st.Event}
	showGates(s, st.Targets)
	if st.Blocked == "" {
		learn(s, st)
	}
	e := effects.Get(st.Event)
	if st.Event != Abort {
		spend(s, st, e)
		used := s.Used(st.Now)
		if e.chunk && st.Blocked == "" { // the limit applies to the chunk that exceeds it
			used.chunks++
		}
		out.Reasons, out.Warnings = used.exceeded(st.Limits)
	}
	switch {
	case out.Tripped():
		out.To = exceed(s, out.Reasons, st)
	case st.Blocked != "":
		out.To = s.Phase
	default:
		if !s.Phase.Trips() { // waiting is not charged
			s.Session.PausedSeconds += int64(s.Used(st.Now).phase.Seconds())
		}
		if e.apply != nil {
			e.apply(s, st)
		}
		if slices.Contains(settling, st.Event) {
			s.LastFailure = nil
		}
		enter(s, to, st.Event, nil, st.Now)
		noteTips(s, st.Tips)
		s.Frozen = nil
	}
	s.Metrics.SessionMinutes = float64(int(max(0, event.Since(s.Session.StartedAt, st.Now)).Minutes()))
	setTimeUp(s, st.Limits, st.Now)
	return out, nil
}

// settling are the events that make earlier failures history.
var settling = []Event{Start, WorkSelected, ChunksDefined, TestsPassed, NextChunk, Merged}

// learn records the facts that came with the event; they hold whatever happens to it.
func learn(s *State, st Step) {
	d := st.Data
	if d.Requirement != "" {
		s.Requirement = &d.Requirement
	}
	if d.Branch != "" {
		s.Branch = &d.Branch
	}
	if s.Branch == nil && slices.Contains(branchEvents, st.Event) && st.Head != s.MainBranch {
		s.Branch = optional(st.Head)
	}
	for _, hash := range st.Commits {
		s.Committed(hash)
	}
	if d.Commit != "" && len(st.Commits) == 0 { // git's word counts more than the caller's
		s.Committed(d.Commit)
	}
	if d.Tokens != nil {
		s.Tokens.SessionTotal = lossless.NewInt(*d.Tokens)
	}
}

// Committed records a commit hash, in full if known.
func (s *State) Committed(hash string) {
	if !slices.ContainsFunc(s.CommitHashes, func(known string) bool { return strings.HasPrefix(known, hash) }) {
		s.CommitHashes = append(s.CommitHashes, hash)
		s.Metrics.Commits++
	}
}

// spend charges for a failure, and keeps its text for the session that continues after a
// compaction.
func spend(s *State, st Step, e effect) {
	failure := st.Blocked
	switch {
	case st.Blocked != "" && st.Cycle:
		s.Budgets.CodingCycles++
		s.Metrics.TestsRun++
	case st.Blocked == "":
		failure = st.Data.Failure
		if e.cycle {
			s.Budgets.CodingCycles++
		}
		if e.test {
			s.Metrics.TestsRun++
		}
		if !e.retry {
			return
		}
	}
	s.Budgets.RetryCount++
	s.Budgets.countFailure(st, failure)
	if failure = printable(failure, maxFailure); strings.TrimSpace(failure) != "" {
		s.LastFailure = &Failure{Stamp(st.Now), st.Event, failure}
	}
}

// enter moves to a phase and adds to the history. A loop to the same phase keeps its clock and edit
// counts.
func enter(s *State, to Phase, on Event, reasons []string, now time.Time) {
	s.History = append(s.History, Row{Phase: to, At: Stamp(now), From: s.Phase, Event: on, Reasons: reasons})
	if over := len(s.History) - maxHistory; over > 0 {
		s.History = slices.Delete(s.History, 0, over)
		s.HistoryDropped += over
	}
	if to != s.Phase {
		s.Budgets.PhaseStartedAt = Stamp(now)
		s.Budgets.PhasePausedSeconds = 0
		s.EditCounts = map[string]int{}
		s.Asked = nil
	}
	s.Phase = to
}
