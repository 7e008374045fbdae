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

	"warp/internal/core/config"
	"warp/internal/core/drive"
	"warp/internal/core/evidence"
	"warp/internal/core/usage"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/sys/proc"
	"warp/internal/sys/work"
	"warp/internal/turnstile"
)

// Engine drives one work tree.
type Engine struct {
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
	Host   string
	PID    int
	Options

	cfg     config.Settings
	issue   *subject // what is worked on
	tried   map[int]string
	book    *evidence.Book
	spent   agent.Usage // of the runs that are over
	running agent.Usage // of the one that is not
	ends    []evidence.Outcome
	bad     error // a row that could not be written

	homeStore *durable.Store
	windows   map[string]usage.Window
	stamps    map[string]stamp // of what is in the vault
	newest    [2]string        // the last commit, and what it was made on
	straight  bool             // the present chunk came from its first run to here without a stop
	noHooks   *bool            // the repository has no hooks that look at commits, once it was asked
	origin    *string          // the remote, once it was looked for; "": none
	until     time.Time
	kept      []string // ignored files, as they were found last
	index     index    // as it was looked at last
	overspent string   // the budget that is used up
	tidied    bool     // the session that was taken over had been stopped: it is only cleaned up after
	ignores   bool     // the chunk edits what git ignores
	hooked    string   // the chunk's message as the repository's hooks left it
}

// Options are what a person asks for.
type Options struct {
	Issue  string // "": the next that is approved
	Once   bool   // stop after one requirement
	Own    bool   // the work tree is the drive's own, so it makes its branch
	Level  int    // 0: as configured
	Model  string
	Budget agent.Budget // of the whole session
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
	if e.tried == nil {
		e.tried = map[int]string{}
	}
	stamp, _ := proc.Started(e.PID)
	hold, old, err := e.Drive.Store().Acquire(lease, durable.Process{PID: e.PID, Stamp: stamp, Host: e.Host}, proc.Started)
	if err != nil {
		return nil, err
	}
	defer func() {
		e.emptyVault()
		_ = hold.Release()
	}()
	if old != nil {
		e.remark("the drive that ran here (process %d) is gone; it is gone on with", old.PID)
	}
	beating, enough := context.WithCancel(context.WithoutCancel(ctx))
	defer enough()
	go func() { _ = hold.Keep(beating) }() // a lost lease is noticed before the next write
	wait := e.Agents.Wait
	e.Agents.Wait = func(ctx context.Context, until time.Time, why string) error {
		e.tell(Note{Kind: Waiting, Until: until, Text: why})
		defer e.tell(Note{Kind: Waiting})
		return wait(ctx, until, why)
	}
	defer func() { e.Agents.Wait = wait }()
	if e.book, err = e.read(); err != nil {
		return nil, err
	}
	if err := e.endLeftBehind(ctx); err != nil {
		return nil, err
	}
	if e.cfg, err = e.Drive.Project.Settings(); err != nil {
		return nil, err
	}
	e.warn(e.cfg.Warnings)
	for {
		before := len(e.ends)
		if err := e.begin(ctx); err != nil {
			return e.ends, e.unfinished(err)
		}
		e.sum()
		if err := e.drive(ctx, hold); err != nil {
			return e.ends, errors.Join(err, e.bad)
		}
		if e.tidied && !e.Only && e.bad == nil && ctx.Err() == nil {
			// What was stopped earlier is cleaned up after: now to what is asked for.
			e.tidied, e.issue, e.ends = false, nil, e.ends[:before]
			continue
		}
		if !e.more(before) {
			return e.ends, e.bad
		}
	}
}

// drive takes one step after the other until the session ends or is parked.
func (e *Engine) drive(ctx context.Context, hold *durable.Lease) error {
	for {
		if err := hold.Check(); err != nil {
			return err
		}
		again, err := e.step(ctx)
		switch {
		case errors.Is(err, context.Canceled):
			return e.stop(ctx)
		case err != nil || !again || e.bad != nil:
			return err
		}
	}
}

// more tells whether another session is to be begun: the last one gave its
// requirement up, and that keeps no other from being worked on.
func (e *Engine) more(before int) bool {
	if e.Once || e.Issue != "" || e.Only || e.bad != nil || len(e.ends) == before {
		return false
	}
	r := e.ends[len(e.ends)-1].Result
	e.issue = nil
	return r == evidence.Partly || r == evidence.Failed
}
