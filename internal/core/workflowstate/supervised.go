package workflowstate

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/text"
	"warp/internal/core/workflowstate/supervise"
)

// maxText limits texts from outside, in bytes.
const maxText = 4000

// Check is one review by the supervisor.
type Check struct {
	Type      string // PreTask, PostTask, OnDemand
	Task      string
	Round     int // number of the check of its type on this task; counted once
	Conflicts int
	MicroUSD  int64
}

func (s *State) SupervisorChecked(c Check, at time.Time) {
	if !s.Spent(fmt.Sprintf("check %s %s %d", c.Type, c.Task, c.Round), c.Task, c.MicroUSD) {
		return
	}
	s.Supervisor.ChecksPerformed++
	s.Supervisor.ConflictsDetected += max(0, c.Conflicts)
	s.Supervisor.LastCheck = new(Stamp(at))
}

// Intervened records the action on a conflict, once per conflict of a check. A check counts as one
// re-plan, whatever it found. It sets the timestamp.
func (s *State) Intervened(i Intervention, at time.Time) bool {
	i.Timestamp, i.Resolution, i.Detail = Stamp(at), text.Prefix(i.Resolution, maxText), text.Prefix(i.Detail, maxText)
	known := slices.ContainsFunc(s.Supervisor.Interventions, func(o Intervention) bool {
		return o.CheckType == i.CheckType && o.Task == i.Task && o.Round == i.Round &&
			o.ConflictType == i.ConflictType && o.Severity == i.Severity && o.Action == i.Action && o.Detail == i.Detail
	})
	if known {
		return false
	}
	again := slices.ContainsFunc(s.Supervisor.Interventions, func(o Intervention) bool {
		return o.CheckType == i.CheckType && o.Task == i.Task && o.Round == i.Round && o.Action == i.Action
	})
	switch {
	case i.Action == supervise.AutoFix:
		s.Supervisor.AutoFixesApplied++
	case i.Action == supervise.RePlan && !again:
		s.Supervisor.RePlansTriggered++
		if p := s.PendingTasks.Find(i.Task); p != nil {
			p.Replans++
		}
	}
	s.Supervisor.Interventions = newest(append(s.Supervisor.Interventions, i), maxKept)
	return true
}
