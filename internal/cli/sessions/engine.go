// Package sessions is warp sessions, and what warp loop and warp pipeline share with it:
// starting, watching, stopping and resuming sessions, and the locks that they hold (warp locks).
package sessions

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/cli/background"
	"warp/internal/cli/cost"
	"warp/internal/cli/leaks"
	"warp/internal/cli/people"
	"warp/internal/cli/sandboxes"
	"warp/internal/core/budget"
	"warp/internal/core/config"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/core/workqueue"
	"warp/internal/engine/agent"
	"warp/internal/engine/judge"
	"warp/internal/engine/policy/quality"
	"warp/internal/engine/policy/session"
	"warp/internal/engine/step"
	"warp/internal/engine/trust"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// Options say how to run a session.
type Options struct {
	JSON   bool `json:"-"`
	Detach bool `json:"-"`
	UI     bool `json:"-"` // run in the background and open warp watch
	More   int  // iterations beyond those of the definition
	Goes   bool
	Retry  bool          // retry items that were given up
	Force  bool          // start over, keeping the interrupted session
	Limit  budget.Amount // new totals
	// Out serializes the output of several sessions in one process. If set, each line names its
	// session.
	Out *sync.Mutex `json:"-"`

	batch batch // the batch that a detached session starts
}

// CheckFlags refuses flags that would be ignored.
func (o Options) CheckFlags(dryRun bool) error {
	return background.CheckFlags(o.Detach || o.UI, o.JSON, dryRun)
}

// Start runs a session to its end, or detaches it.
func Start(ctx context.Context, a *app.App, d *turnstile.Drive, name string, def Definition, o Options) error {
	if err := background.BeginUI(a, d, o.UI); err != nil {
		return err
	}
	plan, err := def.Plan(a, d, name)
	if err != nil {
		return err
	}
	if settings, err := d.Project.Settings(); err == nil { // what opens the engine reports errors
		a.Notes(settings.Warnings)
	}
	def.Limit = o.Limit.Or(def.Limit)
	var notes []string
	if o.Goes {
		notes = def.noteChanged(readCurrent, "the version that it began with")
	} else if !o.Force {
		if notes, err = checkSameTask(a, d, name, def); err != nil {
			return err
		}
	}
	if o.Detach || o.UI {
		if runs, err := detach(a, d, name, def, o); err != nil || !runs || !o.UI {
			return err
		}
		return background.Watch(a, name)
	}
	files, err := def.files()
	if err != nil {
		return err
	}
	ctx, done := untilHalted(ctx, d, name)
	defer done()
	shown, out, redrawn := people.OpenOutput(a, d, o.JSON || o.Out != nil)
	defer out.Close()
	line, err := people.Connect(ctx, a, d, people.Options{Machine: o.JSON || o.Out != nil, Hold: out.Hold, Trouble: func(text string) { shown.Note("%s", text) }})
	if err != nil {
		return err
	}
	defer line.Close()
	v := newView(shown, d, name, o)
	v.tell, v.brief = line.Tell, redrawn
	defer v.close()
	for _, said := range notes {
		v.note(session.Note{At: a.Env.Now(), Session: name, Kind: session.Remark, Text: said})
	}
	e, err := newEngine(shown, d, v.note)
	if err != nil {
		return err
	}
	settings, err := d.Project.Settings()
	if err != nil {
		return err
	}
	e.Gates = newGates(d, e, def, settings)
	e.Landing.On = settings.Level != 2 && settings.Workflow.AutoMerge
	e.Landing.KeepBranch = settings.KeepBranches
	if def.Land != nil {
		e.Landing.On = *def.Land
	}
	j := session.Job{Name: name, Plan: plan, Loop: def.File == "" && def.Text == nil, Task: def.Task, Files: files, More: o.More, Limit: def.Limit, Goes: o.Goes, Force: o.Force, Retry: o.Retry, Rewrite: o.Goes, People: line}
	s, err := e.Run(ctx, j)
	out.Close() // the rest is the final output
	if s != nil && s.Status != sessionstate.Running && !slices.Contains(resumable, s.Reason()) {
		if err := people.WithdrawRuns(line.Desk, d, "session "+name); err != nil {
			a.Note("%v", err)
		}
	}
	return v.finish(j, s, err)
}

// resumable are the ends after which a session can be resumed, and its questions be answered first.
var resumable = []string{sessionstate.ReasonBudget, sessionstate.ReasonStopped, sessionstate.ReasonLanding, sessionstate.ReasonQuestion}

// checkSameTask refuses to start an interrupted session with another task, because its history
// belongs to the first. The notes list the files that changed.
func checkSameTask(a *app.App, d *turnstile.Drive, name string, def Definition) (notes []string, err error) {
	s, err := summarize(a, d, name)
	if err != nil || s.Running || s.Status != sessionstate.Running {
		return nil, nil // Start reports it
	}
	was, err := loadDefinition(a, d, name)
	if err != nil {
		return nil, nil // the new definition replaces it
	}
	if was.Task == def.Task {
		return was.noteChanged(def.readFrom(&was), "the new version"), nil
	}
	return nil, app.WrongUsage("the session %s was interrupted, and has another task (%q); warp sessions resume %s resumes it, warp sessions rm %s removes it, --force starts over and keeps it",
		name, render.Printable(text.ClipRunes(was.Task, 60)), name, name)
}

// newEngine returns the engine of a project's sessions.
func newEngine(a *app.App, d *turnstile.Drive, tell func(session.Note)) (*session.Engine, error) {
	settings, err := d.Project.Settings()
	if err != nil {
		return nil, err
	}
	hide := leaks.Redactor(a, d)
	state, _ := trust.Folder(a.Getenv) // if it fails, copies stay in the git folder
	rooms, err := sandboxes.Rooms(a, d, settings)
	if err != nil {
		return nil, err
	}
	tests := settings.TestCommand
	if settings.Refused != nil {
		tests = ""
	}
	remark := func(text string) { tell(session.Note{At: a.Env.Now(), Kind: session.Remark, Text: text}) }
	e := &session.Engine{
		Store: d.Store(), Home: d.Project.Home(), Root: d.Root(), State: state,
		Checks: session.Checks{Verify: tests, Find: tests == "", Environ: os.Environ(), Rooms: rooms, Protected: settings.Protected, Leaks: leaks.Scanner(a, d)},
		Limits: session.Limits{Idle: time.Duration(settings.Workflow.IdleSeconds) * time.Second, Used: cost.DayUsed(a, d, settings.Workflow, cost.ShortRuns)},
		Redact: hide.String, Tell: tell, Passed: app.NewKillPoint(a.Getenv), Now: a.Env.Now, Process: step.Process{PID: a.Env.PID, Host: app.Hostname()},
		Claims:  Claims(a, d),
		Landing: session.Landing{Moved: app.TellDrives(d, "session", remark)},
	}
	e.Checks.Furnish = sandboxes.Furnish(a, d, settings, remark)
	said, err := agentcmd.EndLeft(a, d)
	for _, text := range said {
		remark(text)
	}
	if err != nil {
		return nil, err
	}
	e.Agents = func(name string) (step.Agents, error) {
		r, err := agentcmd.OpenRunner(a, d, settings, name, "")
		if err != nil {
			return nil, err
		}
		r.Redact = hide
		r.Watch = func(who string, ev agent.Event) {
			tell(session.Note{At: a.Env.Now(), Kind: session.Said, Agent: who, Said: &ev})
		}
		return r, nil
	}
	return e, nil
}

// exitError returns the error whose exit code describes how the session ended. unmet means that
// a loop used up its iterations without reaching its goal.
func exitError(s *sessionstate.State, err error, unmet bool) error {
	switch {
	case app.IsA[*step.StoppedError](err), errors.Is(err, session.ErrPaused):
		return &app.Silent{Code: app.Human}
	case app.IsA[*session.NothingError](err):
		return nil
	case errors.Is(err, context.Canceled):
		return &app.Silent{Code: app.Interrupt}
	case err != nil:
		return err
	case s.Status == sessionstate.Complete && unmet:
		return &app.Silent{Code: app.Partly}
	case s.Status == sessionstate.Complete:
		return nil
	case s.Reason() == sessionstate.ReasonBudget:
		return &app.Silent{Code: app.Budget}
	case s.Reason() == sessionstate.ReasonQuestion:
		return &app.Silent{Code: app.Human}
	case slices.ContainsFunc(s.Stages, func(st sessionstate.Stage) bool { return st.Status == sessionstate.Completed }):
		return &app.Silent{Code: app.Partly}
	}
	return &app.Silent{Code: app.Failed}
}

// newGates returns the body of loops that run until the quality gates pass.
func newGates(d *turnstile.Drive, e *session.Engine, def Definition, s config.Settings) func(session.GatesStage) (session.Body, error) {
	return func(st session.GatesStage) (session.Body, error) {
		if s.Refused != nil {
			return nil, s.Refused
		}
		return quality.New(context.Background(), quality.Options{
			Store: d.Project.Home(), Root: st.Dir, Configured: configuredGates(s),
			CommandSetup: judge.CommandSetup{Environ: os.Environ(), Rooms: e.Checks.Rooms, Protected: e.Checks.Protected, State: e.State}, Leaks: e.Checks.Leaks, Redact: e.Redact,
			PauseOn: workqueue.Priority(def.PauseOn), Reset: def.Reset, Tell: e.Tell, Passed: e.Passed, Now: e.Now, Process: e.Process,
		}, st)
	}
}

// configuredGates returns the gates in the settings: the test command, and quality_gates as
// NAME=COMMAND.
func configuredGates(s config.Settings) (list []quality.Gate) {
	if s.TestCommand != "" {
		list = append(list, quality.Gate{Name: "test", Command: s.TestCommand})
	}
	for _, g := range s.QualityGates {
		name, command, _ := strings.Cut(g, "=")
		list = append(list, quality.Gate{Name: strings.TrimSpace(name), Command: strings.TrimSpace(command)})
	}
	return list
}
