package drive

import (
	"slices"
	"strings"
	"time"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/livestate"
	"warp/internal/engine/agent"
)

// Kind is the kind of a note.
type Kind string

// The kinds of notes.
const (
	Began      Kind = "began"      // work on a requirement begins or resumes
	Phased     Kind = "phase"      // the phase changed: From, Phase, Event
	Criteria   Kind = "criteria"   // the present state of all criteria
	AgentBegan Kind = "agent"      // an agent starts: Agent, Role
	AgentSaid  Kind = "said"       // one event of the agent's stream: Said
	AgentEnded Kind = "ran"        // the agent ended: Text says how
	Judged     Kind = "verdict"    // a verifier judged a criterion: Text, Passed
	Gated      Kind = "gate"       // a gate ran: Text, Passed
	Tested     Kind = "test"       // the tests ran: Text, Passed
	Committed  Kind = "commit"     // Text is the subject, Hash the commit
	Filed      Kind = "filed"      // Text, Number, URL
	Intervened Kind = "intervened" // what an agent did was reverted
	Asked      Kind = "decision"   // a question, perhaps with its answer
	Skipped    Kind = "skipped"    // a chunk was skipped
	Waiting    Kind = "wait"       // until Until, for the reason in Text; a zero Until ends the wait
	Remark     Kind = "note"       // anything else that people should know
	Ended      Kind = "end"        // Outcome
)

// Criterion is the progress of one acceptance criterion.
type Criterion = livestate.Criterion

// Note is an event of a drive, for people who watch it. Nothing depends on its being read. Its
// texts may quote an agent or an issue.
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

// Move is the drive's position, and the event that led there.
type Move struct {
	From  drivestate.Phase `json:"from,omitempty"`
	Phase drivestate.Phase `json:"phase,omitempty"`
	Event drivestate.Event `json:"event,omitempty"`
	Chunk int              `json:"chunk,omitempty"`
	Total int              `json:"total,omitempty"`
}

// Speaker is the agent that a note is about, and what it says.
type Speaker struct {
	Agent string       `json:"agent,omitempty"`
	Role  agent.Role   `json:"role,omitempty"`
	Said  *agent.Event `json:"-"` // see Text and Tool in JSON
	Tool  string       `json:"tool,omitempty"`
}

// Link points to the subject of a note.
type Link struct {
	Hash   string `json:"hash,omitempty"`
	Number int    `json:"number,omitempty"`
	URL    string `json:"url,omitempty"`
}

// Meter is what the session has used so far, and its time left.
type Meter struct {
	Tokens   int64         `json:"tokens,omitempty"`
	MicroUSD int64         `json:"micro_usd,omitempty"`
	Unpriced bool          `json:"unpriced,omitempty"` // the run's cost is unknown
	Left     time.Duration `json:"-"`

	Spent evidence.Effort `json:"-"` // on the requirement; set with its outcome
}

// Made counts what the session has done so far; set with a phase.
type Made struct {
	Commits int `json:"commits,omitempty"`
	Chunks  int `json:"chunks,omitempty"`
}

// show adds a note to the live state for other processes. Agents' events are added where the agents
// run.
func (n Note) show(s *livestate.State) {
	s.Issue, s.Title, s.Branch = n.Issue, n.Title, n.Branch
	switch n.Kind {
	case AgentBegan, AgentSaid, AgentEnded:
		return
	case Phased:
		s.Do(n.At, drivestate.Describe(n.Phase, n.Chunk, n.Total))
	case Criteria:
		s.Criteria = slices.Clone(n.Criteria)
	case Waiting:
		s.Wait = nil
		if !n.Until.IsZero() {
			s.Wait = &livestate.Wait{Why: n.Text, Until: n.Until}
		}
	default:
		words := n.Text
		if n.Passed != nil {
			if verdict := map[bool]string{true: "passed", false: "failed"}[*n.Passed]; !strings.Contains(words, verdict) {
				words = verdict + " " + words
			}
		}
		s.Say(n.At, string(n.Kind), words)
	}
}
