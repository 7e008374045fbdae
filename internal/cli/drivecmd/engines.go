package drivecmd

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"time"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/cli/cost"
	"warp/internal/cli/devcmd"
	"warp/internal/cli/leaks"
	"warp/internal/cli/sandboxes"
	"warp/internal/cli/tracker"
	"warp/internal/core/budget"
	"warp/internal/core/config"
	"warp/internal/core/evidence"
	"warp/internal/core/nightreport"
	"warp/internal/core/redact"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/engine/forge"
	"warp/internal/engine/leak"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/step"
	"warp/internal/engine/trust"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/ui/live"
)

// engines creates and runs the engines of one command, one per work tree.
type engines struct {
	app      *app.App
	o        options
	drive    *turnstile.Drive // of the work tree where the command was started
	settings config.Settings
	tracker  forge.Tracker
	redact   *redact.Redactor
	leaks    *leak.Scanner // shared by all drives, with its cache
	process  step.Process
	talk     *talk
	spending *spending
	breakers budget.Night
	passed   func(point string) // shared by all drives: crash tests count their steps together
}

func openEngines(ctx context.Context, a *app.App, d *turnstile.Drive, o options) (*engines, error) {
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
	view := live.New(a.Out, live.Options{Terminal: a.Redraw, Color: a.Color, JSON: o.json, Verbose: o.verbose, Now: a.Env.Now})
	return &engines{app: a, o: o, drive: d, settings: s, tracker: t, redact: leaks.Redactor(a, d), leaks: leaks.Scanner(a, d), process: step.Process{PID: a.Env.PID, Host: app.Hostname()},
		talk: &talk{app: a, view: view, heartbeat: s.Heartbeat, conducted: o.conducted, once: s.Warnings}, spending: newSpending(o, s, proc.AwakeClock(a.Env.Now, nil)), passed: app.NewKillPoint(a.Getenv)}, nil
}

// checkNamed refuses numbers that no issue has: a typo is no issue that needs a person. If the
// tracker cannot be asked, the drive says so.
func (m *engines) checkNamed(ctx context.Context) error {
	if m.o.level == 0 && m.settings.Level == 0 {
		return nil // the drive says that
	}
	var missing []string
	for _, name := range m.o.issues {
		number, _ := strconv.Atoi(name)
		if _, err := m.tracker.Get(ctx, number); forge.Is(err, forge.NotFound) {
			missing = append(missing, name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return app.WrongUsage("there is no issue %s: warp issue list shows them", text.List(missing, 20))
}

// makeEngine returns the engine of one work tree.
func (m *engines) makeEngine(d *turnstile.Drive, issue string) (*drive.Engine, error) {
	tree, err := app.OpenTree(d)
	if err != nil {
		return nil, err
	}
	runner, err := agentcmd.OpenRunner(m.app, d, m.settings, m.o.agent, m.o.misbehave)
	if err != nil {
		return nil, err
	}
	if m.talk.mind != nil { // its session does the rest
		maps.DeleteFunc(runner.Own, func(role agent.Role, _ agent.Adapter) bool { return role != agent.Verify })
	}
	rooms, err := sandboxes.Rooms(m.app, d, m.settings)
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
			Caps: m.o.caps(), Budget: m.spending.shareOfOne(), Explicit: true, MaxTime: m.timeLimit(), Until: m.o.until, Breaker: m.breakers.Breaker(), Night: m.talk.several,
		},
	}
	e.Leaks, e.Rooms, e.Docs, e.Dev = m.leaks, rooms, compareDocs(d.Root()), env
	e.State, _ = trust.Folder(m.app.Getenv) // if it fails, copies stay in the git folder
	e.Counted = m.newCounter(ledger, e, d)
	if session := m.talk.mind; session != nil {
		e.Mind = &drive.Mind{Agents: session, Judges: m.settings.GuidedVerifier == "session", Offer: session.Offer, Who: func() turnstile.Mind {
			who := session.Who()
			return turnstile.Mind{Session: who.Session, PID: who.PID}
		}}
	}
	return e, nil
}

// timeLimit returns how long another drive may take; 0: as in the settings.
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

// makeChooser returns an engine that examines issues and changes nothing.
func (m *engines) makeChooser(issue string) *drive.Engine {
	work, _ := app.OpenTree(m.drive) // without a repository there is nothing to choose from
	return &drive.Engine{Ports: drive.Ports{Drive: m.drive, Tracker: m.tracker, Work: work, Tell: m.talk.view.Note, Now: m.app.Env.Now, Redact: m.redact.String},
		Options: drive.Options{Issue: issue, Own: true, Level: m.o.level}}
}

// driveIssue drives an issue in one work tree.
func (m *engines) driveIssue(ctx context.Context, d *turnstile.Drive, issue string, own bool) ([]evidence.Outcome, error) {
	e, err := m.makeEngine(d, issue)
	if err != nil {
		return nil, err
	}
	e.Own = own
	return m.run(ctx, d, e)
}

// driveHere drives in the work tree where the command was started.
func (m *engines) driveHere(ctx context.Context, issue string) ([]evidence.Outcome, error) {
	return m.driveIssue(ctx, m.drive, issue, isOwnWorkTree(m.drive.Root()))
}

// run runs an engine and adds up its cost.
func (m *engines) run(ctx context.Context, d *turnstile.Drive, e *drive.Engine) ([]evidence.Outcome, error) {
	m.spending.begin()
	ends, err := e.Run(ctx)
	m.spending.add(e.Spent())
	m.spending.excludeWait(e.Waited())
	if locked, is := errors.AsType[*durable.LockedError](err); is {
		err = &turnstile.ActiveError{PID: locked.PID}
		if v, e := d.Read(); e == nil {
			err = &turnstile.ActiveError{Issue: v.State.Issue(), Phase: v.State.Phase, PID: locked.PID}
		}
	}
	return ends, err
}

// lookAhead returns the plan, or the reason why nothing can be driven here. It costs nothing.
func (m *engines) lookAhead(ctx context.Context) (plan []nightreport.Issue, refused []evidence.Outcome, err error) {
	if refused, err = m.refuse(ctx); err != nil || refused != nil {
		return nil, refused, err
	}
	if len(m.o.issues) > 0 || m.continues() {
		return nil, nil, nil // each reports its own problems
	}
	plan, err = m.makeChooser("").Survey(ctx)
	return plan, nil, err
}

// continues reports whether nothing new begins: an unfinished drive continues as it began.
func (m *engines) continues() bool { return m.o.only || isUnderWay(m.drive) }

// refuse returns the reason why nothing can be driven here, before it costs anything.
func (m *engines) refuse(ctx context.Context) ([]evidence.Outcome, error) {
	if m.continues() {
		return nil, nil
	}
	e, err := m.makeEngine(m.drive, m.o.firstIssue())
	if err != nil {
		return nil, err
	}
	refused, err := e.CheckReady(ctx)
	return listOutcome(refused), err
}

// isUnderWay reports whether a work tree has an unfinished drive.
func isUnderWay(d *turnstile.Drive) bool {
	v, err := d.Read()
	return err == nil && v.State.Phase.Active() || err != nil && !durable.IsMissing(err)
}

func listOutcome(o *evidence.Outcome) []evidence.Outcome {
	if o == nil {
		return nil
	}
	return []evidence.Outcome{*o}
}

// exitError turns outcomes, which have been printed, into an exit code.
func exitError(ends []evidence.Outcome, err error) error {
	if err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	a := nightreport.Report{}
	for _, o := range ends {
		a.Ends = append(a.Ends, nightreport.End{Outcome: o})
	}
	return exitForReport(a, err)
}

// exitCodes maps the result of a night to its exit code.
var exitCodes = map[evidence.Result]int{evidence.Stopped: app.Interrupt, evidence.Person: app.Human, evidence.Budget: app.Budget, evidence.Partly: app.Partly, evidence.Failed: app.Failed}

func exitForReport(a nightreport.Report, err error) error {
	code := exitCodes[a.Result()]
	if err != nil {
		code = app.Interrupt
	}
	if code != app.Done {
		return &app.Silent{Code: code}
	}
	return nil
}
