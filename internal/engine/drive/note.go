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
	Began      Kind = "began"      // work on a requirement begins, or goes on
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
// Nothing depends on anybody reading them. Its texts may be an agent's or an
// issue's words.
type Note struct {
	At       time.Time         `json:"at"`
	Kind     Kind              `json:"kind"`
	Issue    string            `json:"issue,omitempty"`
	Title    string            `json:"title,omitempty"`
	Branch   string            `json:"branch,omitempty"`
	From     drive.Phase       `json:"from,omitempty"`
	Phase    drive.Phase       `json:"phase,omitempty"`
	Event    drive.Event       `json:"event,omitempty"`
	Chunk    int               `json:"chunk,omitempty"`
	Total    int               `json:"total,omitempty"`
	Criteria []Criterion       `json:"criteria,omitempty"`
	Agent    string            `json:"agent,omitempty"`
	Role     agent.Role        `json:"role,omitempty"`
	Said     *agent.Event      `json:"-"` // see Text and Tool in JSON
	Tool     string            `json:"tool,omitempty"`
	Text     string            `json:"text,omitempty"`
	Passed   *bool             `json:"passed,omitempty"`
	Hash     string            `json:"hash,omitempty"`
	Number   int               `json:"number,omitempty"`
	URL      string            `json:"url,omitempty"`
	Until    time.Time         `json:"until,omitzero"`
	Tokens   int64             `json:"tokens,omitempty"`    // of the session so far
	MicroUSD int64             `json:"micro_usd,omitempty"` // of the session so far
	Unpriced bool              `json:"unpriced,omitempty"`  // what the run has cost is not known
	Left     time.Duration     `json:"-"`                   // of the session's time
	Outcome  *evidence.Outcome `json:"outcome,omitempty"`
	Commits  int               `json:"commits,omitempty"` // of the session, with a phase
	Chunks   int               `json:"chunks,omitempty"`
}
