// Package workflowcmd is warp workflow, which executes a task document under a supervisor, and warp
// checkpoint, the points of a workflow that can be restored.
package workflowcmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/cli/background"
	"warp/internal/cli/sessions"
	"warp/internal/core/taskdoc"
	"warp/internal/core/text"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/judge"
	"warp/internal/engine/policy/workflow"
	"warp/internal/turnstile"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "workflow",
		Short: "Execute a task document: phases of tasks, under a supervisor",
		Long: `Execute a task document: phases of tasks, under a supervisor, with checkpoints to
return to.

warp repeats each task (implement, verify, review) until its success criteria hold,
then commits it. It makes a checkpoint before each task (warp checkpoint) and files a
milestone after each phase. At the end it improves the work, verifies it as a whole,
and merges it (level 3) or opens a pull request (level 2). The work happens on the
branch workflow/TITLE, in a separate work tree (--in-place: in yours).
docs/reference/task-document.md describes the format.

Exit codes: 0 completed, 1 failed, 11 already running, 12 a safety bound is reached,
13 waiting for a person, 130 interrupted.`,
		Example: `  warp workflow new > auth.md
  warp workflow lint auth.md
  warp workflow run auth.md
  warp workflow status
  warp workflow extend --cost 5`,
	}
	c.AddCommand(run(a), resume(a), status(a), pulls(a), pause(a), abort(a), extend(a), lint(a), plan(a), newTemplate(a), migrate(a))
	return c
}

// options say how to run a workflow.
type options struct {
	level, parallel int
	agent           string
	yes, json       bool
	detach, ui      bool
	inPlace, dryRun bool
	replan, planned bool // how to handle a document that has changed
	total           workflowstate.Limits
}

// addLimitFlags adds the flags that replace the current limits.
func (o *options) addLimitFlags(c *cobra.Command) {
	app.DollarsFlag(c.Flags(), &o.total.MicroUSD, "max-cost", "limit in dollars for the whole workflow, replacing the current one")
	app.TimeFlag(c.Flags(), &o.total.Time, "max-time", "limit in time for the whole workflow, such as 3h, replacing the current one")
}

// check refuses flags that could only fail later.
func (o *options) check() error {
	if o.replan && o.planned {
		return app.WrongUsage("--replan and --as-planned cannot be combined: give one of them")
	}
	if o.parallel < 1 || o.parallel > 64 {
		return app.WrongUsage("--parallel must be 1 to 64")
	}
	return background.CheckFlags(o.detach || o.ui, o.json, o.dryRun)
}

func (o *options) flags(c *cobra.Command) {
	c.Flags().IntVar(&o.level, "level", 0, "2: a pull request; 3: merged. Otherwise as configured")
	c.Flags().IntVar(&o.parallel, "parallel", 2, "how many tasks may run in parallel")
	c.Flags().StringVar(&o.agent, "agent", "", "the agent; default: as configured")
	c.Flags().BoolVar(&o.yes, "yes", false, "approve the plan")
	c.Flags().BoolVar(&o.json, "json", false, "print events as JSON lines")
	c.Flags().BoolVar(&o.detach, "detach", false, "run in the background, without a terminal")
	c.Flags().BoolVar(&o.ui, "ui", false, "run in the background, and watch it here; leaving with q does not end it")
}

func run(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "run TASK.md", Short: "Execute a task document", Args: app.Exactly(1, "the task document"),
		Example: "  warp workflow run auth.md\n  warp workflow run auth.md --level 2 --yes\n  warp workflow run auth.md --dry-run",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			path, doc, err := readDocument(ctx, a, d, args[0])
			if err == nil {
				err = o.check()
			}
			if err != nil {
				return err
			}
			if o.dryRun {
				return dryRun(ctx, a, d, path, doc, o)
			}
			return start(ctx, a, d, path, doc.Tasks(), o)
		}),
	}
	o.flags(c)
	o.addLimitFlags(c)
	c.Flags().BoolVar(&o.replan, "replan", false, "if the document has changed: plan the rest again from the new version")
	c.Flags().BoolVar(&o.planned, "as-planned", false, "if the document has changed: continue with the old plan")
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, "show tasks, agents and limits, and what would be refused; start nothing")
	c.Flags().BoolVar(&o.inPlace, "in-place", false, "work in your work tree, not in a separate one")
	return c
}

func resume(a *app.App) *cobra.Command {
	var o options
	c := &cobra.Command{
		Use: "resume", Short: "Resume a workflow that was interrupted, killed or paused",
		Example: "  warp workflow resume\n  warp workflow resume --max-cost 20",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			// Without one, a level or an agent that is missing does not matter.
			if _, err := readState(a, d); err != nil {
				return err
			}
			return start(ctx, a, d, "", nil, o)
		}),
	}
	o.flags(c)
	o.addLimitFlags(c)
	return c
}

// parseDocument parses a document, checking its commands with the shell that will run them.
func parseDocument(ctx context.Context, text []byte) (*taskdoc.Document, []taskdoc.Defect) {
	sh := judge.NewShell(os.Environ())
	return taskdoc.ParseFor(text, func(command string) string { return sh.WhyRefused(ctx, command) })
}

// readDocument reads a task document, and refuses one with defects.
func readDocument(ctx context.Context, a *app.App, d *turnstile.Drive, file string) (path string, doc *taskdoc.Document, err error) {
	path = app.Path(a, file)
	text, err := sessions.Read(a, d, path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil, app.WrongUsage("there is no file %s; warp workflow new prints a template", file)
	}
	if err != nil {
		return "", nil, fmt.Errorf("reading the task document %s: %w", file, err)
	}
	doc, defects := parseDocument(ctx, text)
	if len(defects) > 0 {
		return "", nil, &app.UsageError{Err: &taskdoc.Defects{File: file, List: defects}}
	}
	return path, doc, nil
}

func lint(a *app.App) *cobra.Command {
	return a.WithJSON("print them as JSON", &cobra.Command{
		Use: "lint TASK.md…", Short: "Check task documents without running them", Args: cobra.MinimumNArgs(1),
		RunE: app.Run(func(ctx context.Context, args []string) error {
			type found struct {
				File string `json:"file"`
				taskdoc.Defect
				Warning bool `json:"warning,omitempty"`
			}
			all, bad := []found{}, 0
			for _, file := range args {
				content, err := durable.ReadPlain(app.Path(a, file))
				if err != nil {
					return app.WrongUsage("reading the task document %s: %w", file, err)
				}
				doc, defects := parseDocument(ctx, content)
				for _, x := range defects {
					all = append(all, found{file, x, false})
				}
				for _, x := range doc.Warnings {
					all = append(all, found{file, x, true})
				}
				bad += len(defects)
				if !a.AsJSON && len(defects) == 0 {
					a.Printf("%s: valid, %s, %s\n", file, text.Count(len(doc.Phases), "phase"), text.Count(len(doc.Tasks()), "task"))
				}
			}
			if a.AsJSON {
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
	})
}

func plan(a *app.App) *cobra.Command {
	return a.WithJSON("print it as JSON", &cobra.Command{
		Use: "plan TASK.md", Short: "Print the plan without running it", Args: app.Exactly(1, "the task document"),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			_, doc, err := readDocument(ctx, a, d, args[0])
			if err != nil {
				return err
			}
			return a.Show(doc, func() { a.Printf("%s", workflow.Plan(doc)) })
		}),
	})
}

func newTemplate(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "new", Short: "Print a template of a task document, ready to lint and run",
		Example: "  warp workflow new > auth.md",
		RunE: app.Run(func(context.Context, []string) error {
			a.Printf("%s", taskdoc.Template())
			return nil
		}),
	}
}

// exitError maps how a workflow ended to an exit code.
func exitError(err error) error {
	paused, is := errors.AsType[*workflow.PausedError](err)
	switch {
	case is:
		if slices.Contains([]string{workflowstate.PausedCost, workflowstate.PausedTime, workflowstate.PausedIterations}, paused.Pause.Reason) {
			return &app.Silent{Code: app.Budget}
		}
		return &app.Silent{Code: app.Human}
	case app.IsA[*workflow.NothingError](err), app.IsA[*workflow.EditedError](err):
		return &app.UsageError{Err: err}
	case errors.Is(err, context.Canceled):
		return &app.Silent{Code: app.Interrupt}
	}
	return err
}
