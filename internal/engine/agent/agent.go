// Package agent runs coding agents. It declares the port that every agent's adapter implements, and
// does for all of them what does not depend on the agent: a separate process group, a bounded
// stream, silence and time limits, budgets that apply during a run, waiting for limits, retries, a
// chain of fallback agents, and a record by which a leftover agent is found. The engines above
// decide what to ask an agent, and what to do with its answer.
package agent

import (
	"context"
	"time"

	"warp/internal/core/answer"
	"warp/internal/core/budget"
	"warp/internal/core/errorclass"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/core/tokens"
)

// Role is the part that an agent plays.
type Role = answer.Role

const (
	Plan      = answer.Plan
	Code      = answer.Code
	Fix       = answer.Fix
	Verify    = answer.Verify
	Judge     = answer.Judge
	Supervise = answer.Supervise
	Scan      = answer.Scan
	Iterate   = answer.Iterate
	Choose    = answer.Choose
	Check     = answer.Check
)

// Task is one prompt for an agent.
type Task struct {
	Role     Role
	Prompt   string
	Dir      string // the working folder
	Work            // what it is part of
	Criteria []string
	Level    int    // automation level: how much it may do without asking
	ReadOnly bool   // it may read, not change
	Model    string // "": the agent's own choice
	Effort   string // low, standard, high; "": the agent's own choice
	Session  string // the session to continue; "": a new one
	MaxTurns int    // 0: unlimited
	Budget   Budget // zero fields: unlimited
	Idle     time.Duration
	Timeout  time.Duration
	Patience
}

// Live connects a running agent with its work.
type Live struct {
	// Waiting receives what the run waits for, or a zero Wait when it works again; may be nil.
	Waiting func(Wait)
	// Heard receives every event of the run; may be nil.
	Heard func(agent string, e Event)
	// More is called when the run has reached its budget or its time. It returns what the run may
	// use beyond that, since a person can raise the limits during the work. May be nil.
	More func() Budget

	// allow is what all tries of the task may use together; before is what earlier tries have used.
	// The Runner sets both.
	allow  *allowance
	before Budget
}

// Wait is what a run waits for; zero: nothing.
type Wait struct {
	Why   string
	Until time.Time // zero: unknown
}

// CommonEffort returns the effort as Claude Code and Codex name it.
func (t Task) CommonEffort() string {
	if t.Effort == "standard" {
		return "medium"
	}
	return t.Effort
}

// reportWait reports that the run waits, until over is called.
func (l Live) reportWait(w Wait) (over func()) {
	if l.Waiting == nil {
		return func() {}
	}
	l.Waiting(w)
	return func() { l.Waiting(Wait{}) }
}

// Patience is how long to wait around a run.
type Patience struct {
	Linger time.Duration // how long it may continue after its result; 0: unlimited
	Until  time.Time     // when to stop waiting for limits; zero: after a night
	Live
}

// Work names the piece of work that a task is part of, as its agent's environment shows it, and
// where it is done.
type Work struct {
	Issue string
	Chunk int
	// Of names it as its evidence does, such as "session auth"; "": a drive's, or none.
	Of    string
	Write []string // the work's own folders outside the work tree
	Door
	// Boxed: the run is in our sandbox. An agent's own sandbox does not start in it (nested
	// namespaces are refused), so the adapter switches it off. The Runner sets it.
	Boxed bool
}

// Door says what an answer must bring, and who may give it.
type Door struct {
	Faulted bool   // it is shown what is wrong with its work, to which it may object
	Works   bool   // the run has to change the work tree, or say why not
	First   string // the agent of the chain to ask first: it knows the session; "": the chain's first
	Except  string // the agent of the chain not to ask; "": any may be asked
	Whole   string // the prompt for one that does not know the session; "": the same
}

// Budget limits what one run may spend. The task's Timeout limits its time.
type Budget = budget.Amount

// Usage is what a run has used so far.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int64 // tokens
	MicroUSD                             int64
	// Priced: MicroUSD is the whole cost. Otherwise it is a lower bound, and the rest is unknown.
	Priced bool
	Model  string // if known
	Turns  int
}

// Tokens returns the sum of all tokens.
func (u Usage) Tokens() int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// Spent returns the usage as an amount of a budget.
func (u Usage) Spent() budget.Amount {
	return budget.Amount{MicroUSD: u.MicroUSD, Tokens: u.Tokens()}
}

// Event is something that happened during a run, for people who watch it.
type Event struct {
	Kind    string // text, thinking, tool, result, limit, window, usage, note
	Text    string
	Tool    string
	Session string          // if the event has it; for the record of running agents
	Model   string          // if the event has it
	Usage   *Usage          // so far, if the event has it
	Reset   *time.Time      // kind limit: when it ends, if known
	Windows []tokens.Window // kind window: how much of a subscription is used
}

// End is the reason why a run ended.
type End string

// The ends. Only Done has an answer that may count.
const (
	Done      End = "done"
	Refused   End = "refused"    // the model refused
	MaxTurns  End = "max_turns"  // the turns are used up
	Budgeted  End = "budget"     // the budget is used up
	Limited   End = "limit"      // a usage limit, which resets at Result.Reset
	APIError  End = "api_error"  // see Result.Class
	Unusable  End = "unusable"   // it ended, but its stream is unreadable
	Crashed   End = "crashed"    // it ended with an error
	OverLimit End = "over_limit" // it used too much of the machine: processes, memory, disk, output
	Idle      End = "idle"       // it was silent for too long
	TimedOut  End = "timeout"    // its time was up
	Cancelled End = "cancelled"  // we stopped it
	Unpriced  End = "unpriced"   // it had a limit in dollars, and its prices are unknown
	NoAgent   End = "no_agent"   // it is not installed
	NoLogin   End = "no_login"   // it is not logged in
	NoCredit  End = "no_credit"  // its account cannot pay
	NoModel   End = "no_model"   // its model does not exist, or not for its account
	Away      End = "away"       // the session that works with the engine is gone
)

// Result is the result of a run.
type Result struct {
	Agent    string
	End      End
	Text     string          // the agent's last text
	JSON     *lossless.Value // its structured result; nil: none valid
	Invalid  string          // why there is none
	Session  string
	Usage    Usage
	Denials  []string // calls that were not permitted
	Exit     int
	Why      string           // for people: what went wrong
	Class    errorclass.Class // of an APIError
	Reset    time.Time        // of a Limited: zero when not known
	Orphans  int              // leftover processes that were ended
	Duration time.Duration
	Record
}

// Record is what is known of a run besides its answer.
type Record struct {
	Log   string // where its whole output is
	Holds string // how well it was contained
	Hooks *evidence.Hooks
}

// Spends reports whether an unsuccessful run is the agent's own failure, which costs its chunk a
// try. Networks, limits and broken set-ups are not.
func (r Result) Spends() bool {
	switch r.End {
	case Limited, APIError, NoAgent, NoLogin, NoCredit, NoModel, Away, Cancelled, Budgeted, Unpriced:
		return false
	}
	return true
}

// Invocation is the process for a task. Argv contains no secrets.
type Invocation struct {
	Argv  []string
	Env   []string // beyond what every child gets
	Stdin string
}

// Parser parses one run's output. No input makes it fail: it skips what it does not understand.
type Parser interface {
	// Line parses one line of stdout.
	Line(line []byte) []Event
	// End returns the run's result, given the exit code and the end of stderr.
	End(exit int, stderr string) Result
}

// Waiter is a parser that knows what its agent waits for.
type Waiter interface {
	// Waits returns the error class of an agent that is silent because it waits for its model; None
	// if it waits for something else, such as a command.
	Waits() errorclass.Class
}

// Health is what is known of an agent without asking it anything that costs money.
type Health struct {
	Installed bool
	Path      string
	Version   string
	Broken    string // why it cannot be started although it is installed
	LoggedIn  *bool  // nil: unknown
	Advice    string // how to fix what is missing
}

// Do returns what is broken, and how to fix what is missing.
func (h Health) Do() string {
	if h.Broken == "" {
		return h.Advice
	}
	return h.Broken + "; " + h.Advice
}

// Adapter is one kind of agent.
type Adapter interface {
	Name() string
	// Invoke translates a task. file is where the agent may write its result; schema is the JSON
	// schema of its role's result.
	Invoke(t Task, file string, schema []byte) (Invocation, error)
	Parser(t Task) Parser
	Check(ctx context.Context) Health
}

// unpricedAgent is an adapter whose agent does not report costs in dollars, so that the Runner has
// to know its prices.
type unpricedAgent interface {
	Tells() Tells
}

// Tells is what such an agent does report.
type Tells struct {
	Tokens bool
	Model  bool // which one it uses, at the start of its stream
}
