package workflowstate

import (
	"slices"

	"warp/internal/core/lossless"
)

// Done is a completed task.
type Done struct {
	lossless.Origin
	Task          string   `json:"task"`
	Name          string   `json:"name"`
	Completed     string   `json:"completed"`
	Iterations    int      `json:"iterations"`
	TimeElapsed   string   `json:"time_elapsed"`
	Cost          string   `json:"cost"`
	FilesModified []string `json:"files_modified"`
	Criteria      Criteria `json:"success_criteria_met"`
	Phase         int      `json:"phase,omitempty"`
	Number        int      `json:"number,omitempty"` // in its phase, from 1
	Round         int      `json:"round,omitempty"`  // how often it was done before
	Commit        string   `json:"commit,omitempty"`
	MicroUSD      int64    `json:"cost_micro_usd,omitempty"`
	Millis        int64    `json:"elapsed_ms,omitempty"`
}

// CompletedTasks are in the order in which they were completed.
type CompletedTasks []Done

func (l CompletedTasks) find(task string) int {
	return slices.IndexFunc(l, func(d Done) bool { return d.Task == task })
}

// Has tells whether a task is completed.
func (l CompletedTasks) Has(task string) bool { return l.find(task) >= 0 }

// IDs are those of the completed tasks.
func (l CompletedTasks) IDs() map[string]bool {
	done := map[string]bool{}
	for _, d := range l {
		done[d.Task] = true
	}
	return done
}

// SetCommit notes that the commit of a completed task is another one by now: it was
// rebased.
func (l CompletedTasks) SetCommit(task, commit string) bool {
	i := l.find(task)
	if i < 0 || l[i].Commit == commit {
		return false
	}
	l[i].Commit = commit
	return true
}

// Pending is a task that is not completed.
type Pending struct {
	lossless.Origin
	Phase      int    `json:"phase"`
	Task       string `json:"task"`
	Name       string `json:"name"`
	Number     int    `json:"number,omitempty"`            // in its phase, from 1
	Round      int    `json:"round,omitempty"`             // how often it was done before, by plans since changed
	Before     int    `json:"iterations_before,omitempty"` // those of these rounds
	Began      string `json:"began,omitempty"`
	BeganAfter int64  `json:"began_after_ms,omitempty"` // the workflow's elapsed time then
	Iteration  int    `json:"iteration,omitempty"`      // the one at work
	Iterations int    `json:"iterations,omitempty"`     // those that are done
	MicroUSD   int64  `json:"cost_micro_usd,omitempty"`
	Replans    int    `json:"re_plans,omitempty"`
	Plan       string `json:"plan,omitempty"` // in place of the document's text, by the supervisor
	PlanWhy    string `json:"plan_reason,omitempty"`
	Failed     string `json:"failed,omitempty"` // when its last try was given up
	FailedWhy  string `json:"failed_reason,omitempty"`
}

func (p *Pending) running() bool { return p.Began != "" && p.Failed == "" }

// PendingTasks are in the order of the task document.
type PendingTasks []Pending

// Find is the task of an id, or nil. It is part of the list.
func (l PendingTasks) Find(task string) *Pending {
	for i := range l {
		if l[i].Task == task {
			return &l[i]
		}
	}
	return nil
}

// Progress is how far a task is: nowhere, where it is not pending.
func (l PendingTasks) Progress(task string) Pending {
	if p := l.Find(task); p != nil {
		return *p
	}
	return Pending{}
}

// Untouchable are the tasks that a new plan for one of them leaves alone: they are
// done, or an agent is at them.
func (s *State) Untouchable(own string) map[string]bool {
	list := s.CompletedTasks.IDs()
	for _, p := range s.PendingTasks {
		if p.Began != "" && p.Task != own {
			list[p.Task] = true
		}
	}
	return list
}
