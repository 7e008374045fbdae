// Package agent runs coding agents. It declares the port that every agent's
// adapter fills, and does for all of them what does not depend on which agent it
// is: a separate process group, a bounded stream, silence and time limits,
// budgets that bind during a run, limits that are waited out, retries, the chain
// of agents to fall back on, and a record by which an agent that was left behind
// is found. What to ask an agent, and what becomes of its answer, is left to the
// engines above.
package agent

import (
	"context"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/errorclass"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/core/tokens"
)

// Role is the part that an agent plays.
type Role string

// The roles.
const (
	Plan      Role = "plan"
	Code      Role = "code"
	Fix       Role = "fix"
	Verify    Role = "verify"
	Judge     Role = "judge"
	Supervise Role = "supervise"
	Scan      Role = "scan"
	Iterate   Role = "iterate"
	Choose    Role = "choose"
)

// Roles are all of them.
var Roles = []Role{Plan, Code, Fix, Verify, Judge, Supervise, Scan, Iterate, Choose}

// Task is one prompt for an agent.
type Task struct {
	Role     Role
	Prompt   string
	Dir      string // where it works
	Work            // what it is part of
	Criteria []string
	Level    int    // automation level: how much it may do without asking
	ReadOnly bool   // it may look, not change
	Model    string // "": the agent's own choice
	Effort   string // low, standard, high; "": the agent's own choice
	Session  string // to be continued; "": a new one
	MaxTurns int    // 0: no bound
	Budget   Budget // 0 members: no bound
	Idle     time.Duration
	Timeout  time.Duration
	Patience
}

// Live is what a run and its work have to say to each other while it runs.
type Live struct {
	// Waiting receives what the run waits for, and with a zero Wait that it works
	// again; nil: not called.
	Waiting func(Wait)
	// Heard receives every event of the run as it comes; nil: not called.
	Heard func(agent string, e Event)
	// More is called when the run has reached its budget or its time: what it may
	// use besides, since a person can raise the bounds of work that is under way.
	// Nothing: that was all; nil: it is not asked.
	More func() Budget

	// allow is what all tries of the task may use together, before what those before
	// this one have used. The Runner sets them.
	allow  *allowance
	before Budget
}

// Wait is what a run waits for; zero: nothing.
type Wait struct {
	Why   string
	Until time.Time // zero: it is not known
}

// waits tells that the run waits, until the function that it returns is called.
func (l Live) waits(w Wait) (over func()) {
	if l.Waiting == nil {
		return func() {}
	}
	l.Waiting(w)
	return func() { l.Waiting(Wait{}) }
}

// Patience is how long something is waited for around a run.
type Patience struct {
	Linger time.Duration // that it may go on after it has given its result; 0: as long as it likes
	Until  time.Time     // limits are waited for until then; zero: as long as a night is
	Live
}

// Work names the piece of work that a task is part of, whose names its agent finds in
// its environment, and where it is done.
type Work struct {
	Issue string
	Chunk int
	Write []string // folders outside of the work tree that are the work's own
	// Boxed: the run is in a sandbox of ours. An agent's own sandbox does not start
	// in it (namespaces in namespaces are refused), so the adapter switches it off.
	// The Runner sets it.
	Boxed bool
}

// Budget bounds what one run may spend. Its time is the task's Timeout.
type Budget = budget.Amount

// Usage is what a run has cost so far.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int64 // tokens
	MicroUSD                             int64
	// Priced: MicroUSD is all that it has cost. Otherwise it has cost that much
	// at least, and the rest is unknown.
	Priced bool
	Model  string // where it is known
	Turns  int
}

// Tokens are all of them.
func (u Usage) Tokens() int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// Spent is what it takes from a budget.
func (u Usage) Spent() budget.Amount {
	return budget.Amount{MicroUSD: u.MicroUSD, Tokens: u.Tokens()}
}

// Event is something that happened during a run, for people who watch it.
type Event struct {
	Kind    string // text, thinking, tool, result, limit, window, usage, note
	Text    string
	Tool    string
	Session string          // where the event tells it, for the record of what runs
	Model   string          // where the event tells it
	Usage   *Usage          // so far, where the event tells
	Reset   *time.Time      // kind limit: when it ends, where that is known
	Windows []tokens.Window // kind window: how much of a subscription is used
}

// End says why a run ended.
type End string

// The ends. Only Done has an answer that may count for something.
const (
	Done      End = "done"
	Refused   End = "refused"    // the model would not
	MaxTurns  End = "max_turns"  // the turns are used up
	Budgeted  End = "budget"     // the budget is
	Limited   End = "limit"      // a usage limit, which ends at Result.Reset
	APIError  End = "api_error"  // see Result.Class
	Unusable  End = "unusable"   // it ended, but its stream makes no sense
	Crashed   End = "crashed"    // it ended with an error
	OverLimit End = "over_limit" // it used too much of the machine: processes, memory, disk, output
	Idle      End = "idle"       // it fell silent
	TimedOut  End = "timeout"    // its time was up
	Cancelled End = "cancelled"  // we stopped it
	Unpriced  End = "unpriced"   // it had a limit in dollars, and its prices are unknown
	NoAgent   End = "no_agent"   // it is not installed
	NoLogin   End = "no_login"   // or not logged in
	NoCredit  End = "no_credit"  // its account cannot pay
	NoModel   End = "no_model"   // its model does not exist, or not for its account
	Away      End = "away"       // the session that works with the engine is gone
)

// Result is what a run left.
type Result struct {
	Agent    string
	End      End
	Text     string          // the agent's last words
	JSON     *lossless.Value // its structured result; nil: none, or none that is valid
	Invalid  string          // why there is none
	Session  string
	Usage    Usage
	Denials  []string // calls that were not permitted
	Exit     int
	Why      string           // for people: what went wrong
	Class    errorclass.Class // of an APIError
	Reset    time.Time        // of a Limited: zero when not known
	Orphans  int              // processes that it left behind, ended
	Duration time.Duration
	Record
}

// Record is what is known of a run besides what it said.
type Record struct {
	Log   string // where its whole output is
	Holds string // how well it was contained
	Hooks *evidence.Hooks
}

// Spends reports whether a run that did not succeed is the agent's own failure,
// which its chunk pays for. Networks, limits and broken set-ups are not.
func (r Result) Spends() bool {
	switch r.End {
	case Limited, APIError, NoAgent, NoLogin, NoCredit, NoModel, Away, Cancelled, Budgeted, Unpriced:
		return false
	}
	return true
}

// Invocation is how a task becomes a process. No secret stands in Argv.
type Invocation struct {
	Argv  []string
	Env   []string // beyond what every child gets
	Stdin string
}

// Parser makes sense of one run's output. Nothing that it is given can make it
// fail: what it does not understand, it passes over.
type Parser interface {
	// Line takes one line of stdout.
	Line(line []byte) []Event
	// End says what came of the run. It gets the exit code, and the last of
	// what was said on stderr.
	End(exit int, stderr string) Result
}

// Waiter is a parser that knows whom its agent waits for.
type Waiter interface {
	// Waits is the fault of an agent that has fallen silent while it waits for its
	// model; None: it waits for something of its own, such as a command.
	Waits() errorclass.Class
}

// Health is what is known of an agent without asking it anything that costs.
type Health struct {
	Installed bool
	Path      string
	Version   string
	Broken    string // why it cannot be started, though it is there
	LoggedIn  *bool  // nil: unknown
	Advice    string // what to do about what is missing
}

// Do is what to do about what is missing, and why.
func (h Health) Do() string {
	if h.Broken == "" {
		return h.Advice
	}
	return h.Broken + "; " + h.Advice
}

// Adapter is one kind of agent.
type Adapter interface {
	Name() string
	// Invoke spells a task. File is where the agent may write its result;
	// schema is the JSON schema of its role's result.
	Invoke(t Task, file string, schema []byte) (Invocation, error)
	Parser(t Task) Parser
	Check(ctx context.Context) Health
}

// unpricedAgent is an adapter whose agent does not tell what a run costs in dollars, and
// leaves it to the Runner to know its prices.
type unpricedAgent interface {
	Tells() Tells
}

// Tells is what such an agent does tell.
type Tells struct {
	Tokens bool
	Model  bool // which one it uses, at the beginning of its stream
}
