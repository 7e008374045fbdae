// Package workflowstate is the core of a workflow: the document agent-state.json, the lifecycle of
// its status, and small steps that advance it. Each step can be repeated after a crash without
// counting anything twice. It also holds the safety bounds and what was learned (learnings.jsonl).
//
// It does no I/O: times, costs and facts come in as values. Members outside the documented schema
// come last and are omitted while empty; members of other programs are kept. Task documents,
// agents, git and storage are handled elsewhere; claims of files by package claim, conflicts by
// package supervise.
package workflowstate

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/lossless"
	"warp/internal/core/workflowstate/supervise"
)

// The files, under the store's folder.
const (
	File           = "agent-state.json"
	CheckpointFile = "checkpoint.json" // the newest checkpoint's snapshot
	// Archive is the folder for files of workflows that have ended.
	Archive = "workflow-archive"
)

// Lease is the name of the lease that keeps a second engine out.
const Lease = "workflow"

// Name is the document's name in the journal.
const Name = "workflow"

// maxKept limits the lists that only grow to their newest entries; the journal has all. There are
// only as many completed tasks as the task document has.
const maxKept = 1000

// maxSteps limits the remembered steps: a step repeated after a crash is among the last.
const maxSteps = 200

// SnapshotFile returns the file of snapshot n, counted from 1. It holds a whole state: copying it
// over agent-state.json restores it.
func SnapshotFile(n int) string { return fmt.Sprintf("checkpoint-%03d.json", n) }

// SnapshotNumber returns the number in a snapshot's file name.
func SnapshotNumber(file string) (n int, ok bool) {
	if _, err := fmt.Sscanf(file, "checkpoint-%d.json", &n); err != nil || n < 1 || SnapshotFile(n) != file {
		return 0, false
	}
	return n, true
}

// Packed is the suffix of a compressed snapshot.
const Packed = ".gz"

// SnapshotIn is SnapshotNumber for files that may be packed.
func SnapshotIn(file string) (n int, packed, ok bool) {
	whole, packed := strings.CutSuffix(file, Packed)
	n, ok = SnapshotNumber(whole)
	return n, packed, ok
}

// State is the document agent-state.json.
type State struct {
	Orchestrator   Orchestrator   `json:"orchestrator"`
	Supervisor     Supervisor     `json:"supervisor"`
	ActiveAgents   Agents         `json:"active_agents"`
	CompletedTasks CompletedTasks `json:"completed_tasks"`
	PendingTasks   PendingTasks   `json:"pending_tasks"` // including those in progress
	SafetyBounds   Bounds         `json:"safety_bounds"`
	Learnings      Learnings      `json:"learnings"`
	Milestones     Milestones     `json:"milestones"`
	Checkpoints    Checkpoints    `json:"checkpoints"`

	ID       string          `json:"id,omitempty"` // the run's id
	Level    int             `json:"level,omitempty"`
	Branch   string          `json:"branch,omitempty"`
	Place    string          `json:"work_tree,omitempty"`     // name of its own work tree; "" if it works in the person's
	BeganOn  string          `json:"began_on,omitempty"`      // branch checked out in the person's work tree before
	Base     string          `json:"base_sha,omitempty"`      // where the branch began
	Text     string          `json:"task_doc_blob,omitempty"` // git blob with the task document's text
	Target   string          `json:"merge_into,omitempty"`    // branch to merge the work into
	Paused   *Pause          `json:"paused,omitempty"`
	Engine   int             `json:"engine_pid,omitempty"` // process that runs it
	Failure  *Failure        `json:"failure,omitempty"`
	Red      []string        `json:"red_tests,omitempty"`     // tests that fail in the finished work, and failed before it
	Steps    []string        `json:"steps,omitempty"`         // the newest steps, so that none counts twice
	Migrated *lossless.Value `json:"migrated_from,omitempty"` // the old document
	Document *lossless.Value `json:"plan,omitempty"`          // the current task document, with re-planned tasks
	Memory   *lossless.Value `json:"task_memory,omitempty"`   // in a snapshot: what was known of tasks in progress, by file
}

// EngineAt reports whether an engine runs the workflow, or did when it was killed: then nothing
// else may change the document.
func EngineAt(s *State) bool {
	return s.Engine != 0 && s.Paused == nil && !s.Orchestrator.Status.Ended()
}

// EngineLeaves records that no engine runs the workflow any more, and hence no agent.
func (s *State) EngineLeaves() {
	s.Engine, s.SafetyBounds.ElapsedAt = 0, ""
	s.ActiveAgents.RemoveGone(func(a Agent) bool { return a.Status == Blocked })
}

// Orchestrator is the workflow's position.
type Orchestrator struct {
	Status         Status  `json:"status"`
	TaskDoc        string  `json:"task_doc"`
	CurrentPhase   int     `json:"current_phase"` // from 0
	TotalPhases    int     `json:"total_phases"`
	CurrentTask    string  `json:"current_task"` // "N/M" of the phase
	RalphIteration int     `json:"ralph_iteration"`
	OuterRalph     bool    `json:"outer_ralph"`
	StartTime      string  `json:"start_time"`
	EndTime        *string `json:"end_time"`
}

// Supervisor counts what the supervisor did.
type Supervisor struct {
	Enabled           bool           `json:"enabled"`
	ChecksPerformed   int            `json:"checks_performed"`
	ConflictsDetected int            `json:"conflicts_detected"`
	AutoFixesApplied  int            `json:"auto_fixes_applied"`
	RePlansTriggered  int            `json:"re_plans_triggered"`
	LastCheck         *string        `json:"last_check"`
	Interventions     []Intervention `json:"interventions"`
}

// When a check happens.
const (
	PreTask  = "pre_task"
	PostTask = "post_task"
	OnDemand = "on_demand"
)

// Intervention is a conflict and the action taken.
type Intervention struct {
	lossless.Origin
	Timestamp    string             `json:"timestamp"`
	CheckType    string             `json:"check_type"`
	Task         string             `json:"task"`
	ConflictType supervise.Type     `json:"conflict_type"`
	Severity     supervise.Severity `json:"severity"`
	Action       supervise.Action   `json:"action"`
	Resolution   string             `json:"resolution"`
	Round        int                `json:"round,omitempty"` // number of the check of its type on this task
	Detail       string             `json:"detail,omitempty"`
	Files        []string           `json:"files,omitempty"`
}

// Print formats a state as its file holds it, merged onto the tree it was read from, if any.
// Snapshots use the same format.
func Print(s *State, tree *lossless.Value) []byte {
	return append(lossless.AppendIndent(nil, lossless.Encode(s, tree)), '\n')
}

// Stamp formats a time as these documents do: UTC, in seconds.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

// Validate returns why a document is not a valid state. It refuses only what could lead to wrong
// actions: people and other tools edit the file too.
func Validate(s *State) error {
	o, b := &s.Orchestrator, &s.SafetyBounds
	switch {
	case o.Status == "":
		return errors.New("orchestrator.status is missing")
	case !slices.Contains([]Status{Planning, Executing, Reviewing, Completed, Failed}, o.Status):
		return fmt.Errorf("orchestrator.status: %q is not one of planning, executing, reviewing, completed, failed", o.Status)
	case o.CurrentPhase < 0 || o.TotalPhases < 0 || o.RalphIteration < 0:
		return errors.New("orchestrator: current_phase, total_phases and ralph_iteration must not be negative")
	case b.MaxIterations < 0 || b.MicroUSD < 0 || b.Millis < 0:
		return errors.New("safety_bounds: numbers must not be negative")
	}
	for _, m := range []struct{ name, text string }{{"max_cost", b.MaxCost}, {"cost_so_far", b.CostSoFar}} {
		if _, err := budget.ParseDollars(m.text); m.text != "" && m.text != CostText(b.MicroUSD, max(1, b.Unpriced)) && err != nil {
			return fmt.Errorf("safety_bounds.%s: %w", m.name, err)
		}
	}
	for _, m := range []struct{ name, text string }{{"max_time", b.MaxTime}, {"elapsed_time", b.ElapsedTime}} {
		if _, err := budget.ParseTime(m.text); m.text != "" && err != nil {
			return fmt.Errorf("safety_bounds.%s: %w", m.name, err)
		}
	}
	return errors.Join(checkTimes(s), checkTasks(s))
}

func checkTimes(s *State) error {
	type stamp struct{ name, at string }
	stamps := []stamp{{"orchestrator.start_time", s.Orchestrator.StartTime}}
	if end := s.Orchestrator.EndTime; end != nil {
		stamps = append(stamps, stamp{"orchestrator.end_time", *end})
	}
	if last := s.Supervisor.LastCheck; last != nil {
		stamps = append(stamps, stamp{"supervisor.last_check", *last})
	}
	for _, t := range stamps {
		if _, err := time.Parse(time.RFC3339, t.at); err != nil {
			return fmt.Errorf("%s: %q is not an RFC 3339 time", t.name, t.at)
		}
	}
	return nil
}

// checkTasks refuses a task without an id, or a duplicate, which could be done twice.
func checkTasks(s *State) error {
	seen := map[string]bool{}
	check := func(list string, i int, id string) error {
		if id == "" {
			return fmt.Errorf("%s[%d].task is missing", list, i)
		}
		if seen[id] {
			return fmt.Errorf("%s[%d]: task %q is there already", list, i, id)
		}
		seen[id] = true
		return nil
	}
	for i, d := range s.CompletedTasks {
		if err := check("completed_tasks", i, d.Task); err != nil {
			return err
		}
	}
	for i, p := range s.PendingTasks {
		if err := check("pending_tasks", i, p.Task); err != nil {
			return err
		}
	}
	return nil
}
