package workflowcmd

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"warp/internal/cli/agentcmd"
	"warp/internal/cli/app"
	"warp/internal/cli/background"
	"warp/internal/cli/clean"
	"warp/internal/cli/cost"
	"warp/internal/cli/leaks"
	"warp/internal/cli/people"
	"warp/internal/cli/sandboxes"
	"warp/internal/cli/sessions"
	"warp/internal/cli/tracker"
	"warp/internal/core/config"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/engine/agent"
	"warp/internal/engine/notify"
	"warp/internal/engine/policy/workflow"
	"warp/internal/engine/step"
	"warp/internal/engine/trust"
	"warp/internal/sys/git"
	"warp/internal/sys/gitwrite"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// checkStart reads and checks what every run of a workflow needs.
func checkStart(ctx context.Context, a *app.App, d *turnstile.Drive, o *options) (settings config.Settings, tree gitwrite.Tree, err error) {
	if settings, err = d.Project.Settings(); err != nil {
		return settings, tree, err
	}
	o.level = cmp.Or(o.level, settings.Level)
	if o.level != 2 && o.level != 3 {
		return settings, tree, d.Project.NoLevel()
	}
	if _, err := agentcmd.Chain(settings, d.Root(), o.agent, ""); err != nil {
		return settings, tree, err
	}
	if tree, err = app.OpenTree(d); err == nil {
		err = checkTrusted(ctx, a, d, tree)
	}
	return settings, tree, err
}

func newChecks(settings config.Settings) workflow.Checks {
	c := workflow.Checks{Environ: os.Environ(), Protected: settings.Protected}
	if settings.TestBeforeCommit {
		c.Tests = settings.TestCommand
		c.Find = c.Tests == "" || settings.Refused != nil
	}
	return c
}

// start runs a workflow to its end, or resumes it. tasks are those of a new document.
func start(ctx context.Context, a *app.App, d *turnstile.Drive, path string, tasks []taskdoc.Task, o options) error {
	settings, tree, err := checkStart(ctx, a, d, &o)
	if err != nil {
		return err
	}
	a.Notes(settings.Warnings)
	if err := checkReady(ctx, a, d, settings, tree, tasks, o); err != nil {
		return err
	}
	if o.detach || o.ui {
		if err := background.BeginUI(a, d, o.ui); err != nil {
			return err
		}
		return background.Run(a, d, background.Job{Name: "workflow", Hint: "warp workflow pause pauses it.", UI: o.ui, Watch: "workflow"})
	}
	t, err := tracker.Open(ctx, a, d)
	if err != nil {
		return err
	}
	hide := leaks.Redactor(a, d)
	shown, out, redrawn := people.OpenOutput(a, d, o.json)
	defer out.Close()
	line, err := people.Connect(ctx, a, d, people.Options{Machine: o.json, Hold: out.Hold, Trouble: func(text string) { shown.Note("%s", text) }})
	if err != nil {
		return err
	}
	defer line.Close()
	v := &view{app: shown, json: o.json, brief: redrawn, tell: line.Tell}
	state, err := trust.Folder(a.Getenv)
	if err != nil {
		return err
	}
	rooms, err := sandboxes.Rooms(a, d, settings)
	if err != nil {
		return err
	}
	e := &workflow.Engine{
		Stores:  workflow.Stores{Store: d.Store(), Home: d.Project.Home()},
		Trees:   workflow.Trees{Root: d.Root(), Work: tree, State: state, Moved: app.TellDrives(d, "workflow", v.remark), Furnish: sandboxes.Furnish(a, d, settings, v.remark)},
		Persons: workflow.Persons{Approve: approver(d, line), Choose: chooser(a, o, out.Hold), Ended: func(s *workflowstate.State) { v.tellEnd(s, nil) }},
		Tracker: t, Redact: hide.String, Tell: v.note, Passed: app.NewKillPoint(a.Getenv), Now: a.Env.Now, Process: step.Process{PID: a.Env.PID, Host: app.Hostname()},
		Checks:  newChecks(settings),
		Bounds:  workflow.Bounds{Idle: time.Duration(settings.IdleSeconds) * time.Second, Tokens: settings.SessionTokens, Used: cost.DayUsed(a, d, settings.Workflow, 0)},
		Options: o.forEngine(settings),
	}
	e.Leaks, e.Rooms = leaks.Scanner(a, d), rooms
	e.Agents = func(name string) (step.Agents, error) {
		r, err := findAgent(shown, d, settings, o, name)
		if err != nil {
			return nil, err
		}
		r.Redact = hide
		r.Watch = func(who string, ev agent.Event) {
			v.note(workflow.Note{At: a.Env.Now(), Kind: workflow.Said, Agent: who, Said: &ev})
		}
		return r, nil
	}
	said, err := agentcmd.EndLeft(a, d)
	for _, text := range said {
		v.remark(text)
	}
	if err != nil {
		return err
	}
	s, err := e.Run(ctx, path)
	out.Close() // the rest is the final output
	if s != nil && s.Orchestrator.Status.Ended() {
		if err := withdrawQuestions(d, line.Desk, s.ID); err != nil {
			v.remark(err.Error())
		}
	}
	if s != nil && err == nil {
		clean.DeleteMerged(ctx, a, d, clean.MergedOptions{Tracker: t, Only: []string{s.Branch}, Say: v.remark})
	}
	// A workflow killed at its very end has left its branch.
	clean.DeleteMerged(ctx, a, d, clean.MergedOptions{Tracker: t, Say: v.remark})
	v.tellEnd(s, err)
	if s != nil && !o.json && err == nil {
		a.Printf("%s\n", endLine(s))
		if err := showPull(ctx, a, d, s); err != nil {
			return err
		}
	}
	if err == nil && s.Orchestrator.Status == workflowstate.Failed {
		return &app.Silent{Code: app.Failed}
	}
	return exitError(err)
}

// checkTrusted refuses to resume a workflow that came with the repository: its plan contains
// commands and recorded agent answers.
func checkTrusted(ctx context.Context, a *app.App, d *turnstile.Drive, tree gitwrite.Tree) error {
	var list []string
	for _, name := range []string{workflowstate.File, workflow.Folder} {
		list = append(list, filepath.Join(d.Store().Dir(), filepath.FromSlash(name)))
	}
	tracked, err := tree.Repo().Run(ctx, git.Call{Args: append([]string{"ls-files", "-z", "--full-name", "--"}, list...)})
	if err != nil {
		return err
	}
	top, err := tree.Repo().Top()
	if err != nil {
		return err
	}
	for _, name := range git.Split(tracked.Stdout) {
		_, err := sessions.Read(a, d, filepath.Join(top, filepath.FromSlash(name)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("reading the workflow that is here: %w", err)
		}
	}
	return nil
}

// chooser asks at the terminal whether to replan after the document has changed.
func chooser(a *app.App, o options, hold func() func()) func(context.Context, string) (bool, error) {
	if !a.Terminal || o.json {
		return nil
	}
	return func(ctx context.Context, diff string) (bool, error) {
		defer hold()()
		a.Printf("The task document has changed since the workflow began:\n%s\n", indented(diff+"\n"))
		a.Printf("Plan the rest again from it (r), or continue with the old plan (c)? ")
		said, _ := bufio.NewReader(a.In).ReadString('\n') // unreadable input is no answer
		switch strings.ToLower(strings.TrimSpace(said)) {
		case "r", "replan":
			return true, ctx.Err()
		case "c", "continue":
			return false, ctx.Err()
		}
		return false, app.WrongUsage("nothing was started: answer r or c, or give --replan or --as-planned")
	}
}

// view shows progress.
type view struct {
	app   *app.App
	json  bool
	brief bool                 // agent output is shown elsewhere
	tell  func(notify.Message) // sends a notification
	mu    sync.Mutex
	told  string // kind of the final message; "" until it was sent
}

// tellEnd notifies people of the workflow's end, once.
func (v *view) tellEnd(s *workflowstate.State, err error) {
	if m, ok := endMessage(s, err); ok && m.Kind != v.told {
		v.told = m.Kind
		v.tell(m)
	}
}

func (v *view) remark(text string) {
	v.note(workflow.Note{At: v.app.Env.Now(), Kind: workflow.Remark, Text: text})
}

func (v *view) note(n workflow.Note) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if m, ok := message(n); ok {
		v.tell(m)
	}
	if v.json {
		n.At = n.At.UTC()
		if line, err := json.Marshal(n); err == nil {
			v.app.Printf("%s\n", line)
		}
		return
	}
	words := n.Text
	switch {
	case n.Kind == workflow.Said:
		if v.brief || n.Said == nil || n.Said.Kind != "text" && n.Said.Kind != "tool" {
			return
		}
		words = strings.TrimSpace(n.Said.Tool + " " + n.Said.Text)
	case n.Kind == workflow.Planned:
		v.app.Printf("%s", indented(words))
		return
	case n.Passed != nil:
		words += map[bool]string{true: ": passed", false: ": failed"}[*n.Passed]
	}
	most := 300
	if n.Kind == workflow.Paused { // its text ends with what a person can do
		most = 4000
	}
	words = text.ClipRunes(render.Printable(text.OneLine(words)), most)
	v.app.Printf("%s\n", strings.TrimRight(fmt.Sprintf("%s %-10s %-6s %s", n.At.Local().Format(time.RFC3339), n.Kind, n.Task, words), " "))
}

func indented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString("  " + render.Printable(strings.TrimRight(line, "\n")) + "\n")
	}
	return b.String()
}

// endLine returns the final line about a workflow.
func endLine(s *workflowstate.State) string {
	b := s.SafetyBounds
	cost := workflowstate.CostText(b.Cost(), b.Unpriced)
	if cost == "unknown" {
		cost = "cost unknown"
	}
	text := fmt.Sprintf("%s: %d of %d tasks, %s, %s", s.Orchestrator.Status, len(s.CompletedTasks), len(s.CompletedTasks)+len(s.PendingTasks), cost, b.ElapsedTime)
	if s.Failure != nil {
		text += ": " + render.Printable(s.Failure.Why)
	}
	return text
}
