// Package drive takes a requirement from an approved issue to merged work without a person in
// between. It does every deterministic step itself: it reads the issue, splits it into chunks, runs
// tests and gates, commits, files and merges. It asks an agent only for what needs one, and never
// takes the answer for a fact. The turnstile's state holds the drive's position; each step can be
// repeated from there without doing anything twice. Other packages know how a tracker, an agent or
// a terminal works.
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
	"warp/internal/core/redfirst"
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

// Ports are a drive's dependencies.
type Ports struct {
	Drive   *turnstile.Drive
	Tracker forge.Tracker
	Agents  *agent.Runner
	Work    gitwrite.Tree
	Redact  func(string) string // removes secrets from what is filed
	People
	Tell func(Note)  // nil: no one watches
	Docs Docs        // nil: documentation is not checked against the code
	Dev  Environment // nil: the project has no development environment
	// Counted records the spending after certain events, and reports whether a budget is used up.
	// Nil: nothing is counted.
	Counted func(context.Context, *drivestate.State, drivestate.Event) (warnings []string, stop string, err error)
	// Passed is called at each point after which something must not be done again: crash tests end
	// the process there. May be nil.
	Passed func(point string)
	Now    func() time.Time
	Asleep func() time.Duration // how much of that time the machine slept; nil: as the system says
	step.Process
	State string // the user's state folder, for copies
}

// People connects the drive to those who decide what no agent may.
type People struct {
	// Ask asks a person a question; false if no answer came in time. Nil: no person is there.
	Ask func(context.Context, Question) (Answer, bool)
	// Late returns answers to a chunk's questions that arrived after the chunk was skipped. May be
	// nil.
	Late func(issue string, chunk int, criteria []string) []Decided
	// Settle is called when a question was answered elsewhere, in the tracker. May be nil.
	Settle func(issue string, d Decided)
	// Withdraw withdraws an issue's unanswered questions that are over, by their chunk and
	// criteria. Nil: there are none.
	Withdraw func(issue string, over func(chunk int, criteria []string) bool)
	// Conductor is the fleet's worker, asked before each phase, push and change in the tracker.
	// Nil: the drive belongs to no fleet.
	Conductor *conductor.Conductor
}

// Engine drives one work tree. A function for each phase decides which event happened, and the
// turnstile decides what it leads to.
type Engine struct {
	Ports
	Options
	*ledger               // evidence, spending, and notes to people
	Leaks   *leak.Scanner // refuses commits with secrets; nil: no scan
	Mind    *Mind         // plans, codes and fixes instead of Agents; nil: Agents do
	Rooms   judge.Rooms   // where tests run; nil: in the work tree

	cfg    config.Settings
	tried  map[int]string // requirements already worked on, and why not again
	taker  *step.Taker    // runs agents
	guard  *guard.Guard
	lander *land.Lander
	at     *drivestate.State // the state at the agent's present run
	chunk  chunkMemory
	cache
	tests *judge.Tests // only with Rooms
}

// cache caches what was found out once.
type cache struct {
	killed        *durable.LeaseFile // the previous engine, if it was killed; else nil
	onlyCleanUp   bool               // the session taken over had been stopped: only clean it up
	remoteChecked bool               // whether the remote was checked before the first run
	detectedTests string             // the test command from the project's files; "": not looked for
	namedFollow   *evidence.Follow   // why the named issue is driven again; nil: it is not
	handedOut     []string           // causes for which cycles were handed out

	earlier   budget.Amount // what the session had cost here when it was resumed
	elsewhere budget.Amount // what the session cost on other machines
	others    int64         // micro-dollars that it cost for issues before the present one

	allowed  allowance      // for the present phase
	limit    *conduct.Limit // the account limit that ended the run
	underWay string         // pending checks of the last pull request looked at; "": none

	checks *redfirst.Set // of the present requirement
}

// chunkMemory caches facts about the present chunk besides its evidence. Losing it costs only time.
type chunkMemory struct {
	uninterrupted bool     // from its first run to here without an interruption
	ignores       bool     // it edits ignored files
	hookMessage   string   // its commit message as the repository's hooks left it
	changed       []string // tests that pass only in the chunk's version of them
	tree          string   // that the gates check
	hooked        string   // the tree that the repository's commit hooks accepted
	compared      string   // the tree whose tests were compared with the old ones
}

// turn is one step of a drive: the engine and the drive's state.
type turn struct {
	*Engine
	s *drivestate.State
}

// assemble creates what needs no session.
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
	Issue  string // "": the next approved one
	Once   bool   // stop after one issue
	Own    bool   // the work tree belongs to the drive, so it makes its branch
	Level  int    // 0: as configured
	Model  string
	Budget agent.Budget // of the whole session
	// Caps are the limits of the command line, for all drives together. Money that is not among
	// them is for each issue of the session.
	Caps budget.Caps
	// Before is what the session has cost so far, here and on other machines. The budget counts it;
	// what is recorded here is not counted twice.
	Before budget.Amount
	// Explicit means a person set the money limit.
	Explicit bool
	MaxTime  time.Duration   // from the start of this run; 0: as configured
	Until    time.Time       // wall-clock end, even after a sleep; zero: none
	Breaker  *budget.Breaker // this drive's; nil: none
	// Fresh resets spent budgets, because a person said so.
	Fresh bool
	// Night marks one of a night's drives: the night files one summary for all of them.
	Night bool
	// Only resumes what is unfinished and starts nothing.
	Only bool
}

// Question is a question to a person.
type Question struct {
	Issue, Title  string
	Chunk         int
	Criteria      []string
	Text, Context string
	Options       []string
	Default       string
}

// Decided is a question that a person answered.
type Decided struct{ Question, Answer, By string }

// Answer is a person's answer, with the question's ID in the inbox.
type Answer struct{ Text, By, ID string }
