package drivecmd

import (
	"context"
	"errors"
	"os"
	"time"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/cli/boxes"
	"warp/internal/cli/cost"
	"warp/internal/cli/devcmd"
	"warp/internal/cli/leaks"
	"warp/internal/cli/tracker"
	"warp/internal/core/account"
	"warp/internal/core/budget"
	"warp/internal/core/config"
	"warp/internal/core/evidence"
	"warp/internal/core/redact"
	"warp/internal/durable"
	"warp/internal/engine/forge"
	"warp/internal/engine/leak"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/step"
	"warp/internal/engine/trust"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/ui/live"
)

// engines makes and runs the engines of one command, each for one work tree.
type engines struct {
	app      *app.App
	o        options
	drive    *turnstile.Drive // of the work tree that the command was started in
	settings config.Settings
	tracker  forge.Tracker
	redact   *redact.Redactor
	leaks    *leak.Scanner // one for all drives: they share what was scanned
	process  step.Process
	talk     *talk
	spending *spending
	breakers budget.Night
	passed   func(point string) // one for all drives: tests of crashes count what they pass together
}

func open(ctx context.Context, a *app.App, d *turnstile.Drive, o options) (*engines, error) {
	s, err := d.Project.Settings()
	if err != nil {
		return nil, err
	}
	if o.misbehave != "" { // what is under way is resumed without a further look at the flags
		if _, err := agentcmd.Chain(s, d.Root(), o.agent, o.misbehave); err != nil {
			return nil, err
		}
	}
	t, err := tracker.Open(ctx, a, d)
	if err != nil {
		return nil, err
	}
	view := live.New(a.Out, live.Options{Terminal: a.Redraw, Color: a.Color, JSON: o.json, Verbose: o.verbose, Now: a.Env.Now, Size: func() (int, int) { return live.Size(os.Stdout) }})
	return &engines{app: a, o: o, drive: d, settings: s, tracker: t, redact: leaks.Redactor(a, d), leaks: leaks.Scanner(a, d), process: step.Process{PID: a.Env.PID, Host: app.Hostname()},
		talk: &talk{app: a, view: view, heartbeat: s.Heartbeat, conducted: o.conducted}, spending: newSpending(o, s, proc.AwakeClock(a.Env.Now, nil)), passed: app.NewKillPoint(a.Getenv)}, nil
}

// makeEngine makes the engine of one work tree.
func (m *engines) makeEngine(d *turnstile.Drive, issue string) (*drive.Engine, error) {
	tree, err := app.OpenTree(d)
	if err != nil {
		return nil, err
	}
	runner, err := agentcmd.OpenRunner(m.app, d, m.settings, m.o.agent, m.o.misbehave)
	if err != nil {
		return nil, err
	}
	rooms, err := boxes.Rooms(m.app, d, m.settings)
	if err != nil {
		return nil, err
	}
	env, err := devcmd.Environment(m.app, d)
	if err != nil {
		return nil, err
	}
	ledger, err := cost.Ledger(m.app)
	if err != nil {
		return nil, err
	}
	e := &drive.Engine{
		Ports: drive.Ports{
			Drive: d, Tracker: m.tracker, Agents: runner, Work: tree, Redact: m.redact.String,
			People: m.talk.people(d), Tell: m.talk.tell, Passed: m.passed, Now: m.app.Env.Now, Process: m.process,
		},
		Options: drive.Options{
			Issue: issue, Once: m.o.once, Level: m.o.level, Model: m.o.model, Fresh: m.o.fresh, Only: m.o.only,
			Budget: m.spending.shareOfOne(), Explicit: true, MaxTime: m.timeLimit(), Until: m.o.until, Breaker: m.breakers.Breaker(), Night: m.talk.several,
		},
	}
	e.Leaks, e.Rooms, e.Docs, e.Dev = m.leaks, rooms, Documents(d.Root()), env
	e.State, _ = trust.Folder(m.app.Getenv) // else copies are kept in git's own folder
	e.Counted = m.counter(ledger, e, d)
	if session := m.talk.mind; session != nil {
		e.Mind = &drive.Mind{Agents: session, Judges: m.settings.GuidedVerifier == "session", Who: func() turnstile.Mind {
			who := session.Who()
			return turnstile.Mind{Session: who.Session, PID: who.PID}
		}}
	}
	return e, nil
}

// timeLimit is how long one more drive may take; 0: as the settings say.
func (m *engines) timeLimit() time.Duration {
	limit := m.spending.timeLeft()
	if m.o.until.IsZero() {
		return limit
	}
	left := max(time.Second, m.o.until.Sub(m.app.Env.Now()))
	if limit > 0 {
		left = min(left, limit)
	}
	return left
}

// makeChooser makes an engine that looks at issues and changes nothing.
func (m *engines) makeChooser(issue string) *drive.Engine {
	work, _ := app.OpenTree(m.drive) // without a repository there is nothing to choose from
	return &drive.Engine{Ports: drive.Ports{Drive: m.drive, Tracker: m.tracker, Work: work, Tell: m.talk.view.Note, Now: m.app.Env.Now, Redact: m.redact.String},
		Options: drive.Options{Issue: issue, Own: true, Level: m.o.level}}
}

// driveIssue drives one work tree.
func (m *engines) driveIssue(ctx context.Context, d *turnstile.Drive, issue string, own bool) ([]evidence.Outcome, error) {
	e, err := m.makeEngine(d, issue)
	if err != nil {
		return nil, err
	}
	e.Own = own
	return m.run(ctx, d, e)
}

// driveHere drives in the work tree that the command was started in.
func (m *engines) driveHere(ctx context.Context, issue string) ([]evidence.Outcome, error) {
	return m.driveIssue(ctx, m.drive, issue, isOwnWorkTree(m.drive.Root()))
}

// run runs an engine, and counts what it has cost.
func (m *engines) run(ctx context.Context, d *turnstile.Drive, e *drive.Engine) ([]evidence.Outcome, error) {
	m.spending.begin()
	ends, err := e.Run(ctx)
	m.spending.add(e.Spent())
	m.spending.leaveOut(e.Waited())
	if locked, is := errors.AsType[*durable.LockedError](err); is {
		err = &turnstile.ActiveError{PID: locked.PID}
		if v, e := d.Read(); e == nil {
			err = &turnstile.ActiveError{Issue: v.State.Issue(), Phase: v.State.Phase, PID: locked.PID}
		}
	}
	return ends, err
}

// lookAhead is the plan, or the reason why nothing can be driven here. It costs nothing.
func (m *engines) lookAhead(ctx context.Context) (plan []account.Issue, refused []evidence.Outcome, err error) {
	if m.o.only || isUnderWay(m.drive) {
		return nil, nil, nil // what has begun goes on as it began
	}
	e, err := m.makeEngine(m.drive, m.o.first())
	if err != nil {
		return nil, nil, err
	}
	if refused, err := e.CheckReady(ctx); err != nil || refused != nil {
		return nil, list(refused), err
	}
	if len(m.o.issues) > 0 {
		return nil, nil, nil // each says for itself what is wrong with it
	}
	plan, err = m.makeChooser("").Survey(ctx)
	return plan, nil, err
}

// isUnderWay tells whether a work tree has a drive that is not over.
func isUnderWay(d *turnstile.Drive) bool {
	v, err := d.Read()
	return err == nil && v.State.Phase.Active() || err != nil && !durable.IsMissing(err)
}

func list(o *evidence.Outcome) []evidence.Outcome {
	if o == nil {
		return nil
	}
	return []evidence.Outcome{*o}
}

// exitError turns what became of requirements into an exit code. What happened was told
// already.
func exitError(ends []evidence.Outcome, err error) error {
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	a := account.Account{}
	for _, o := range ends {
		a.Ends = append(a.Ends, account.End{Outcome: o})
	}
	return exitOf(a, err)
}

// codes are the exit codes of what a night came to.
var codes = map[evidence.Result]int{evidence.Stopped: app.Interrupt, evidence.Person: app.Human, evidence.Budget: app.Budget, evidence.Partly: app.Partly, evidence.Failed: app.Failed}

func exitOf(a account.Account, err error) error {
	code := codes[a.Result()]
	if err != nil {
		code = app.Interrupt
	}
	if code != app.Done {
		return &app.Silent{Code: code}
	}
	return nil
}
