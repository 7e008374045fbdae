package workflow

import (
	"fmt"
	"time"

	"warp/internal/engine/agent"
)

// What a note is about.
const (
	Began       = "began"
	Planned     = "plan" // what is to be done, to be approved
	Phased      = "phase"
	TaskBegan   = "task"
	Iterated    = "iteration"
	AgentAsked  = "agent"
	Said        = "said"
	Verified    = "verify"
	Supervised  = "supervisor"
	Learned     = "learning"
	Committed   = "commit"
	TaskEnded   = "task_done"
	Checkpoint  = "checkpoint"
	Milestoned  = "milestone"
	Warned      = "warning"
	Paused      = "paused"
	Ended       = "end"
	Remark      = "note"
	Integrating = "merge"
	Intervened  = "intervened" // what an agent did was taken back
)

// Note is something that happens during a workflow, for people who watch it.
// Nothing depends on anybody reading them.
type Note struct {
	At     time.Time    `json:"at"`
	Kind   string       `json:"kind"`
	Phase  int          `json:"phase"`
	Task   string       `json:"task,omitempty"`
	Agent  string       `json:"agent,omitempty"`
	Text   string       `json:"text,omitempty"`
	Passed *bool        `json:"passed,omitempty"`
	Said   *agent.Event `json:"said,omitempty"`
}

func (r *run) tell(n Note) {
	if r.Engine.Tell == nil {
		return
	}
	n.At = r.Now()
	r.Engine.Tell(n)
}

func (r *run) remark(format string, args ...any) {
	r.tell(Note{Kind: Remark, Text: fmt.Sprintf(format, args...)})
}
