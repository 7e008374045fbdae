// Package session runs sessions: loops and pipelines of loops, each iteration an
// agent with a fresh context. What may happen is core/session's to say, what is to
// be run core/pipeline's; here is when to take the next step. Each run of an agent
// is a step of package step: protected, bounded and recorded there.
//
// Whatever dies on the way, the next start continues where it was: an iteration
// that was recorded is never run again, and one whose agent had answered is
// recorded from what it answered. What an iteration commits is what its agent
// changed, and nothing of a person's.
//
// One mechanism runs them all: a loop is a pipeline of one stage, and the members
// of a parallel stage are stages. Deciding what the quality gates say, and storing
// queues, is left to others.
package session

import (
	"context"
	"errors"
	"time"

	"warp/internal/core/budget"
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

// Agents run tasks; agent.Runner is one.
type Agents = step.Agents

// Item is one thing that a queue has to be done.
type Item struct{ ID, Title, Text string }

// Queue is where work comes from. One that is also a guard.Document is repaired
// when an agent writes it.
type Queue interface {
	// Ready lists what can be begun, the most urgent first, and how much
	// there is that cannot.
	Ready(ctx context.Context) (ready []Item, held int, err error)
	// Claim takes an item in the name of the queue's holder, in one step that can be
	// done again. The error is a *ClaimedError where it is not free.
	Claim(ctx context.Context, id string) error
	// Release gives back what the holder has claimed; what it does not hold is left
	// alone.
	Release(ctx context.Context, id string) error
	Close(ctx context.Context, id, why string) error
	// Claims are the items that sessions hold.
	Claims(ctx context.Context) ([]Claim, error)
}

// finder is a queue that takes what agents come across.
type finder interface {
	Add(ctx context.Context, titles []string) error
}

// Engine runs sessions of one project.
type Engine struct {
	Store *durable.Store
	Home  *durable.Store // where evidence is kept; nil: Store
	Root  string         // the work tree
	State string         // the user's state folder, for copies; "": git's own folder
	// Agents runs the tasks of a named agent; "": of the configured one.
	Agents func(name string) (Agents, error)
	// Claims opens the queues of strategies, and gives back what dead sessions hold.
	Claims *Claims
	// Gates is the body of stages whose strategy is the gates.
	Gates   func(GatesStage) (Body, error)
	Checks  Checks
	Limits  Limits
	Landing Landing
	Redact  func(string) string
	Tell    func(Note)
	Passed  func(point string) // for tests of crashes
	Now     func() time.Time
	Process step.Process
}

// Checks are how work is checked.
type Checks struct {
	Verify    string          // how the project is verified; "": not known
	Find      bool            // it is found out by what the session began with
	Environ   []string        // of commands
	Rooms     judge.Rooms     // that they are run in; nil: in the work tree
	Protected []string        // patterns of files that decide how they are run
	Furnish   place.Furnish   // what a new work tree needs besides its commit; nil: nothing
	Integrity judge.Integrity // nil: judge.CheckIntegrity
	Leaks     *leak.Scanner   // refuses commits with secrets; nil: nothing is scanned
}

// Landing is what becomes of what a session has committed.
type Landing struct {
	On    bool                          // of a complete session it lands on the branch that it began on
	Moved func(branch, old, new string) // tells other engines of the repository that a branch was moved; nil: there are none
	// KeepBranch keeps the session's branch where its commits have landed.
	KeepBranch bool
}

// Limits are those of the settings, which hold for all sessions.
type Limits struct {
	Asleep func() time.Duration // how much time was slept; nil: as the system says
	Idle   time.Duration        // that an agent may be silent; 0: no bound
	// Used says which budget beyond the session, such as the day's, is used up.
	Used func(ctx context.Context) (why string, err error)
}

// Job is a session to be run.
type Job struct {
	Name string
	Plan *pipeline.Pipeline
	Loop bool // it is one stage, without its own folder
	Task string
	// Files are kept in the session's folder, so that it can be resumed.
	Files map[string][]byte
	// More is how many further iterations a stage has that was under way; 0: as
	// the plan says.
	More int
	// Limit replaces the bounds of the plan, member by member.
	Limit   budget.Amount
	Rewrite bool // Files are written again: they have new bounds, or were kept by an earlier version
	// Goes says that a session of this name is to be resumed.
	Goes bool
	// Force starts over where a session of this name was interrupted, which is kept.
	Force bool
	// Retry has the items tried again that were given up.
	Retry bool
}

// GatesStage is a stage that iterates until the quality gates pass.
type GatesStage struct {
	Session, Name string // Name is the stage's; "" in a loop
	Task          string
	Agent, Model  string
	Dir           string // where it works
	Progress      string // the path of its progress file
	Most          int    // iterations
	Passes        int    // of all gates in a row that end it; 0: not said
	// Ask takes a step of the iteration that is under way.
	Ask   func(ctx context.Context, known *step.Memory, s step.Step) (step.Answer, error)
	Guard *guard.Guard // nil: there is no repository
	Base  string       // the work tree before the loop, as a tree
	// TimeLeft is how long a command may take; 0: no bound. The error says that
	// the time is up.
	TimeLeft func() (time.Duration, error)
	Lease    *step.Lease // the session's
}

// NothingError says that a loop has nothing to do: its queue is empty.
type NothingError struct{ Why string }

func (e *NothingError) Error() string { return e.Why }

// ErrPaused says that a session was paused: it is resumed when a person says so.
var ErrPaused = errors.New("the session is paused")

// Open names the document of a session.
func Open(store *durable.Store, name string) *durable.Doc[sessionstate.State] {
	return documents.OpenSession(store, name)
}

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
	Intervened = "intervened" // what an agent did was reverted
	StageOver  = "stage_end"
	Ending     = "ending" // for people who are away, before the end is on record: State
	Ended      = "end"
	Remark     = "note"
)

// Note is something that happens during a session, for people who watch it.
// Nothing depends on anybody reading them. Its texts may be an agent's words.
type Note struct {
	At        time.Time         `json:"at"`
	Kind      string            `json:"kind"`
	Session   string            `json:"session"`
	Stage     string            `json:"stage,omitempty"`
	Iteration int               `json:"iteration,omitempty"`
	Most      int               `json:"most,omitempty"` // iterations of the stage
	Agent     string            `json:"agent,omitempty"`
	Text      string            `json:"text,omitempty"`
	Reason    string            `json:"reason,omitempty"`
	Passed    *bool             `json:"passed,omitempty"`
	Hash      string            `json:"hash,omitempty"`
	Row       *sessionstate.Row `json:"row,omitempty"`
	Said      *agent.Event      `json:"said,omitempty"`

	State  *sessionstate.State `json:"-"`
	Person error               `json:"-"` // why a person has to look; nil: none has
}
