package workflowcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"warp/internal/cli/app"
	"warp/internal/cli/inboxcmd"
	"warp/internal/core/lossless"
	"warp/internal/core/workflowstate"
	"warp/internal/durable"
	"warp/internal/engine/policy/workflow"
	"warp/internal/engine/step"
	"warp/internal/sys/gitwrite"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
)

func readState(a *app.App, d *turnstile.Drive) (v durable.View[workflowstate.State], err error) {
	if err := documents.RecogniseOld(d.Store()); err != nil {
		return v, err
	}
	v, err = documents.OpenWorkflow(d.Store()).Read()
	if durable.IsMissing(err) {
		return v, app.WrongUsage("there is no workflow here: warp workflow run TASK.md starts one")
	}
	a.Notes(v.Notes)
	return v, err
}

// runningPID returns the PID of the process that runs the workflow, or 0.
func runningPID(a *app.App, d *turnstile.Drive) int {
	engine, _, _ := app.FindEngine(d, a, workflowstate.Lease)
	return engine.PID
}

// changeState changes the workflow's state; it interrupts a running process first.
func changeState(ctx context.Context, a *app.App, d *turnstile.Drive, what string, fn func(*workflowstate.State) error) error {
	if _, err := readState(a, d); err != nil {
		return err
	}
	if pid := runningPID(a, d); pid != 0 {
		if err := interrupt(ctx, a, d, pid); err != nil {
			return err
		}
	}
	hold, _, err := d.Store().Acquire(workflowstate.Lease, step.Process{PID: a.Env.PID, Host: app.Hostname()}.Holder(), proc.Started)
	if err != nil {
		return err
	}
	defer func() { _ = hold.Release() }()
	_, err = documents.OpenWorkflow(d.Store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
		tx.Log(what, nil)
		return fn(tx.Doc)
	})
	return err
}

// interrupt asks the workflow's process to end, and waits until it has.
func interrupt(ctx context.Context, a *app.App, d *turnstile.Drive, pid int) error {
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Signal(os.Interrupt)
	}
	if err != nil {
		return fmt.Errorf("interrupting the workflow (process %d): %w", pid, err)
	}
	return waitForExit(ctx, a, d, pid)
}

// waitForExit waits until the process no longer runs the workflow.
func waitForExit(ctx context.Context, a *app.App, d *turnstile.Drive, pid int) error {
	for runningPID(a, d) == pid {
		if err := app.Sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

func newChangeCommand(a *app.App, c *cobra.Command, what, said string, fn func(*workflowstate.State) error) *cobra.Command {
	c.RunE = a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
		ended, id := false, ""
		err := changeState(ctx, a, d, what, func(s *workflowstate.State) error {
			if s.Orchestrator.Status.Ended() {
				return app.WrongUsage("the workflow has ended: it is %s", s.Orchestrator.Status)
			}
			err := fn(s)
			ended, id = s.Orchestrator.Status.Ended(), s.ID
			return err
		})
		if err != nil {
			return err
		}
		a.Printf("%s; %s\n", what, said)
		if !ended {
			return nil
		}
		desk, err := inboxcmd.Desk(a, d)
		if err != nil {
			return err
		}
		return withdrawQuestions(d, desk, id)
	})
	return c
}

func pause(a *app.App) *cobra.Command {
	return newChangeCommand(a, &cobra.Command{Use: "pause", Short: "Pause the workflow; warp workflow resume continues it"},
		"paused", "warp workflow resume continues it", func(s *workflowstate.State) error {
			s.Pause(workflowstate.PausedPerson, "a person paused it", "", a.Env.Now())
			return nil
		})
}

func abort(a *app.App) *cobra.Command {
	return newChangeCommand(a, &cobra.Command{Use: "abort", Short: "End the workflow as failed; its branch, commits and checkpoints stay"},
		"aborted", "its commits are on its branch, and warp checkpoint list shows what you can restore", func(s *workflowstate.State) error {
			return s.Fire(workflowstate.Aborted, "a person ended it", "", a.Env.Now())
		})
}

func extend(a *app.App) *cobra.Command {
	var l workflowstate.Limits
	var o options
	var c *cobra.Command
	c = &cobra.Command{
		Use: "extend", Short: "Raise the limits on money, time or iterations, and continue",
		Example: "  warp workflow extend --cost 5\n  warp workflow extend --time 1h --iterations 10",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			if err := o.check(); err != nil {
				return err
			}
			if l == (workflowstate.Limits{}) || l.Iterations < 0 {
				return app.WrongUsage("say what to add: --cost, --time or --iterations")
			}
			check := o
			if _, _, err := checkStart(ctx, a, d, &check); err != nil { // a refused start must not raise limits
				return err
			}
			taken, err := raiseLimits(ctx, a, d, l)
			if err != nil || taken {
				return err
			}
			a.Line = lineAfterExtend(c.Flags())
			return start(ctx, a, d, "", nil, o)
		}),
	}
	app.DollarsFlag(c.Flags(), &l.MicroUSD, "cost", "dollars to add")
	app.TimeFlag(c.Flags(), &l.Time, "time", "time to add, such as 1h")
	c.Flags().IntVar(&l.Iterations, "iterations", 0, "iterations per task to add")
	o.flags(c)
	return c
}

// lineAfterExtend returns the command line for the background process: without the limits, which
// must not be raised again.
func lineAfterExtend(given *pflag.FlagSet) []string {
	line := []string{"workflow", "resume"}
	given.Visit(func(f *pflag.Flag) {
		if f.Name != "cost" && f.Name != "time" && f.Name != "iterations" {
			line = append(line, "--"+f.Name+"="+f.Value.String())
		}
	})
	return line
}

// raiseLimits raises the limits. A running process need not end: it reads them before each
// check. One that has already paused at a limit ends first.
func raiseLimits(ctx context.Context, a *app.App, d *turnstile.Drive, l workflowstate.Limits) (taken bool, err error) {
	if _, err := readState(a, d); err != nil {
		return false, err
	}
	var now workflowstate.State
	_, err = documents.OpenWorkflow(d.Store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
		if s := tx.Doc; s == nil || s.Orchestrator.Status.Ended() {
			return app.WrongUsage("the workflow has ended: there is nothing to extend")
		}
		tx.Log("extended", nil)
		tx.Doc.Extend("extend-"+a.Env.Now().UTC().Format("20060102T150405.000"), l)
		now = *tx.Doc
		return nil
	})
	if err != nil {
		return false, err
	}
	pid := runningPID(a, d)
	b := now.SafetyBounds
	switch {
	case pid == 0:
		return false, nil
	case now.Paused == nil:
		a.Printf("raised to %s, %s and %d iterations per task; process %d, which runs the workflow, applies it\n", b.MaxCost, b.MaxTime, b.MaxIterations, pid)
		return true, nil
	}
	a.Note("the limits are raised; the paused workflow continues when process %d has finished its step", pid)
	return false, waitForExit(ctx, a, d, pid)
}

func migrate(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "migrate TASK.md", Short: "Convert an agent-state.json in the old format, as far as possible", Args: app.Exactly(1, "the task document"),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			path, _, err := readDocument(ctx, a, d, args[0])
			if err != nil {
				return err
			}
			file := filepath.Join(d.Store().Dir(), workflowstate.File)
			text, err := durable.ReadPlain(file)
			if err != nil {
				return app.WrongUsage("there is nothing to convert: %w", err)
			}
			v, err := lossless.Parse(text)
			if err != nil {
				return err
			}
			if workflowstate.Recognise(v) == nil {
				return app.WrongUsage("agent-state.json is not in the old format")
			}
			if tree, err := gitwrite.Open(d.Root()); err == nil { // without a repository there is nothing to hide
				if err := workflow.Hide(ctx, tree.Repo(), d.Store().Dir()); err != nil {
					return err
				}
			}
			s, notes := workflowstate.Migrate(v, path, a.Env.Now())
			old := filepath.Join(d.Store().Dir(), "agent-state.old.json")
			if _, err := os.Lstat(old); err == nil {
				return fmt.Errorf("nothing was converted: %s is there already, from an earlier migration; move it away first", old)
			}
			if err := durable.MoveFile(file, old); err != nil {
				return err
			}
			if _, err := documents.OpenWorkflow(d.Store()).Update(func(tx *durable.Tx[workflowstate.State]) error {
				tx.Doc = s
				tx.Log("migrated", nil)
				return nil
			}); err != nil {
				return errors.Join(err, durable.MoveFile(old, file))
			}
			a.Printf("converted; the old file is kept as %s\n", filepath.Base(old))
			a.Notes(notes)
			return nil
		}),
	}
}
