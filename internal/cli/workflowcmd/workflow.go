// Package workflowcmd is warp workflow: a task document, executed under a
// supervisor.
package workflowcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/sessions"
	"warp/internal/core/taskdoc"
	"warp/internal/core/workflow"
	"warp/internal/durable"
	"warp/internal/engine/judge"
	engine "warp/internal/engine/workflow"
	"warp/internal/turnstile"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "workflow",
		Short: "Execute a task document: phases of tasks, under a supervisor",
		Long: `Execute a task document: phases of tasks, under a supervisor, with checkpoints to
go back to.

A task is implemented, verified and reviewed again and again until its success
criteria hold; it is then committed. Before each task there is a checkpoint (warp
checkpoint), after each phase a milestone is filed, and at the end the work is
improved, verified as a whole, and merged (level 3) or handed in as a pull request
(level 2). It works on a branch of its own, workflow/TITLE, in a work tree of its own
(--in-place: in yours). docs/task-document.md has the format.

Exit codes: 0 completed, 1 failed, 11 it runs already, 12 a safety bound is
reached, 13 it waits for a person, 130 interrupted.`,
		Example: `  warp workflow new > auth.md
  warp workflow lint auth.md
  warp workflow run auth.md
  warp workflow status
  warp workflow extend --cost 5`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(run(a), resume(a), status(a), pause(a), abort(a), extend(a), lint(a), plan(a), blank(a), migrate(a))
	return c
}

// options are how a workflow is run.
type options struct {
	level, parallel int
	agent           string
	yes, json       bool
	inPlace         bool
	replan, planned bool // what becomes of a document that has changed since
	cost, time      string
	total           workflow.Limits // what they come to
}

// totals adds the flags that set bounds in place of those in force.
func (o *options) totals(c *cobra.Command) {
	c.Flags().StringVar(&o.cost, "max-cost", "", "dollars that the whole may cost, in place of the bound in force")
	c.Flags().StringVar(&o.time, "max-time", "", "time that the whole may take, such as 3h, likewise")
}

// parse reads them.
func (o *options) parse() (err error) {
	if o.replan && o.planned {
		return &app.UsageError{Err: errors.New("--replan and --as-planned exclude each other: say one of them")}
	}
	if o.cost != "" {
		if o.total.MicroUSD, err = taskdoc.ParseCost(o.cost); err != nil {
			return &app.UsageError{Err: fmt.Errorf("--max-cost: %w", err)}
		}
	}
	if o.time != "" {
		if o.total.Time, err = taskdoc.ParseTime(o.time); err != nil {
			return &app.UsageError{Err: fmt.Errorf("--max-time: %w", err)}
		}
	}
	return nil
}

func (o *options) flags(c *cobra.Command) {
	c.Flags().IntVar(&o.level, "level", 0, "2: a pull request; 3: merged. Otherwise as configured")
	c.Flags().IntVar(&o.parallel, "parallel", 2, "how many tasks may run side by side")
	c.Flags().StringVar(&o.agent, "agent", "", "the agent; otherwise as configured")
	c.Flags().BoolVar(&o.yes, "yes", false, "approve the plan")
	c.Flags().BoolVar(&o.json, "json", false, "tell what happens as JSON lines")
}

func run(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "run TASK.md", Short: "Execute a task document", Args: app.Exactly(1, "the task document"),
		Example: "  warp workflow run auth.md\n  warp workflow run auth.md --level 2 --yes",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			path, _, err := document(ctx, a, d, args[0])
			if err == nil {
				err = o.parse()
			}
			if err != nil {
				return err
			}
			return start(ctx, a, d, path, o)
		}),
	}
	o.flags(c)
	o.totals(c)
	c.Flags().BoolVar(&o.replan, "replan", false, "the document has changed since: plan the rest anew by it")
	c.Flags().BoolVar(&o.planned, "as-planned", false, "the document has changed since: continue as it was planned")
	c.Flags().BoolVar(&o.inPlace, "in-place", false, "work in your own work tree, not in one of its own")
	return c
}

func resume(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "resume", Short: "Go on with a workflow that was interrupted, killed or paused", Args: cobra.NoArgs,
		Example: "  warp workflow resume\n  warp workflow resume --max-cost 20",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			if err := o.parse(); err != nil {
				return err
			}
			return start(ctx, a, d, "", o)
		}),
	}
	o.flags(c)
	o.totals(c)
	return c
}

// parse reads a document with the shell that runs its commands.
func parse(ctx context.Context, text []byte) (*taskdoc.Document, []taskdoc.Defect) {
	sh := judge.NewShell(os.Environ())
	return taskdoc.ParseFor(text, func(command string) string { return sh.WhyRefused(ctx, command) })
}

// document reads a task document, which must be sound.
func document(ctx context.Context, a *app.App, d *turnstile.Drive, file string) (path string, doc *taskdoc.Document, err error) {
	path = file
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.Dir, path)
	}
	text, err := sessions.Read(a, d, path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, &app.UsageError{Err: fmt.Errorf("there is no file %s; warp workflow new prints a template", file)}
	}
	if err != nil {
		return "", nil, fmt.Errorf("reading the task document %s: %w", file, err)
	}
	doc, defects := parse(ctx, text)
	if len(defects) > 0 {
		return "", nil, &app.UsageError{Err: &taskdoc.Defects{File: file, List: defects}}
	}
	return path, doc, nil
}

func lint(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "lint TASK.md…", Short: "Say what is wrong with task documents, and run nothing", Args: cobra.MinimumNArgs(1),
		RunE: app.Run(func(ctx context.Context, args []string) error {
			type found struct {
				File string `json:"file"`
				taskdoc.Defect
				Warning bool `json:"warning,omitempty"`
			}
			all, bad := []found{}, 0
			for _, file := range args {
				path := file
				if !filepath.IsAbs(path) {
					path = filepath.Join(a.Dir, path)
				}
				text, err := durable.ReadPlain(path)
				if err != nil {
					return &app.UsageError{Err: err}
				}
				doc, defects := parse(ctx, text)
				for _, x := range defects {
					all = append(all, found{file, x, false})
				}
				for _, x := range doc.Warnings {
					all = append(all, found{file, x, true})
				}
				bad += len(defects)
				if !asJSON && len(defects) == 0 {
					a.Printf("%s: fine, %d phases, %d tasks\n", file, len(doc.Phases), len(doc.Tasks()))
				}
			}
			if asJSON {
				if err := a.JSON(all); err != nil {
					return err
				}
			} else {
				for _, f := range all {
					kind := ""
					if f.Warning {
						kind = "warning: "
					}
					a.Printf("%s:%d:%d: %s%s\n", f.File, f.Line, f.Column, kind, f.Message)
				}
			}
			if bad > 0 {
				return &app.Silent{Code: app.Failed}
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return c
}

func plan(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "plan TASK.md", Short: "Print what would be done, and run nothing", Args: app.Exactly(1, "the task document"),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			_, doc, err := document(ctx, a, d, args[0])
			if err != nil {
				return err
			}
			if asJSON {
				return a.JSON(doc)
			}
			a.Printf("%s", engine.Plan(doc))
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print it as JSON")
	return c
}

func blank(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "new", Short: "Print a task document to begin with, which lints and runs as it is", Args: cobra.NoArgs,
		Example: "  warp workflow new > auth.md",
		RunE: app.Run(func(context.Context, []string) error {
			a.Printf("%s", taskdoc.Template())
			return nil
		}),
	}
}

// exit turns what became of a workflow into an exit code.
func exit(err error) error {
	var paused *engine.PausedError
	var nothing *engine.NothingError
	var edited *engine.EditedError
	var locked *durable.LockedError
	switch {
	case errors.As(err, &paused):
		if bound(paused.Pause.Reason) {
			return &app.Silent{Code: app.Budget}
		}
		return &app.Silent{Code: app.Human}
	case errors.As(err, &nothing), errors.As(err, &edited):
		return &app.UsageError{Err: err}
	case errors.As(err, &locked):
		return err
	case errors.Is(err, context.Canceled):
		return &app.Silent{Code: app.Interrupt}
	}
	return err
}
