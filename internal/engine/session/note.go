package session

import (
	"fmt"
	"time"

	"warp/internal/core/session"
	"warp/internal/engine/agent"
)

// What a note is about.
const (
	Began      = "began"      // the session begins, or goes on
	Staged     = "stage"      // a stage begins
	Iterating  = "iteration"  // an iteration begins
	Said       = "said"       // one event of an agent's stream
	Ran        = "ran"        // an iteration is recorded: Row
	Judged     = "judge"      // what a judge said
	Verified   = "verify"     // a command was run to verify an iteration
	Branched   = "branch"     // where the session's commits are, or go
	Committed  = "commit"     // what an iteration changed was committed
	Phased     = "phase"      // the quality loop enters a phase
	Gated      = "gate"       // a gate was run
	Intervened = "intervened" // what an agent did was taken back
	StageOver  = "stage_end"
	Ended      = "end"
	Remark     = "note"
)

// Note is something that happens during a session, for people who watch it.
// Nothing depends on anybody reading them. Its texts may be an agent's words.
type Note struct {
	At        time.Time    `json:"at"`
	Kind      string       `json:"kind"`
	Session   string       `json:"session"`
	Stage     string       `json:"stage,omitempty"`
	Iteration int          `json:"iteration,omitempty"`
	Agent     string       `json:"agent,omitempty"`
	Text      string       `json:"text,omitempty"`
	Reason    string       `json:"reason,omitempty"`
	Passed    *bool        `json:"passed,omitempty"`
	Hash      string       `json:"hash,omitempty"`
	Row       *session.Row `json:"row,omitempty"`
	Said      *agent.Event `json:"said,omitempty"`
}

func (r *run) tell(n Note) {
	if r.Engine.Tell == nil {
		return
	}
	n.At, n.Session = r.Now(), r.Name
	r.Engine.Tell(n)
}

func (r *run) remark(format string, args ...any) {
	r.tell(Note{Kind: Remark, Text: fmt.Sprintf(format, args...)})
}
