// Package drive takes a requirement from an approved issue to merged work
// without a person in between. It does every deterministic step itself: reading
// the issue, splitting it into chunks, running tests and gates, committing,
// filing, merging. An agent is asked only for what needs a mind, and what it
// says is never taken for a fact. Where the drive is stands in the state that
// the turnstile keeps; each step can be done again from there without doing
// anything twice. How a tracker, an agent or a terminal works is left to others.
package drive

import (
	"context"
	"os"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/conduct"
	"warp/internal/core/config"
	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/conductor"
	"warp/internal/engine/forge"
	"warp/internal/engine/guard"
	"warp/internal/engine/judge"
	"warp/internal/engine/land"
	"warp/internal/engine/leak"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
)

// Ports are what a drive gets from outside.
type Ports struct {
	Drive   *turnstile.Drive
	Tracker forge.Tracker
	Agents  *agent.Runner
	Work    gitwrite.Tree
	Redact  func(string) string // takes secrets out of what is filed
	People
	Tell func(Note)  // nil: no one watches
	Docs Docs        // nil: documentation is not held against the code
	Dev  Environment // nil: the project has no environment to look after
	// Counted is told of events after which what was spent is written down,
	// and says whether a budget is used up. Nil: nothing is counted.
	Counted func(context.Context, *drivestate.State, drivestate.Event) (warnings []string, stop string, err error)
	// Passed is told of each point after which something must not be done
	// again: tests end the process there. Nil: it is not wanted.
	Passed func(point string)
	Now    func() time.Time
	Asleep func() time.Duration // how much of it was slept; nil: as the system says
	step.Process
	State string // the user's state folder, where copies are kept
}

// People are those who decide what no agent may.
type People struct {
	// Ask puts a question to a person; false: there is no answer in time. Nil:
	// no person is there.
	Ask func(context.Context, Question) (Answer, bool)
	// Late returns the answers to questions of a chunk that came after it was
	// given up. Nil: there are none.
	Late func(issue string, chunk int, criteria []string) []Decided
	// Settle is told that a question was answered elsewhere, in the tracker. Nil:
	// it is not wanted.
	Settle func(issue string, d Decided)
	// Withdraw takes back the questions about an issue without an answer that are over, by
	// their chunk and criteria. Nil: there are none.
	Withdraw func(issue string, over func(chunk int, criteria []string) bool)
	// Conductor is the worker of a fleet, who is asked before each phase, push and change in
	// the tracker. Nil: the drive goes by itself.
	Conductor *conductor.Conductor
}

// Engine drives one work tree. It is the policy: a function for each phase says
// which event is true now, and the turnstile what that leads to.
type Engine struct {
	Ports
	Options
	*ledger               // what was found out and spent, and the people who watch
	Leaks   *leak.Scanner // refuses commits with secrets; nil: nothing is scanned
	Mind    *Mind         // plans, codes and fixes in place of Agents; nil: they do
	Rooms   judge.Rooms   // that tests are run in; nil: in the work tree

	cfg    config.Settings
	tried  map[int]string // requirements that were worked on, and why not again
	taker  *step.Taker    // runs agents
	guard  *guard.Guard
	lander *land.Lander
	at     *drivestate.State // where the present run of an agent is
	chunk  chunkMemory
	known
	tests *judge.Tests // where there are rooms
}

// known is what was found out once.
type known struct {
	killed *durable.LeaseFile // the engine before, which was; nil: none was
	tidied bool               // the session that was taken over had been stopped: it is only cleaned up
	asked  bool               // the remote was, before the first run
	found  string             // the test command, as the project's files tell; "": it was not looked for
	news   *evidence.Follow   // why the issue that was named is driven again; nil: it is not
	given  []string           // causes of cycles that were given out

	earlier   budget.Amount // what the session had cost here when it was resumed
	elsewhere budget.Amount // what the session has cost on other machines

	allowed  allowance      // of the present phase
	limit    *conduct.Limit // of the account, which ended the run
	underWay string         // what checks of the pull request that was looked at last are doing; "": nothing
}

// chunkMemory is what is known of the present chunk besides its evidence. Nothing is
// lost with it but time.
type chunkMemory struct {
	straight bool     // it came from its first run to here without a stop
	ignores  bool     // it edits what git ignores
	hooked   string   // its message as the repository's hooks left it
	changed  []string // tests that pass only in the version that it gives them
}

// turn is one step of a drive: the engine, and where the drive is.
type turn struct {
	*Engine
	s *drivestate.State
}

// assemble makes what needs no session.
func (e *Engine) assemble() {
	if e.ledger != nil {
		return
	}
	e.tried = map[int]string{}
	e.Tracker = e.Conductor.Tracker(e.Tracker)
	e.ledger = &ledger{ports: &e.Ports, home: e.Drive.Project.Home()}
	e.lander = &land.Lander{Work: e.Work, Leaks: e.Leaks, Home: e.home, Process: e.Process, Conductor: e.Conductor, Remark: e.remark, Passed: e.pass, Now: e.Now,
		Hooks: land.Hooks{Began: func() string { tip, _ := beganWith(e); return tip }, CommandSetup: judge.CommandSetup{Environ: os.Environ(), Rooms: e.Rooms}},
		Moved: func(branch, old, new string) { branchMoved(e, branch, old, new) },
		Wait:  func(ctx context.Context, until time.Time, why string) error { return e.Agents.Wait(ctx, until, why) }}
}

// Options are what a person asks for.
type Options struct {
	Issue  string // "": the next that is approved
	Once   bool   // stop after one issue
	Own    bool   // the work tree is the drive's own, so it makes its branch
	Level  int    // 0: as configured
	Model  string
	Budget agent.Budget // of the whole session
	// Caps are the limits as the command line gave them, for all drives together.
	Caps budget.Amount
	// Before is what the session has cost so far, here and on other machines: the budget
	// counts it, and what is known here is not counted twice.
	Before budget.Amount
	// Explicit: a person asked for the bound in money.
	Explicit bool
	MaxTime  time.Duration   // from the beginning of this run; 0: as the settings say
	Until    time.Time       // it ends then, also after a sleep; zero: no bound
	Breaker  *budget.Breaker // of this drive; nil: none
	// Fresh resets budgets that are spent: a person said so.
	Fresh bool
	// Night: it is one of a night's drives, which files one summary for all of them.
	Night bool
	// Only resumes what is unfinished and begins nothing.
	Only bool
}

// Question is what a person is asked.
type Question struct {
	Issue, Title  string
	Chunk         int
	Criteria      []string
	Text, Context string
	Options       []string
	Default       string
}

// Decided is a question that a person has answered.
type Decided struct{ Question, Answer, By string }

// Answer is what a person said, and the question's name in the inbox.
type Answer struct{ Text, By, ID string }
