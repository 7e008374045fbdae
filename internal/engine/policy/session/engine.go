// Package session runs sessions: loops and pipelines of loops, each iteration an agent with a fresh
// context. core/sessionstate decides what may happen and core/pipeline what to run; this package
// decides when to take the next step. Each run of an agent is a step of package step, which
// protects, bounds and records it.
//
// Whatever dies, the next start continues from there: a recorded iteration never runs again, and
// one whose agent had answered is recorded from that answer. An iteration commits what its agent
// changed, and nothing of a person's.
//
// One mechanism runs them all: a loop is a pipeline of one stage, and the members of a parallel
// stage are stages. Judging by the quality gates and storing queues is left to other packages.
package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/livestate"
	"warp/internal/core/pipeline"
	"warp/internal/core/sessionstate"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/guard"
	"warp/internal/engine/judge"
	"warp/internal/engine/leak"
	"warp/internal/engine/place"
	"warp/internal/engine/step"
	"warp/internal/turnstile/documents"
)

// Item is one piece of work in a queue.
type Item struct{ ID, Title, Text string }

// Queue is where work comes from. A queue that is also a guard.Document is repaired if an agent
// writes to it.
type Queue interface {
	// Ready lists the items that can start, most urgent first, and how many cannot.
	Ready(ctx context.Context) (ready []Item, held int, err error)
	// Claim takes an item for the queue's holder, atomically and idempotently. The error is a
	// *ClaimedError if it is not free.
	Claim(ctx context.Context, id string) error
	// Release gives back an item the holder has claimed; others are left alone.
	Release(ctx context.Context, id string) error
	Close(ctx context.Context, id, why string) error
	// Claims lists the items that sessions hold.
	Claims(ctx context.Context) ([]Claim, error)
}

// finder is a queue that accepts work agents come across.
type finder interface {
	Add(ctx context.Context, titles []string) error
}

// Engine runs sessions of one project.
type Engine struct {
	Store *durable.Store
	Home  *durable.Store // for evidence; nil: Store
	Root  string         // the work tree
	State string         // the user's state folder, for copies; "": git's own folder
	// Agents returns the runner of a named agent; "" is the configured one.
	Agents func(name string) (step.Agents, error)
	// Claims opens the queues of strategies, and releases what dead sessions hold.
	Claims *Claims
	// Gates returns the body of stages whose strategy is the gates.
	Gates   func(GatesStage) (Body, error)
	Checks  Checks
	Limits  Limits
	Landing Landing
	Redact  func(string) string
	Tell    func(Note)
	Passed  func(point string) // for crash tests
	Now     func() time.Time
	Process step.Process
}

// Checks configure how work is checked.
type Checks struct {
	Verify    string          // the project's check command; "": unknown
	Find      bool            // detect Verify from the files the session started with
	Environ   []string        // for commands
	Rooms     judge.Rooms     // where checks run; nil: in the work tree
	Protected []string        // patterns of files that decide how checks run
	Furnish   place.Furnish   // prepares a new work tree beyond its commit; nil: nothing
	Integrity judge.Integrity // nil: judge.CheckIntegrity
	Leaks     *leak.Scanner   // refuses commits with secrets; nil: no scan
}

// Landing configures what happens to a session's commits.
type Landing struct {
	On    bool                          // land a complete session on the branch it began on
	Moved func(branch, old, new string) // tells the repository's other engines that a branch moved; may be nil
	// KeepBranch keeps the session's branch after its commits have landed.
	KeepBranch bool
}

// Limits are the configured limits of all sessions.
type Limits struct {
	Asleep func() time.Duration // how long the machine slept; nil: as the system says
	Idle   time.Duration        // how long an agent may be silent; 0: unlimited
	// Used returns which budget beyond the session, such as the day's, is used up.
	Used func(ctx context.Context) (why string, err error)
}

// Job is a session to run.
type Job struct {
	Name string
	Plan *pipeline.Pipeline
	Loop bool // a single stage without its own folder
	Task string
	// Files are kept in the session's folder for resuming it.
	Files map[string][]byte
	// More is how many further iterations a started stage gets; 0: as planned.
	More int
	// Limit overrides the plan's limits, field by field.
	Limit   budget.Amount
	Rewrite bool // rewrite Files: they have new limits, or an earlier version wrote them
	// Goes resumes the session of this name.
	Goes bool
	// Force starts over if a session of this name was interrupted, and keeps that one.
	Force bool
	// Retry tries abandoned items again.
	Retry bool
	// People are asked what agents ask; nil: no one can be reached.
	People People
}

// GatesStage is a stage that iterates until the quality gates pass.
type GatesStage struct {
	Session, Name string // Name is the stage's; "" in a loop
	Task          string
	Agent, Model  string
	Dir           string // the working folder
	Progress      string // the path of its progress file
	Most          int    // iterations at most
	Passes        int    // consecutive passes of all gates that end it; 0: default
	// Ask runs a step of the present iteration.
	Ask   func(ctx context.Context, known *step.Memory, s step.Step) (step.Answer, error)
	Guard *guard.Guard // nil: no repository
	Base  string       // the work tree before the loop, as a tree
	// TimeLeft returns how long a command may take; 0: unlimited. The error means that the time is
	// up.
	TimeLeft func() (time.Duration, error)
	Lease    *step.Lease // the session's lease
}

// NothingError reports that a loop has nothing to do: its queue is empty.
type NothingError struct{ Why string }

func (e *NothingError) Error() string { return e.Why }

// ErrPaused means that the session is paused until a person continues it.
var ErrPaused = errors.New("the session is paused")

// Open returns the document of a session.
func Open(store *durable.Store, name string) *durable.Doc[sessionstate.State] {
	return documents.OpenSession(store, name)
}

// Kinds of notes.
const (
	Began      = "began"      // the session starts or resumes
	Staged     = "stage"      // a stage starts
	Iterating  = "iteration"  // an iteration starts
	Said       = "said"       // one event of an agent's stream
	Ran        = "ran"        // an iteration is recorded: Row
	Judged     = "judge"      // a judge's answer
	Verified   = "verify"     // a check ran on an iteration
	Branched   = "branch"     // where the session's commits are or go
	Committed  = "commit"     // an iteration's changes were committed
	Phased     = "phase"      // the quality loop enters a phase
	Gated      = "gate"       // a gate ran
	Intervened = "intervened" // what an agent did was reverted
	StageOver  = "stage_end"
	Ending     = "ending" // before the end is recorded, for people who are away: State
	Ended      = "end"
	Remark     = "note"
)

// Note is an event of a session, for people who watch it. Nothing depends on its being read. Its
// texts may quote an agent.
type Note struct {
	At        time.Time         `json:"at"`
	Kind      string            `json:"kind"`
	Session   string            `json:"session"`
	Stage     string            `json:"stage,omitempty"`
	Iteration int               `json:"iteration,omitempty"`
	Most      int               `json:"most,omitempty"` // the stage's limit of iterations
	Agent     string            `json:"agent,omitempty"`
	Text      string            `json:"text,omitempty"`
	Reason    string            `json:"reason,omitempty"`
	Passed    *bool             `json:"passed,omitempty"`
	Hash      string            `json:"hash,omitempty"`
	Row       *sessionstate.Row `json:"row,omitempty"`
	Said      *agent.Event      `json:"said,omitempty"`

	State  *sessionstate.State `json:"-"`
	Person error               `json:"-"` // why a person has to look; nil: no need
}

// Show adds a note to the live state for other processes. Agents' events are added where the agents
// run.
func (n Note) Show(s *livestate.State) {
	s.Title = n.Session
	switch n.Kind {
	case Said, Ending:
		return
	case Staged, Iterating, Phased:
		s.Do(n.At, n.doing())
	default:
		words := n.Text
		if n.Passed != nil {
			words = map[bool]string{true: "passed ", false: "failed "}[*n.Passed] + words
		}
		s.Say(n.At, n.Kind, words)
	}
}

func (n Note) doing() string {
	var words []string
	if n.Stage != "" {
		words = append(words, "stage "+n.Stage)
	}
	if n.Iteration > 0 {
		iteration := fmt.Sprintf("iteration %d", n.Iteration)
		if n.Most > 0 {
			iteration += fmt.Sprintf(" of at most %d", n.Most)
		}
		words = append(words, iteration)
	}
	if n.Kind == Phased {
		words = append(words, strings.ToLower(n.Text))
	}
	return strings.Join(words, ", ")
}
