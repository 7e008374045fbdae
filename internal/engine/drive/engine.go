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
	"fmt"
	"slices"
	"time"

	"warp/internal/core/config"
	"warp/internal/core/drive"
	"warp/internal/core/event"
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
	Late func(issue string, chunk int) []Decided
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
	overspent string   // the budget that is used up
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
	Text, Context string
	Options       []string
	Default       string
}

// Decided is a question that a person has answered.
type Decided struct{ Question, Answer, By string }

// Answer is what a person said.
type Answer struct{ Text, By string }

// goneTries is how often it is looked whether a killed agent is gone.
const goneTries = 50

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
	if e.cfg, err = e.Drive.Settings(); err != nil {
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
		if !e.more(before) {
			return e.ends, e.bad
		}
	}
}

// sum finds out what the session has cost so far, when it is gone on with.
func (e *Engine) sum() {
	v, err := e.Drive.Read()
	if err != nil || e.spent != (agent.Usage{}) {
		return
	}
	for _, r := range e.book.Of("", e.since(v.State)).Runs {
		e.spent.Add(agent.Usage{Input: r.Row.Input, Output: r.Row.Output, CacheRead: r.Row.CacheRead, CacheWrite: r.Row.CacheWrite, MicroUSD: r.Row.MicroUSD})
	}
}

// unfinished turns what keeps a session from being begun into its outcome: no
// session is left behind for it.
func (e *Engine) unfinished(err error) error {
	var p *parked
	var issue *forge.Error
	switch {
	case errors.As(err, &p):
	case errors.As(err, &issue) && e.Issue != "":
		p = &parked{evidence.Person, issue.Error(), "see warp issue list"}
	default:
		return err
	}
	o := evidence.Outcome{Issue: e.Issue, Result: p.result, Why: e.Redact(p.why), Do: e.Redact(p.do)}
	e.ends = append(e.ends, o)
	e.tell(Note{Kind: Ended, Outcome: &o})
	return nil
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

// endLeftBehind ends the agents of an engine that was killed: two agents in one
// work tree would each undo what the other does. One that is killed may take a
// moment to be gone, and owns the drive until then.
func (e *Engine) endLeftBehind(ctx context.Context) error {
	left, err := e.Agents.EndLeftBehind()
	for _, l := range left {
		e.remark("the agent %s (process %d), left behind by a drive that was killed, was ended", l.Agent, l.PID)
		e.killed(l)
		for n := 0; l.PID > 0 && n < goneTries && !e.Drive.Gone(turnstile.Owner{PID: l.PID, Stamp: l.Stamp}); n++ {
			if err := pause(ctx, lookAgain); err != nil {
				return err
			}
		}
	}
	if err != nil {
		return fmt.Errorf("looking for agents that were left behind: %w", err)
	}
	return nil
}

// killed keeps that a run has cost something that nobody counted.
func (e *Engine) killed(l agent.Left) {
	row := evidence.Run{Role: string(l.Role), Agent: l.Agent, Session: l.Session, End: "killed", Why: "its drive was killed", Unpriced: true}
	if v, err := e.Drive.Read(); err == nil {
		row.Issue, row.Chunk = v.State.Issue(), v.State.Chunk.Index
	}
	e.keep(event.Run, row)
}

// begin starts a session, or takes over the one that is unfinished.
func (e *Engine) begin(ctx context.Context) error {
	if err := e.recover(ctx); err != nil {
		return fmt.Errorf("looking after an agent whose drive was killed: %w", err)
	}
	v, err := e.Drive.Read()
	switch {
	case durable.IsMissing(err), err == nil && !v.State.Phase.Active():
		if e.Only {
			return &Nothing{}
		}
		if err := e.fit(ctx); err != nil {
			return err
		}
		v, err = e.Drive.Init(ctx, turnstile.Start{Level: e.Level, Issue: e.Issue, PID: e.PID})
		e.warn(v.Notes)
		if err == nil {
			e.passed("init")
		}
		return err
	case err != nil:
		return err
	}
	s := v.State
	switch owner := turnstile.OwnerOf(s); {
	case owner.PID != e.PID && !e.Drive.Gone(owner):
		return &turnstile.ActiveError{Issue: s.Issue(), Phase: s.Phase, PID: s.Session.PID}
	case e.Issue != "" && s.Issue() != "" && s.Issue() != e.Issue:
		return &Unfinished{Issue: s.Issue(), Phase: s.Phase, Wanted: e.Issue}
	}
	if v.Foreign && s.Session.ClaudeSession != "" {
		return &drive.FrozenError{Phase: s.Phase, Freeze: drive.Freeze{State: true}}
	}
	v, err = e.Drive.Claim(e.PID)
	e.warn(v.Notes)
	if err == nil {
		e.remark("#%s is gone on with in phase %s", s.Issue(), s.Phase)
	}
	return err
}

// Nothing says that there is nothing to go on with.
type Nothing struct{}

func (*Nothing) Error() string { return "there is nothing to go on with: no drive is unfinished here" }

// Unfinished refuses to begin one requirement while another is under way.
type Unfinished struct {
	Issue  string
	Phase  drive.Phase
	Wanted string
}

func (u *Unfinished) Error() string {
	return fmt.Sprintf("#%s is unfinished here, in phase %s: go on with it (warp resume), end it (warp stop), or drive #%s in a work tree of its own (--worktree)", u.Issue, u.Phase, u.Wanted)
}

// parked ends the run where it is: the state is kept, and a person or time can
// make it go on.
type parked struct {
	result evidence.Result
	why    string
	do     string
}

func (p *parked) Error() string { return p.why }

func needsPerson(do, format string, args ...any) error {
	return &parked{evidence.Person, fmt.Sprintf(format, args...), do}
}

// move is what a step has found out: the event that is true now.
type move struct {
	on    drive.Event
	data  data
	gates []turnstile.Gate
}

// data is what goes with an event.
type data struct {
	Requirement string     `json:"requirement,omitempty"`
	Branch      string     `json:"branch,omitempty"`
	Chunks      [][]string `json:"chunks,omitempty"`
	Commit      string     `json:"commit,omitempty"`
	Failure     string     `json:"failure,omitempty"`
	Tokens      *int64     `json:"tokens,omitempty"`
}

// phases says what is done in each phase. Nothing is done in a final one.
var phases = map[drive.Phase]func(*Engine, context.Context, *drive.State) (move, error){
	drive.Prerequisites:       (*Engine).prerequisites,
	drive.Discovering:         (*Engine).discover,
	drive.Planning:            (*Engine).plan,
	drive.Chunking:            (*Engine).chunk,
	drive.Coding:              (*Engine).code,
	drive.UpdatingDocs:        (*Engine).checkOff,
	drive.Testing:             (*Engine).testing,
	drive.Committing:          (*Engine).commit,
	drive.DocDriftCheck:       (*Engine).drift,
	drive.Reporting:           (*Engine).report,
	drive.ChunkComplete:       (*Engine).nextChunk,
	drive.RequirementComplete: (*Engine).finalTest,
	drive.Merging:             (*Engine).merge,
	drive.AwaitingContinue:    (*Engine).goOn,
	drive.SessionEnding:       (*Engine).summarise,
	drive.BudgetExceeded:      (*Engine).escalate,
	drive.Aborted:             (*Engine).cleanUp,
}

// branched are the phases in which the drive's branch is checked out.
var branched = []drive.Phase{drive.Planning, drive.Chunking, drive.Coding, drive.UpdatingDocs, drive.Testing, drive.Committing, drive.DocDriftCheck,
	drive.Reporting, drive.ChunkComplete, drive.RequirementComplete, drive.Merging}

// step does one phase's work and fires what comes of it. It tells whether there
// is more to do.
func (e *Engine) step(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	v, err := e.Drive.Read()
	if err != nil {
		return false, err
	}
	s := v.State
	do := phases[s.Phase]
	if do == nil {
		return false, nil
	}
	if s.Paused != nil {
		return true, e.untilContinued(ctx, s)
	}
	if slices.Contains(branched, s.Phase) {
		if err := e.onBranch(s); err != nil {
			return e.park(s, err)
		}
	}
	e.until = e.Now().Add(s.SessionLeft(e.cfg.Limits, e.Now()))
	if err := e.load(ctx, s); err != nil {
		return e.park(s, err)
	}
	if e.issue != nil {
		e.issue.branch = s.BranchName()
	}
	m, err := do(e, ctx, s)
	if err != nil {
		return e.park(s, err)
	}
	if m.on == "" { // it moved the drive itself
		return true, nil
	}
	return e.fire(ctx, s, m)
}

// park ends the run without moving the drive, and says why. Errors that are
// nobody's decision end it too, as they are.
func (e *Engine) park(s *drive.State, err error) (bool, error) {
	var p *parked
	var issue *forge.Error
	switch {
	case errors.Is(err, context.Canceled):
		return false, err
	case errors.As(err, &p):
	case errors.As(err, &issue):
		p = &parked{evidence.Person, issue.Error(), "mend it, then warp resume"}
	default:
		p = &parked{evidence.Failed, err.Error(), "mend it, then warp resume"}
	}
	e.end(s, evidence.Outcome{Result: p.result, Why: p.why, Do: p.do})
	return false, nil
}
