package workflowstate

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate/supervise"
)

const (
	TaskExecutor    = "task-executor"
	SupervisorAgent = "supervisor"
	OuterRalph      = "outer-ralph"
	Scanner         = "code-improvement-scanner"
)

// The states of an agent. A waiting one continues without help when a limit or another's claim
// ends; a blocked one continues once a person has acted.
const (
	InProgress = "in_progress"
	Waiting    = "waiting"
	Blocked    = "blocked"
)

// Agent is a working agent.
type Agent struct {
	lossless.Origin
	Type      string `json:"type"`
	Task      string `json:"task"`
	Started   string `json:"started"`
	Iteration int    `json:"iteration"`
	Status    string `json:"status"`
	PID       int    `json:"pid,omitempty"` // process that supervises it
	PIDStamp  string `json:"pid_stamp,omitempty"`
	Why       string `json:"why,omitempty"`   // why it is waiting or blocked
	Until     string `json:"until,omitempty"` // end of the wait, if known
}

// Agents are the working agents.
type Agents []Agent

// Start adds a working agent. A task has one agent of each type; a new one replaces it.
func (l *Agents) Start(a Agent, at time.Time) {
	a.Started = Stamp(at)
	if a.Status == "" {
		a.Status = InProgress
	}
	if was := l.find(a.Type, a.Task); was != nil {
		a.Origin = was.Origin
		*was = a
		return
	}
	*l = append(*l, a)
}

// SetStatus records what an agent does, such as InProgress again.
func (l Agents) SetStatus(kind, task, status string) bool {
	a := l.find(kind, task)
	if a == nil || a.Status == status {
		return false
	}
	a.Status, a.Why, a.Until = status, "", ""
	return true
}

// Wait records what an agent waits for, and until when if known.
func (l Agents) Wait(kind, task, why string, until time.Time) bool {
	a := l.find(kind, task)
	if a == nil {
		return false
	}
	a.Status, a.Why, a.Until = Waiting, text.Prefix(why, maxText), ""
	if !until.IsZero() {
		a.Until = Stamp(until)
	}
	return true
}

// block records that the agents of a task are stopped until a person acts. No process runs them any
// more. Iteration is the task's current one.
func (l *Agents) block(task, why string, iteration int, at time.Time) {
	kind := TaskExecutor
	if task == OuterTask {
		kind = OuterRalph
	}
	if task != "" && !slices.ContainsFunc(*l, func(a Agent) bool { return a.Task == task }) {
		l.Start(Agent{Type: kind, Task: task, Iteration: iteration}, at)
	}
	for i := range *l {
		if a := &(*l)[i]; a.Task == task {
			a.Status, a.Why, a.Until, a.PID, a.PIDStamp = Blocked, text.Prefix(why, maxText), "", 0, ""
		}
	}
}

// End removes a working agent.
func (l *Agents) End(kind, task string) bool {
	return len(l.RemoveGone(func(a Agent) bool { return a.Type != kind || a.Task != task })) > 0
}

// RemoveGone removes and returns the agents that are not alive: their tasks must start again.
func (l *Agents) RemoveGone(alive func(Agent) bool) (gone []Agent) {
	*l = slices.DeleteFunc(*l, func(a Agent) bool {
		if alive(a) {
			return false
		}
		gone = append(gone, a)
		return true
	})
	return gone
}

func (l Agents) find(kind, task string) *Agent {
	for i := range l {
		if a := &l[i]; a.Type == kind && a.Task == task {
			return a
		}
	}
	return nil
}

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
