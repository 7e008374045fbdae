package drive

import (
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
)

// Kind says what a note is about.
type Kind string

// The kinds of notes.
const (
	Began      Kind = "began"      // work on a requirement begins, or is resumed
	Phased     Kind = "phase"      // another phase: From, Phase, Event
	Criteria   Kind = "criteria"   // Criteria as they stand now
	AgentBegan Kind = "agent"      // an agent is asked: Agent, Role
	AgentSaid  Kind = "said"       // one event of its stream: Said
	AgentEnded Kind = "ran"        // it has ended: Text is how
	Judged     Kind = "verdict"    // a verifier judged a criterion: Text, Passed
	Gated      Kind = "gate"       // a gate was run: Text, Passed
	Tested     Kind = "test"       // the tests were run: Text, Passed
	Committed  Kind = "commit"     // Text is the subject, Hash the commit
	Filed      Kind = "filed"      // Text, Number, URL
	Intervened Kind = "intervened" // what an agent did was taken back
	Asked      Kind = "decision"   // a question, and perhaps its answer
	Skipped    Kind = "skipped"    // a chunk was given up
	Waiting    Kind = "wait"       // until Until, for what Text says; a zero Until: no more
	Remark     Kind = "note"       // anything else that people should know
	Ended      Kind = "end"        // Outcome
)

// Criterion is one acceptance criterion on its way.
type Criterion struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Done    bool   `json:"done"`
	Doing   bool   `json:"doing,omitempty"`   // of the present chunk
	Skipped bool   `json:"skipped,omitempty"` // given up
}

// Note is something that happens during a drive, for people who watch it.
// Nothing depends on its being read. Its texts may be an agent's or an issue's
// words.
type Note struct {
	At     time.Time `json:"at"`
	Kind   Kind      `json:"kind"`
	Issue  string    `json:"issue,omitempty"`
	Title  string    `json:"title,omitempty"`
	Branch string    `json:"branch,omitempty"`
	Move
	Criteria []Criterion `json:"criteria,omitempty"`
	Speaker
	Text   string `json:"text,omitempty"`
	Passed *bool  `json:"passed,omitempty"`
	Link
	Until time.Time `json:"until,omitzero"`
	Meter
	Outcome *evidence.Outcome `json:"outcome,omitempty"`
	Made
}

// Move is where the drive is, and how it came there.
type Move struct {
	From  drive.Phase `json:"from,omitempty"`
	Phase drive.Phase `json:"phase,omitempty"`
	Event drive.Event `json:"event,omitempty"`
	Chunk int         `json:"chunk,omitempty"`
	Total int         `json:"total,omitempty"`
}

// Speaker is the agent that a note is about, and what it says.
type Speaker struct {
	Agent string       `json:"agent,omitempty"`
	Role  agent.Role   `json:"role,omitempty"`
	Said  *agent.Event `json:"-"` // see Text and Tool in JSON
	Tool  string       `json:"tool,omitempty"`
}

// Link is where to find what a note is about.
type Link struct {
	Hash   string `json:"hash,omitempty"`
	Number int    `json:"number,omitempty"`
	URL    string `json:"url,omitempty"`
}

// Meter is what the session has used so far, and what is left of its time.
type Meter struct {
	Tokens   int64         `json:"tokens,omitempty"`
	MicroUSD int64         `json:"micro_usd,omitempty"`
	Unpriced bool          `json:"unpriced,omitempty"` // what the run has cost is not known
	Left     time.Duration `json:"-"`
}

// Made is what the session has done so far, with a phase.
type Made struct {
	Commits int `json:"commits,omitempty"`
	Chunks  int `json:"chunks,omitempty"`
}
