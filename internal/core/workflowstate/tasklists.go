package workflowstate

import (
	"slices"
	"strconv"

	"warp/internal/core/lossless"
	"warp/internal/core/scope"
)

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
	// Unasked is what the task's work holds that no one asked for.
	Unasked  []scope.Point `json:"unasked,omitempty"`
	MicroUSD int64         `json:"cost_micro_usd,omitempty"`
	Unpriced int           `json:"unpriced_runs,omitempty"` // runs whose cost is not known
	Millis   int64         `json:"elapsed_ms,omitempty"`
}

// CompletedTasks are in the order of completion.
type CompletedTasks []Done

func (l CompletedTasks) find(task string) int {
	return slices.IndexFunc(l, func(d Done) bool { return d.Task == task })
}

// Has reports whether a task is completed.
func (l CompletedTasks) Has(task string) bool { return l.find(task) >= 0 }

// IDs returns the ids of the completed tasks.
func (l CompletedTasks) IDs() map[string]bool {
	done := map[string]bool{}
	for _, d := range l {
		done[d.Task] = true
	}
	return done
}

// SetCommit updates the commit of a completed task after a rebase.
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
	Round      int    `json:"round,omitempty"`             // how often it was done before, under earlier plans
	Before     int    `json:"iterations_before,omitempty"` // iterations of these rounds, and those that do not count
	SentBack   int    `json:"sent_back,omitempty"`         // the iteration whose work was sent back at no cost
	Began      string `json:"began,omitempty"`
	BeganAfter int64  `json:"began_after_ms,omitempty"` // the workflow's elapsed time then
	Iteration  int    `json:"iteration,omitempty"`      // current
	Iterations int    `json:"iterations,omitempty"`     // finished
	MicroUSD   int64  `json:"cost_micro_usd,omitempty"`
	Unpriced   int    `json:"unpriced_runs,omitempty"` // runs whose cost is not known
	Replans    int    `json:"re_plans,omitempty"`
	Plan       string `json:"plan,omitempty"` // the supervisor's replacement for the document's text
	PlanWhy    string `json:"plan_reason,omitempty"`
	Failed     string `json:"failed,omitempty"` // when the last try was given up
	FailedWhy  string `json:"failed_reason,omitempty"`
}

func (p *Pending) running() bool { return p.Began != "" && p.Failed == "" }

// PendingTasks are in the order of the task document.
type PendingTasks []Pending

// Find returns a pointer to the task in the list, or nil.
func (l PendingTasks) Find(task string) *Pending {
	for i := range l {
		if l[i].Task == task {
			return &l[i]
		}
	}
	return nil
}

// Progress returns a copy of the task; the zero value if it is not pending.
func (l PendingTasks) Progress(task string) Pending {
	if p := l.Find(task); p != nil {
		return *p
	}
	return Pending{}
}

// Untouchable returns the tasks that a new plan for one of them must leave alone: they are done or
// in progress.
func (s *State) Untouchable(own string) map[string]bool {
	list := s.CompletedTasks.IDs()
	for _, p := range s.PendingTasks {
		if p.Began != "" && p.Task != own {
			list[p.Task] = true
		}
	}
	return list
}

// Criterion is whether one of a task's success criteria is met.
type Criterion struct {
	Key string
	Met bool
}

// Criteria is an object of criteria, in the order of the task document.
type Criteria []Criterion

// AllMet reports whether every criterion is met.
func (c Criteria) AllMet() bool {
	return !slices.ContainsFunc(c, func(one Criterion) bool { return !one.Met })
}

// FromJSON implements lossless.Codec.
func (c *Criteria) FromJSON(v *lossless.Value) *lossless.TypeError {
	if v.Kind != lossless.Object {
		return lossless.Wrong(v, "an object")
	}
	*c = nil
	for _, m := range v.Members {
		if m.Value.Kind != lossless.Bool {
			return lossless.Wrong(m.Value, "a boolean").Under(m.Key)
		}
		*c = append(*c, Criterion{m.Key, m.Value.Raw == "true"})
	}
	return nil
}

// ToJSON implements lossless.Codec.
func (c Criteria) ToJSON(src *lossless.Value) *lossless.Value {
	v := lossless.NewObject()
	for _, k := range c {
		v.Members = append(v.Members, lossless.Member{Key: k.Key, Value: &lossless.Value{Kind: lossless.Bool, Raw: strconv.FormatBool(k.Met)}})
	}
	if lossless.Equal(v, src) {
		return src
	}
	return v
}
