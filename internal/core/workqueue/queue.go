// Package workqueue is the pure part of the quality loop: the queue of work, the phases of the
// loop, and the decision after each iteration whether to continue. Answers of agents and gates come
// in as values.
//
// Items have a priority, S0 to S3, and come from an assessment, a failing gate, an error that
// cannot be retried, or a person. The same thing found again is the same item. A failing test is an
// item, not an error, and is done when its gate no longer names it, not when an agent says so.
package workqueue

import (
	"fmt"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
)

// File is the document's path under the store's folder.
const File = "state/loop/work_queue.json"

// StateFile is the path of LOOP_STATE.md from the project's root.
const StateFile = ".claude/state/loop/LOOP_STATE.md"

// DocumentName is the document's name in the journal.
const DocumentName = "work_queue"

// Version is the newest document version that this package knows.
const Version = 1

// The states of an item. An item with any other status, set by another tool, is open but not taken.
const (
	Pending    = "pending"
	InProgress = "in_progress"
	Done       = "done"
)

// Queue is the document work_queue.json.
type Queue struct {
	Version           int    `json:"version"`
	Task              string `json:"task"`
	Iteration         int    `json:"iteration"`
	ConsecutivePasses int    `json:"consecutive_passes"`
	Items             Items  `json:"items"`
	GateResults       Gates  `json:"gate_results"`

	Added  int   `json:"added,omitempty"`  // number of items ever
	Closed int   `json:"closed,omitempty"` // how many of them are done
	Loop   *Loop `json:"loop,omitempty"`   // the loop that works on it
}

// Item is one thing to do.
type Item struct {
	lossless.Origin
	ID                 string   `json:"id"`
	Priority           Priority `json:"priority"`
	Title              string   `json:"title"`
	Description        string   `json:"description"`
	Status             string   `json:"status"`
	AddedIteration     int      `json:"added_iteration"`
	CompletedIteration *int     `json:"completed_iteration"`

	Source   string   `json:"source,omitempty"`
	Files    []string `json:"files,omitempty"`
	Ref      string   `json:"ref,omitempty"`      // the exact occurrence that found it
	Reopened int      `json:"reopened,omitempty"` // iteration in which it was found again
	Holder   string   `json:"holder,omitempty"`   // session that claimed it

	Unread string // why it cannot be read as an item; it is kept unchanged, and no other field is set
}

// Loop is a loop's position, with what its evaluations remember.
type Loop struct {
	Started string   `json:"started"`
	Phase   Phase    `json:"phase"`
	Reason  string   `json:"reason,omitempty"` // why it ended, as in a session's completion_reason
	Why     string   `json:"why,omitempty"`    // the same, for people
	Record  Record   `json:"record"`
	History []string `json:"history,omitempty"` // the newest lines
}

// Begin starts a loop on the queue as it is: items that people added are its first work.
func (q *Queue) Begin(now time.Time) {
	q.Version, q.ConsecutivePasses = Version, 0
	q.Loop = &Loop{Started: telemetry.Stamp(now), Phase: Contextualize, Record: Record{Iteration: q.Iteration}}
}

// Validate returns why a document is not a valid queue.
func Validate(q *Queue) error {
	if q.Iteration < 0 || q.ConsecutivePasses < 0 {
		return fmt.Errorf("iteration %d and consecutive_passes %d must not be negative", q.Iteration, q.ConsecutivePasses)
	}
	seen := map[string]bool{}
	for i, it := range q.Items {
		if it.Unread == "" && (it.ID == "" || seen[it.ID]) {
			return fmt.Errorf("items[%d] must have an id that no other item has, not %q", i, it.ID)
		}
		seen[it.ID] = true
	}
	return nil
}
