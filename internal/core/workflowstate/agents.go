package workflowstate

import (
	"slices"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// The types of agents.
const (
	TaskExecutor    = "task-executor"
	SupervisorAgent = "supervisor"
	OuterRalph      = "outer-ralph"
	Scanner         = "code-improvement-scanner"
)

// What agents do: one that waits goes on by itself when what it waits for is over, a
// limit or another's claim; one that is blocked goes on when a person has done
// something about it.
const (
	InProgress = "in_progress"
	Waiting    = "waiting"
	Blocked    = "blocked"
)

// Agent is one that is at work.
type Agent struct {
	lossless.Origin
	Type      string `json:"type"`
	Task      string `json:"task"`
	Started   string `json:"started"`
	Iteration int    `json:"iteration"`
	Status    string `json:"status"`
	PID       int    `json:"pid,omitempty"` // of the process that looks after it
	PIDStamp  string `json:"pid_stamp,omitempty"`
	Why       string `json:"why,omitempty"`   // it is waiting, or blocked
	Until     string `json:"until,omitempty"` // it waits, where that is known
}

// Agents are those at work.
type Agents []Agent

// Start puts an agent among those at work. Of one type a task has one:
// another takes its place.
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

// SetStatus notes what an agent does: InProgress again, say.
func (l Agents) SetStatus(kind, task, status string) bool {
	a := l.find(kind, task)
	if a == nil || a.Status == status {
		return false
	}
	a.Status, a.Why, a.Until = status, "", ""
	return true
}

// Wait notes what an agent waits for, and until when where that is known.
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

// block notes that the agents of a task do not go on until a person has done something.
// No process is at them any more. Iteration is the one that the task is in.
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

// End takes an agent from those at work.
func (l *Agents) End(kind, task string) bool {
	return len(l.RemoveGone(func(a Agent) bool { return a.Type != kind || a.Task != task })) > 0
}

// RemoveGone takes away the agents that are not alive, and returns them: their
// tasks have to be begun again.
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
