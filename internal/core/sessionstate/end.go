package sessionstate

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

const (
	ReasonPlateau       = "plateau" // also by a judge
	ReasonQueueEmpty    = "queue-empty"
	ReasonBeadsEmpty    = "beads-empty"
	ReasonGatesPassed   = "gates-passed"
	ReasonMaxIterations = "max_iterations"
	ReasonBudget        = "budget"
	ReasonStopped       = "stopped"
	ReasonAgentError    = "agent-error"
	ReasonVerify        = "verify"    // the checks fail on the final state
	ReasonNoOutput      = "no-output" // another stage needs its output, and there is none
	ReasonLanding       = "landing"   // its commits cannot land without a person
	ReasonQuestion      = "question"  // an agent asks a person
	ReasonFailed        = "failed"
)

var (
	successes = []string{ReasonPlateau, ReasonQueueEmpty, ReasonBeadsEmpty, ReasonGatesPassed, ReasonMaxIterations}
	failures  = []string{ReasonBudget, ReasonStopped, ReasonAgentError, ReasonVerify, ReasonNoOutput, ReasonLanding, ReasonQuestion, ReasonFailed}
	// refusals end a stage that had done all its iterations: to resume, it needs another.
	refusals = []string{ReasonVerify, ReasonNoOutput}
)

// Succeeds reports whether the reason means complete rather than failed.
func Succeeds(reason string) bool { return slices.Contains(successes, reason) }

func known(reason string) error {
	if all := append(slices.Clone(successes), failures...); !slices.Contains(all, reason) {
		return fmt.Errorf("%q is not a reason to end; there are %s", reason, strings.Join(all, ", "))
	}
	return nil
}

// EndStage ends a stage, and with it a loop. Without an iteration that had a result, the stage has
// failed, whatever the reason.
func (s *State) EndStage(i int, reason, why string, now time.Time) error {
	st, err := s.open(i)
	if err == nil {
		err = known(reason)
	}
	switch {
	case err != nil:
		return err
	case Succeeds(reason) && st.IterationStarted != nil:
		return fmt.Errorf("%s: iteration %d is in progress", s.where(i), st.Iteration)
	case Succeeds(reason) && st.IterationCompleted == 0:
		reason, why = ReasonFailed, strings.TrimSuffix("no iteration ran: "+why, ": ")
	case Succeeds(reason) && st.Counts.Failed >= st.IterationCompleted:
		reason, why = ReasonAgentError, strings.TrimSuffix("no iteration had a result: "+why, ": ")
	}
	st.IterationStarted = nil
	if len(s.Stages) == 0 {
		s.put(i, st)
		s.finish(reason, why, now)
		return nil
	}
	st.Status = Failed
	if Succeeds(reason) {
		st.Status = Completed
	}
	st.CompletedAt, st.IterationsRun, st.Reason, st.Why = stamp(now), new(st.IterationCompleted), reason, clipValid(why, maxText)
	s.put(i, st)
	return nil
}

// End ends the session, and whatever still runs in it, for a reason; without one, by its stages'
// results. A pipeline with incomplete stages is no success. A session that has ended stays
// unchanged.
func (s *State) End(reason, why string, now time.Time) error {
	if s.Status != Running {
		return nil
	}
	if len(s.Stages) == 0 {
		return s.EndStage(0, reason, why, now)
	}
	if reason == "" || Succeeds(reason) {
		reason, why = s.outcome()
	}
	if err := known(reason); err != nil {
		return err
	}
	for i, st := range s.Stages {
		if st.Status != Running {
			continue
		}
		if err := s.EndStage(i, reason, why, now); err != nil {
			return err
		}
	}
	s.finish(reason, why, now)
	return nil
}

// AllCompleted reports whether all stages of a pipeline are complete, except those skipped for
// another branch.
func (s *State) AllCompleted() bool {
	return len(s.Stages) > 0 && !slices.ContainsFunc(s.Stages, func(st Stage) bool { return st.Status != Completed && st.Status != Skipped })
}

// outcome combines the results of the stages.
func (s *State) outcome() (reason, why string) {
	for _, st := range s.Stages {
		if st.Status == Failed {
			reason = st.Reason
			if !slices.Contains(failures, reason) {
				reason = ReasonFailed
			}
			return reason, strings.TrimSuffix("stage "+st.Name+": "+st.Why, ": ")
		}
	}
	for _, st := range s.Stages {
		if st.Status != Completed && st.Status != Skipped {
			return ReasonFailed, "stage " + st.Name + " is " + st.Status
		}
	}
	last := s.Stages[len(s.Stages)-1]
	if !Succeeds(last.Reason) { // another tool's reason: it ran as often as it wanted
		return ReasonMaxIterations, last.Reason
	}
	return last.Reason, last.Why
}

// SkipStage removes a stage that nothing depends on any more because another branch was chosen. It
// is neither a success nor a failure, and never restarts.
func (s *State) SkipStage(i int, why string, now time.Time) error {
	st, err := s.Stage(i)
	switch {
	case err != nil:
		return err
	case len(s.Stages) == 0 || s.Status != Running:
		return fmt.Errorf("%s: there is nothing to skip", s.where(i))
	case st.Status == Completed || st.Status == Skipped:
		return nil
	}
	st.IterationStarted, st.Iteration = nil, st.IterationCompleted
	st.Status, st.CompletedAt, st.IterationsRun, st.Reason, st.Why = Skipped, stamp(now), new(st.IterationCompleted), ReasonStopped, clipValid(why, maxText)
	s.put(i, st)
	return nil
}

// RedoStage restarts a completed stage whose result came to nothing: it gets its last iteration
// again.
func (s *State) RedoStage(i int) error {
	st, err := s.Stage(i)
	if err != nil || len(s.Stages) == 0 || st.Status != Completed && st.Status != Skipped {
		return err
	}
	st.Counts.again(ReasonNoOutput)
	st.Status, st.StartedAt, st.CompletedAt, st.IterationsRun, st.Reason, st.Why = Pending, "", "", nil, "", ""
	s.put(i, st)
	return nil
}

func (s *State) finish(reason, why string, now time.Time) {
	s.Status = Failed
	if Succeeds(reason) {
		s.Status = Complete
	}
	s.CompletedAt, s.CompletionReason, s.Why, s.Paused = new(stamp(now)), &reason, clipValid(why, maxText), nil
}

// Resume continues a session that is paused, interrupted by a crash, or failed; failed stages
// continue where they were, and get the iterations without a result again. A loop that reached its
// last iteration may continue too, if it is given more.
func (s *State) Resume() error {
	s.Paused = nil
	// The time since a kill is not charged. Units that run side by side start one by one: the
	// first once found the time spent that had passed for the others.
	s.IterationStarted = nil
	for i := range s.Stages {
		s.Stages[i].IterationStarted = nil
	}
	if s.Status == Running {
		return nil
	}
	if s.Status == Complete && (len(s.Stages) > 0 || deref(s.CompletionReason) != ReasonMaxIterations) {
		return fmt.Errorf("session %s is complete (%s): nothing to resume", s.Session, deref(s.CompletionReason))
	}
	reason := deref(s.CompletionReason)
	s.Status, s.CompletedAt, s.CompletionReason, s.Why = Running, nil, nil, ""
	if len(s.Stages) == 0 {
		s.Counts.again(reason)
		return nil
	}
	for i := range s.Stages {
		if st := &s.Stages[i]; st.Status == Failed {
			st.Counts.again(st.Reason)
			st.Status, st.CompletedAt, st.IterationsRun, st.Reason, st.Why = Running, "", nil, "", ""
		}
	}
	return nil
}

// noProgress begins the explanation of a budget that is spent because nothing changed.
const noProgress = "no progress: "

// Stalled reports whether the session ended because nothing changed: resuming it needs no higher
// limit.
func (s *State) Stalled() bool {
	why := s.Why
	if i := slices.IndexFunc(s.Stages, func(st Stage) bool { return st.Status == Failed }); i >= 0 {
		why = s.Stages[i].Why // the session's names the stage first
	}
	return s.Reason() == ReasonBudget && strings.HasPrefix(why, noProgress)
}

// Reason returns why the session ended; "" if it did not.
func (s *State) Reason() string { return deref(s.CompletionReason) }
