package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/session"
	"warp/internal/durable"
	engine "warp/internal/engine/session"
	"warp/internal/engine/trust"
	"warp/internal/sys/git"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "sessions",
		Short: "Show, follow, stop and go on with sessions: loops and pipelines",
		Long: `Show, follow, stop and go on with sessions: loops and pipelines.

A session has a folder, .claude/pipeline-runs/NAME, with its state.json, its
progress, and a folder for each stage. One that was killed, stopped, paused, or
that failed is resumed by «resume», from the last iteration that was
recorded.`,
		Example: "  warp sessions\n  warp sessions tail auth\n  warp sessions resume auth --max 10\n  warp sessions resume --all",
		Args:    cobra.NoArgs,
	}
	l := list(a)
	c.RunE = l.RunE
	c.Flags().AddFlagSet(l.Flags())
	c.AddCommand(l, show(a), tail(a), stop(a), resume(a), remove(a), serve(a))
	return c
}

func open(d *turnstile.Drive, name string) *durable.Doc[session.State] {
	return engine.Open(d.Store(), name)
}

// one wants the name of a session.
func one(c *cobra.Command, args []string) error {
	if err := app.Exactly(1, "the session's name")(c, args); err != nil {
		return err
	}
	if err := session.CheckName(args[0]); err != nil {
		return &app.UsageError{Err: err}
	}
	return nil
}

func missing(name string) error {
	return &app.UsageError{Err: fmt.Errorf("there is no session %q; warp sessions lists them", render.Printable(name))}
}

// remove takes a session away that nobody runs.
func remove(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "rm NAME…", Short: "Remove sessions and all their files", Args: cobra.MinimumNArgs(1),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			for _, name := range args {
				if err := Remove(a, d, name); err != nil {
					return err
				}
				a.Printf("removed: %s\n", name)
			}
			return nil
		}),
	}
}

// Remove takes one session away. Its name is held meanwhile.
func Remove(a *app.App, d *turnstile.Drive, name string) error {
	if err := session.CheckName(name); err != nil {
		return &app.UsageError{Err: err}
	}
	dir := filepath.Join(d.Store().Dir(), filepath.FromSlash(session.Dir(name)))
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return missing(name)
	}
	stamp, _ := proc.Started(a.Env.PID)
	hold, _, err := d.Store().Acquire(name, durable.Process{PID: a.Env.PID, Stamp: stamp, Host: hostname()}, proc.Started)
	if err != nil {
		return err
	}
	defer func() { _ = hold.Release() }()
	if v, err := open(d, name).Read(); err == nil && v.Doc.Branch != "" {
		if _, gone := (git.Repo{Dir: d.Root()}).Ref("refs/heads/" + v.Doc.Branch); gone == nil {
			a.Notes([]string{fmt.Sprintf("the branch %[1]s is kept; git merge %[1]s merges it, git branch -D %[1]s removes it", v.Doc.Branch)})
		}
	}
	if _, err := open(d, name).Remove(); err != nil && !durable.IsMissing(err) {
		return err
	}
	for _, file := range []string{outFile(d, name), jobFile(d, name)} {
		_ = os.Remove(file) // most sessions have none
	}
	if state, err := trust.Folder(a.Getenv); err == nil { // what its guard has kept
		if err := os.RemoveAll(engine.StateFolder(state, d.Root(), name)); err != nil {
			return err
		}
	}
	return os.RemoveAll(dir)
}

// last is the end of a text.
func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
