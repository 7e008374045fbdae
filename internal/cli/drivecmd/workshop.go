package drivecmd

import (
	"context"
	"errors"
	"math"
	"os"
	"sync"
	"time"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/cli/boxes"
	"warp/internal/cli/leaks"
	"warp/internal/cli/people"
	"warp/internal/cli/tracker"
	"warp/internal/core/account"
	"warp/internal/core/budget"
	"warp/internal/core/config"
	"warp/internal/core/evidence"
	"warp/internal/core/redact"
	"warp/internal/engine/agent"
	"warp/internal/engine/conductor"
	"warp/internal/engine/forge"
	"warp/internal/engine/leak"
	"warp/internal/engine/mind"
	"warp/internal/engine/policy/drive"
	"warp/internal/engine/step"
	"warp/internal/engine/trust"
	"warp/internal/turnstile"
	"warp/internal/ui/live"
)

// workshop is what all drives of one command share.
type workshop struct {
	app      *app.App
	o        options
	drive    *turnstile.Drive
	settings config.Settings
	tracker  forge.Tracker
	redact   *redact.Redactor
	leaks    *leak.Scanner // one for all drives: they share what was scanned
	view     *live.View
	host     string

	people *people.Line
	mind   *mind.Mind // nil: agents do everything

	conductor *conductor.Conductor // nil: no fleet conducts the drive

	several bool // issues are driven: the night files one summary for all of them

	mu       sync.Mutex
	spent    agent.Usage // by drives that are over
	ended    []string    // issues of the night that have ended
	breakers budget.Night
}

// addSpent counts what a drive has cost, so that all of them share one bound.
func (w *workshop) addSpent(u agent.Usage) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.spent.Add(u)
}

// remainingBudget is what one of the drives at work may cost.
func (w *workshop) remainingBudget() agent.Budget {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := agent.Budget{MicroUSD: w.costLimit(), Tokens: w.o.maxTokens}
	n := int64(max(1, w.o.parallel))
	if b.MicroUSD > 0 {
		b.MicroUSD = max(1, (b.MicroUSD-w.spent.MicroUSD)/n)
	}
	if b.Tokens > 0 {
		b.Tokens = max(1, (b.Tokens-w.spent.Tokens())/n)
	}
	return b
}

func open(ctx context.Context, a *app.App, d *turnstile.Drive, o options) (*workshop, error) {
	s, err := d.Project.Settings()
	if err != nil {
		return nil, err
	}
	t, err := tracker.Open(ctx, a, d)
	if err != nil {
		return nil, err
	}
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	r := leaks.Redactor(a, d)
	view := live.New(a.Out, live.Options{Terminal: a.Redraw, Color: a.Color, JSON: o.json, Verbose: o.verbose, Now: a.Env.Now, Size: func() (int, int) { return live.Size(os.Stdout) }})
	return &workshop{app: a, o: o, drive: d, settings: s, tracker: t, redact: r, leaks: leaks.Scanner(a, d), view: view, host: host}, nil
}

// engine makes the engine of one work tree.
func (w *workshop) engine(d *turnstile.Drive, issue string) (*drive.Engine, error) {
	tree, err := app.OpenTree(d)
	if err != nil {
		return nil, err
	}
	chain, err := agentcmd.Chain(w.settings, d.Root(), w.o.agent, w.o.misbehave)
	if err != nil {
		return nil, err
	}
	runner, err := agentcmd.Runner(w.app, d, chain)
	if err != nil {
		return nil, err
	}
	rooms, err := boxes.Rooms(w.app, d, w.settings)
	if err != nil {
		return nil, err
	}
	e := &drive.Engine{
		Ports: drive.Ports{
			Drive: d, Tracker: w.tracker, Agents: runner, Work: tree, Redact: w.redact.String,
			People: drive.People{Ask: w.asker(d), Late: w.lateAnswers, Settle: w.settleQuestion}, Tell: w.tell, Passed: app.NewKillPoint(w.app.Getenv), Now: w.app.Env.Now, Process: step.Process{PID: w.app.Env.PID, Host: w.host},
		},
		Options: drive.Options{
			Issue: issue, Once: w.o.once, Level: w.o.level, Model: w.o.model, Fresh: w.o.fresh, Only: w.o.only,
			Budget: w.remainingBudget(), Explicit: true, MaxTime: w.timeLimit(), Until: w.o.until, Breaker: w.breakers.Breaker(), Night: w.several,
		},
	}
	e.Leaks, e.Rooms = w.leaks, rooms
	e.State, _ = trust.Folder(w.app.Getenv) // else copies are kept in git's own folder
	if w.mind != nil {
		e.Mind = &drive.Mind{Agents: w.mind, Who: w.guide, Judges: w.settings.GuidedVerifier == "session"}
	}
	return e, w.equip(e, d)
}

// costLimit is the session's bound in micro-dollars: the command line's, else the
// settings'.
func (w *workshop) costLimit() int64 {
	if w.o.maxCost > 0 {
		return int64(math.Ceil(w.o.maxCost * 1e6))
	}
	return w.settings.SessionMicroUSD
}

// timeLimit is how long one drive may take; 0: as the settings say.
func (w *workshop) timeLimit() time.Duration {
	if w.o.until.IsZero() {
		return w.o.maxTime
	}
	left := max(time.Second, w.o.until.Sub(w.app.Env.Now()))
	if w.o.maxTime > 0 {
		left = min(left, w.o.maxTime)
	}
	return left
}

// exitError turns what became of one requirement into an exit code. What happened
// was told already.
func (w *workshop) exitError(ends []evidence.Outcome, err error) error {
	w.close()
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
