// Package workflowstate is the heart of a workflow: the document agent-state.json,
// the lifecycle that its status follows, and the small steps that carry it from
// one moment to the next. Each step can be applied again after a crash: what has
// happened already is not counted twice. Beside it stand the safety bounds, and
// what was learned (learnings.jsonl).
//
// It is pure: times, costs and facts come in as values. Members that are not part
// of the documented schema come last and are left out while empty; members of
// others are kept. Reading task documents, running agents, git and storing are
// left to others; claims of files are package claim's business, conflicts
// package supervise's.
package workflowstate

import (
	"fmt"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/workflowstate/supervise"
)

// Where the documents stand, under the store's folder.
const (
	File           = "agent-state.json"
	CheckpointFile = "checkpoint.json" // the newest checkpoint's snapshot
	// Archive is the folder of the files of workflows that have ended.
	Archive = "workflow-archive"
)

// Lease is what keeps a second engine out.
const Lease = "workflow"

// Name is the document's, in the journal.
const Name = "workflow"

// maxKept bounds the lists that only grow: the newest are kept, the journal has
// all. Completed tasks are as many as the task document has.
const maxKept = 1000

// maxSteps bounds the steps that are remembered: what is applied again after a
// crash is among the last.
const maxSteps = 200

// SnapshotFile is the file of a checkpoint's snapshot, counted from 1. It holds
// a whole state, so that copying it over agent-state.json goes back to it.
func SnapshotFile(n int) string { return fmt.Sprintf("checkpoint-%03d.json", n) }

// SnapshotNumber is the number in a snapshot's file name.
func SnapshotNumber(file string) (n int, ok bool) {
	if _, err := fmt.Sscanf(file, "checkpoint-%d.json", &n); err != nil || n < 1 || SnapshotFile(n) != file {
		return 0, false
	}
	return n, true
}

// Packed ends the name of a snapshot that is compressed.
const Packed = ".gz"

// SnapshotIn is the number in the name of a snapshot's file, packed or not.
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
	PendingTasks   PendingTasks   `json:"pending_tasks"` // those at work included
	SafetyBounds   Bounds         `json:"safety_bounds"`
	Learnings      Learnings      `json:"learnings"`
	Milestones     Milestones     `json:"milestones"`
	Checkpoints    Checkpoints    `json:"checkpoints"`

	ID       string          `json:"id,omitempty"` // of the run
	Level    int             `json:"level,omitempty"`
	Branch   string          `json:"branch,omitempty"`
	Place    string          `json:"work_tree,omitempty"`     // the name of its own work tree; "": it works in the person's
	BeganOn  string          `json:"began_on,omitempty"`      // the branch that was checked out in the person's before
	Base     string          `json:"base_sha,omitempty"`      // where the branch began
	Text     string          `json:"task_doc_blob,omitempty"` // the task document's text, as an object of git's
	Target   string          `json:"merge_into,omitempty"`    // the branch that the work is to be merged into
	Paused   *Pause          `json:"paused,omitempty"`
	Engine   int             `json:"engine_pid,omitempty"` // the process that runs it
	Failure  *Failure        `json:"failure,omitempty"`
	Steps    []string        `json:"steps,omitempty"`         // the newest that were counted, so that none is counted twice
	Migrated *lossless.Value `json:"migrated_from,omitempty"` // the old document
	Document *lossless.Value `json:"plan,omitempty"`          // the task document as it is now, with what was re-planned
	Memory   *lossless.Value `json:"task_memory,omitempty"`   // of a snapshot: what was known of tasks under way, by file
}

// EngineAt tells whether an engine is at the workflow, or was when it was killed:
// nothing else changes the document then.
func EngineAt(s *State) bool {
	return s.Engine != 0 && s.Paused == nil && !s.Orchestrator.Status.Ended()
}

// EngineLeaves notes that no engine is at the workflow any more, and so no agent.
func (s *State) EngineLeaves() {
	s.Engine, s.SafetyBounds.ElapsedAt = 0, ""
	s.ActiveAgents.RemoveGone(func(a Agent) bool { return a.Status == Blocked })
}

// Orchestrator is where the workflow is.
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

// Supervisor is what the supervisor has done.
type Supervisor struct {
	Enabled           bool           `json:"enabled"`
	ChecksPerformed   int            `json:"checks_performed"`
	ConflictsDetected int            `json:"conflicts_detected"`
	AutoFixesApplied  int            `json:"auto_fixes_applied"`
	RePlansTriggered  int            `json:"re_plans_triggered"`
	LastCheck         *string        `json:"last_check"`
	Interventions     []Intervention `json:"interventions"`
}

// When a check is made.
const (
	PreTask  = "pre_task"
	PostTask = "post_task"
	OnDemand = "on_demand"
)

// Intervention is a conflict and what was done about it.
type Intervention struct {
	lossless.Origin
	Timestamp    string             `json:"timestamp"`
	CheckType    string             `json:"check_type"`
	Task         string             `json:"task"`
	ConflictType supervise.Type     `json:"conflict_type"`
	Severity     supervise.Severity `json:"severity"`
	Action       supervise.Action   `json:"action"`
	Resolution   string             `json:"resolution"`
	Round        int                `json:"round,omitempty"` // which check of its type on this task
	Detail       string             `json:"detail,omitempty"`
	Files        []string           `json:"files,omitempty"`
}

// Print is a state as a file holds it, merged onto the tree that it was read
// from, if any. It is also what a checkpoint's snapshot holds.
func Print(s *State, tree *lossless.Value) []byte {
	return append(lossless.AppendIndent(nil, lossless.Encode(s, tree)), '\n')
}

// Stamp prints a time as these documents do: UTC, seconds.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }
