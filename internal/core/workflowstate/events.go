package workflowstate

import (
	"fmt"
	"slices"
	"time"

	"warp/internal/core/learning"
	"warp/internal/core/lossless"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate/supervise"
)

// maxText bounds what is kept of the words of others, in bytes.
const maxText = 4000

// maxNote bounds what a person says of a checkpoint, in bytes.
const maxNote = 500

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

// AgentStarted puts an agent among those at work. Of one type a task has one:
// another takes its place.
func (s *State) AgentStarted(a Agent, at time.Time) {
	a.Started = Stamp(at)
	if a.Status == "" {
		a.Status = InProgress
	}
	if i := s.agent(a.Type, a.Task); i >= 0 {
		a.Origin = s.ActiveAgents[i].Origin
		s.ActiveAgents[i] = a
		return
	}
	s.ActiveAgents = append(s.ActiveAgents, a)
}

// AgentIs notes what an agent does: InProgress again, say.
func (s *State) AgentIs(kind, task, status string) bool {
	i := s.agent(kind, task)
	if i < 0 || s.ActiveAgents[i].Status == status {
		return false
	}
	a := &s.ActiveAgents[i]
	a.Status, a.Why, a.Until = status, "", ""
	return true
}

// AgentWaits notes what an agent waits for, and until when where that is known.
func (s *State) AgentWaits(kind, task, why string, until time.Time) bool {
	i := s.agent(kind, task)
	if i < 0 {
		return false
	}
	a := &s.ActiveAgents[i]
	a.Status, a.Why, a.Until = Waiting, text.Prefix(why, maxText), ""
	if !until.IsZero() {
		a.Until = Stamp(until)
	}
	return true
}

// block notes that the agents of a task do not go on until a person has done something.
// No process is at them any more.
func (s *State) block(task, why string, at time.Time) {
	kind := TaskExecutor
	if task == OuterTask {
		kind = OuterRalph
	}
	if task != "" && !slices.ContainsFunc(s.ActiveAgents, func(a Agent) bool { return a.Task == task }) {
		s.AgentStarted(Agent{Type: kind, Task: task, Iteration: s.Progress(task).Iteration}, at)
	}
	for i := range s.ActiveAgents {
		if a := &s.ActiveAgents[i]; a.Task == task {
			a.Status, a.Why, a.Until, a.PID, a.PIDStamp = Blocked, text.Prefix(why, maxText), "", 0, ""
		}
	}
}

// unblock takes the agents away that were blocked: they are begun again.
func (s *State) unblock() {
	s.ActiveAgents = slices.DeleteFunc(s.ActiveAgents, func(a Agent) bool { return a.Status == Blocked })
}

// AgentEnded takes an agent from those at work.
func (s *State) AgentEnded(kind, task string) bool {
	i := s.agent(kind, task)
	if i >= 0 {
		s.ActiveAgents = slices.Delete(s.ActiveAgents, i, i+1)
	}
	return i >= 0
}

// AgentsGone takes away the agents that are not alive, and returns them: their
// tasks have to be begun again.
func (s *State) AgentsGone(alive func(Agent) bool) (gone []Agent) {
	s.ActiveAgents = slices.DeleteFunc(s.ActiveAgents, func(a Agent) bool {
		if alive(a) {
			return false
		}
		gone = append(gone, a)
		return true
	})
	return gone
}

func (s *State) agent(kind, task string) int {
	return slices.IndexFunc(s.ActiveAgents, func(a Agent) bool { return a.Type == kind && a.Task == task })
}

// Check is one look of the supervisor.
type Check struct {
	Type      string // PreTask, PostTask, OnDemand
	Task      string
	Round     int // which of its type on this task: it is counted once
	Conflicts int
	MicroUSD  int64
}

// SupervisorChecked counts a check.
func (s *State) SupervisorChecked(c Check, at time.Time) bool {
	if !s.Spent(fmt.Sprintf("check %s %s %d", c.Type, c.Task, c.Round), c.Task, c.MicroUSD) {
		return false
	}
	last := Stamp(at)
	s.Supervisor.ChecksPerformed++
	s.Supervisor.ConflictsDetected += max(0, c.Conflicts)
	s.Supervisor.LastCheck = &last
	return true
}

// Intervened records what was done about a conflict, once for each conflict of a
// check. A check has the tasks re-planned once, whatever it found. The timestamp
// is set here.
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
		if p := s.Pending(i.Task); p != nil {
			p.Replans++
		}
	}
	s.Supervisor.Interventions = newest(append(s.Supervisor.Interventions, i), maxKept)
	return true
}

// Learned records a lesson, once for each iteration that it was learned in.
func (s *State) Learned(l learning.Learning) bool {
	l = l.Bounded()
	if slices.ContainsFunc(s.Learnings, func(o learning.Learning) bool { return o.Same(l) }) {
		return false
	}
	s.Learnings = newest(append(s.Learnings, l), maxKept)
	return true
}

// MilestoneReached records the issue of a finished phase, one for each. An
// address that was not known yet is filled in.
func (s *State) MilestoneReached(phase int, name, url string, at time.Time) bool {
	i := slices.IndexFunc(s.Milestones, func(m Milestone) bool { return m.Phase == phase })
	if i < 0 {
		s.Milestones = append(s.Milestones, Milestone{Phase: phase, Name: name, Completed: Stamp(at), IssueURL: url})
		return true
	}
	if m := &s.Milestones[i]; m.IssueURL == "" && url != "" {
		m.IssueURL, m.Unfiled = url, ""
		return true
	}
	return false
}

// MilestoneUnfiled notes why the issue of a finished phase is not filed yet.
func (s *State) MilestoneUnfiled(phase int, why string) bool {
	for i := range s.Milestones {
		if m := &s.Milestones[i]; m.Phase == phase && m.IssueURL == "" && m.Unfiled != why {
			m.Unfiled = text.Prefix(why, maxText)
			return true
		}
	}
	return false
}

// Unfiled are the milestones whose issues are not filed yet.
func (s *State) Unfiled() []Milestone {
	return slices.DeleteFunc(slices.Clone(s.Milestones), func(m Milestone) bool { return m.IssueURL != "" })
}

// CheckpointMade records checkpoint n, counted from 1. The snapshot is to be
// printed afterwards, so that it names itself.
func (s *State) CheckpointMade(n, phase int, task, sha string, at time.Time) bool {
	return s.AddCheckpoint(n, Checkpoint{Phase: phase, Task: task, GitSHA: sha}, at)
}

// AddCheckpoint is CheckpointMade for one that has more to say.
func (s *State) AddCheckpoint(n int, c Checkpoint, at time.Time) bool {
	c.Timestamp, c.StateSnapshot, c.Note = Stamp(at), SnapshotFile(n), text.Prefix(c.Note, maxNote)
	if slices.ContainsFunc(s.Checkpoints, func(o Checkpoint) bool { return o.StateSnapshot == c.StateSnapshot }) {
		return false
	}
	s.Checkpoints = newest(append(s.Checkpoints, c), maxKept)
	return true
}

// LastCheckpoint is the highest number of a checkpoint, 0 when there is none.
func (s *State) LastCheckpoint() (last int) {
	for _, c := range s.Checkpoints {
		n, _ := SnapshotNumber(c.StateSnapshot)
		last = max(last, n)
	}
	return last
}
