package drivestate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/lossless"
)

// Step is one event with everything that is known when it happens.
type Step struct {
	Event   Event
	Data    Data
	Now     time.Time
	Limits  Limits
	Tree    string // fingerprint of the work tree; "" when it is not known
	Tested  string // tree that was shown to pass the tests, with TestsPassed
	Blocked string // what a gate that refused the event said; "" when all passed
	Targets map[Event][]string
	// Sign is what two failures have in common that are the same; nil: no two are.
	Sign func(failure string) string
	// What git says, where there is a repository.
	Head    string            // the branch that is checked out
	Tips    map[string]string // of the guarded branches, Head's and the one that the data names
	Commits []string          // on the drive's branch since the phase began, where the phase allows any
}

// Outcome is what became of a step.
type Outcome struct {
	From     Phase    `json:"from"`
	To       Phase    `json:"to"`
	Event    Event    `json:"event"`
	Reasons  []string `json:"reasons,omitempty"`  // budgets that tripped
	Warnings []string `json:"warnings,omitempty"` // advice, nothing was held up
}

// Tripped tells whether the event was refused because a budget was outrun.
func (o Outcome) Tripped() bool { return len(o.Reasons) > 0 }

// PausedError refuses an event while the drive is paused.
type PausedError struct{ Since string }

func (e *PausedError) Error() string {
	return "the drive is paused since " + e.Since + "; run warp continue to resume it, or warp stop to abort"
}

// Check tells whether an event is allowed now, before anything costly is done
// for it.
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

// Apply carries the state over one event. On an error nothing has changed. A
// gate that refused the event, and a budget that trips, change counters and
// perhaps the phase, but the event's own effects do not happen.
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
		if e.chunk && st.Blocked == "" { // the limit on chunks trips on the one that exceeds it
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
		if !s.Phase.Trips() { // no budget pays for waiting
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
	s.Metrics.SessionMinutes = float64(int(max(0, since(s.Session.StartedAt, st.Now)).Minutes()))
	setTimeUp(s, st.Limits, st.Now)
	return out, nil
}

// settling are the events after which what failed before is history.
var settling = []Event{Start, WorkSelected, ChunksDefined, TestsPassed, NextChunk, Merged}

// learn takes the facts that came with the event: they are true whatever
// becomes of it.
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

// Committed keeps a commit's hash, in full where it is known.
func (s *State) Committed(hash string) {
	if !slices.ContainsFunc(s.CommitHashes, func(known string) bool { return strings.HasPrefix(known, hash) }) {
		s.CommitHashes = append(s.CommitHashes, hash)
		s.Metrics.Commits++
	}
}

// spend counts what a failure costs, and keeps what went wrong for the session that goes on
// after a compaction.
func spend(s *State, st Step, e effect) {
	failure := st.Blocked
	if st.Blocked == "" {
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

// enter enters a phase and writes the history. A loop onto the same phase keeps
// the phase's clock and edits: it is still the same stay.
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
