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
	"errors"
	"time"

	"warp/internal/core/budget"
	"warp/internal/core/config"
	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/engine/step"
	"warp/internal/sys/work"
	"warp/internal/turnstile"
)

// Ports are what a drive gets from outside.
type Ports struct {
	Drive   *turnstile.Drive
	Tracker forge.Tracker
	Agents  *agent.Runner
	Work    work.Tree
	Redact  func(string) string // takes secrets out of what is filed
	// Ask puts a question to a person; false: nobody answered in time. Nil:
	// nobody is there.
	Ask func(context.Context, Question) (Answer, bool)
	// Late returns the answers to questions of a chunk that came after it was
	// given up. Nil: there are none.
	Late func(issue string, chunk int, criteria []string) []Decided
	Tell func(Note)  // nil: nobody watches
	Docs Docs        // nil: documentation is not held against the code
	Dev  Environment // nil: the project has no environment to look after
	// Counted is told of events after which what was spent is written down,
	// and says whether a budget is used up. Nil: nobody counts.
	Counted func(context.Context, *drive.State, drive.Event) (warnings []string, stop string, err error)
	// Passed is told of each point after which something must not be done
	// again: tests end the process there. Nil: nobody wants to know.
	Passed func(point string)
	Now    func() time.Time
	step.Process
	State string // the user's state folder, where copies are kept
}

// Engine drives one work tree. It is the policy: what is done in each phase, and
// what becomes of the event that comes of it. Its parts do the work.
type Engine struct {
	Ports
	Options

	cfg    config.Settings
	issue  *subject // what is worked on
	tidied bool     // the session that was taken over had been stopped: it is only cleaned up
	parts
}

// parts are what an engine is made of. Each owns what it remembers.
type parts struct {
	ledger    *ledger    // evidence and notes
	trees     *trees     // questions to the repository
	runner    *runner    // agents, as steps under guard
	finder    *finder    // the next requirement
	coder     *coder     // plan, chunks, prompts, decisions
	reviewer  *reviewer  // the verifier and integrity
	tester    *tester    // the project's tests
	committer *committer // commits, documentation, hooks
	merger    *merger    // rebase, conflicts, merge, pull request
	filer     *filer     // what the tracker is given
	skipper   *skipper   // budgets that are spent, chunks that are skipped
	devKeeper *devKeeper // the dev environment
}

// assemble makes the parts.
func (e *Engine) assemble() {
	if e.ledger != nil {
		return
	}
	e.parts = parts{ledger: &ledger{Engine: e}, trees: &trees{Engine: e}, runner: &runner{Engine: e}, finder: &finder{Engine: e, tried: map[int]string{}}, coder: &coder{e}, reviewer: &reviewer{Engine: e},
		tester: &tester{e}, committer: &committer{Engine: e}, merger: &merger{e}, filer: &filer{e}, skipper: &skipper{e}, devKeeper: &devKeeper{e}}
}

// Options are what a person asks for.
type Options struct {
	Issue  string // "": the next that is approved
	Once   bool   // stop after one requirement
	Own    bool   // the work tree is the drive's own, so it makes its branch
	Level  int    // 0: as configured
	Model  string
	Budget agent.Budget // of the whole session
	// Explicit: a person asked for the bound in money.
	Explicit bool
	MaxTime  time.Duration   // from the beginning of this run; 0: as the settings say
	Breaker  *budget.Breaker // shared by all drives of a night; nil: none
	// Fresh gives budgets that are spent a fresh allowance: a person said so.
	Fresh bool
	// Only goes on with what is unfinished and begins nothing.
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

// Answer is what a person said.
type Answer struct{ Text, By string }

// lease is what keeps a second engine out of a work tree.
const lease = "warp-drive"

// Run drives until nothing is left to do or nothing more can be done without a
// person, and returns what became of each requirement. The error says that it
// could not begin, or that something is broken.
func (e *Engine) Run(ctx context.Context) ([]evidence.Outcome, error) {
	e.assemble()
	hold, err := step.Acquire(ctx, e.Drive.Store(), lease, step.Process{PID: e.PID, Host: e.Host}, e.ledger.remark)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e.runner.guard != nil {
			e.runner.guard.Clear()
		}
		hold.Release()
	}()
	wait := e.Agents.Wait
	e.Agents.Wait = func(ctx context.Context, until time.Time, why string) error {
		e.ledger.tell(Note{Kind: Waiting, Until: until, Text: why})
		defer e.ledger.tell(Note{Kind: Waiting})
		return wait(ctx, until, why)
	}
	defer func() { e.Agents.Wait = wait }()
	if e.ledger.book, err = e.ledger.readBook(); err != nil {
		return nil, err
	}
	if err := e.runner.endLeftBehind(ctx); err != nil {
		return nil, err
	}
	if e.cfg, err = e.Drive.Project.Settings(); err != nil {
		return nil, err
	}
	e.ledger.warn(e.cfg.Warnings)
	if err := e.runner.equip(hold.Check); err != nil {
		return nil, err
	}
	for {
		before := len(e.ledger.ends)
		if err := e.beginSession(ctx); err != nil {
			return e.ledger.ends, e.explainUnbegun(err)
		}
		e.runner.sumSpent()
		if err := e.takeSteps(ctx, hold); err != nil {
			return e.ledger.ends, errors.Join(err, e.ledger.bad)
		}
		if e.tidied && !e.Only && e.ledger.bad == nil && ctx.Err() == nil {
			// What was stopped earlier is cleaned up after: now to what is asked for.
			e.tidied, e.issue, e.ledger.ends = false, nil, e.ledger.ends[:before]
			continue
		}
		if !e.wantsMore(before) {
			return e.ledger.ends, e.ledger.bad
		}
	}
}

// takeSteps takes one step after the other until the session ends or is parked.
func (e *Engine) takeSteps(ctx context.Context, hold *step.Lease) error {
	for {
		if err := hold.Check(); err != nil {
			return err
		}
		again, err := e.takeStep(ctx)
		switch {
		case errors.Is(err, context.Canceled):
			return e.stopDrive(ctx)
		case err != nil || !again || e.ledger.bad != nil:
			return err
		}
	}
}

// wantsMore tells whether another session is to be begun: the last one gave its
// requirement up, and that keeps no other from being worked on.
func (e *Engine) wantsMore(before int) bool {
	if e.Once || e.Issue != "" || e.Only || e.ledger.bad != nil || len(e.ledger.ends) == before {
		return false
	}
	r := e.ledger.ends[len(e.ledger.ends)-1].Result
	e.issue = nil
	return r == evidence.Partly || r == evidence.Failed
}
