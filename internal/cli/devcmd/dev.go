// Package devcmd is warp dev: a project's server, migrations, seed data and users.
package devcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/adapter/database"
	"warp/internal/cli/app"
	"warp/internal/cli/sandboxes"
	"warp/internal/engine/dev"
	"warp/internal/engine/trust"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New returns the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "dev",
		Short: "Start, check and stop the dev environment of dev.json",
		Long: `Start, check and stop the dev environment of dev.json: migrations, seed data, the
server, users. Every command can be run again at any time: what is up, or was
already run, is left alone. Nothing in a dev.json runs until you trust it (warp
trust), and everything runs in a sandbox.`,
		Example: `  warp dev init          write a dev.json for this project
  warp dev up            start everything
  warp dev check         is it up? exit code 0 or 1
  warp dev logs -n 50    the server's output
  warp dev down          end the server and everything it started`,
	}
	c.AddCommand(initialise(a), up(a), check(a), down(a), logs(a), seedCheck(a), supervise(a))
	return c
}

// Environment returns the dev environment of a project's work tree.
func Environment(a *app.App, d *turnstile.Drive) (*dev.Environment, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, which supervises servers: %w", err)
	}
	supervisor := []string{self, "dev", "supervise"}
	if a.Sandbox != "" { // applies to the server, too
		supervisor = append(supervisor, "--sandbox", a.Sandbox)
	}
	return dev.New(dev.Config{
		Root: d.Root(), Home: filepath.Dir(d.Project.Home().Dir()), Store: d.Store(),
		SQL:     database.Databases{Root: d.Root()},
		Trust:   trust.Open(a.Getenv, a.Env.Now, a.Env.PID).Check,
		Confine: sandboxes.Commands(a, d.Root(), d.Project.Settings),
		// Project commands get our environment, or what a sandbox leaves of it.
		Environ: os.Environ(),
		Now:     a.Env.Now, Started: a.Env.Started, PID: a.Env.PID,
		Self: supervisor,
		Wait: 2 * time.Minute,
	}), nil
}

// in turns a function on the dev environment into a cobra command.
func in(a *app.App, fn func(context.Context, *dev.Environment) error) func(*cobra.Command, []string) error {
	return a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
		e, err := Environment(a, d)
		if err != nil {
			return err
		}
		return fn(ctx, e)
	})
}

func up(a *app.App) *cobra.Command {
	var checkOnly, verbose, again bool
	c := a.WithJSON("with --check: print the result as JSON", &cobra.Command{
		Use:   "up",
		Short: "Start the dev environment; what is already up is left alone",
		Long: `Start the dev environment: migrations, seed data, the server until it is healthy,
users. Each migration and each seed file runs once per content: a changed seed runs
again, a changed migration is refused.`,
		Example: "  warp dev up\n  warp dev up --verbose\n  warp dev up --check    same as warp dev check",
		RunE: in(a, func(ctx context.Context, e *dev.Environment) error {
			if checkOnly {
				return look(ctx, a, e)
			}
			e.Verbose, e.Again = verbose, again
			return e.Up(ctx, func(line string) { fmt.Fprintf(a.Err, "%s\n", render.Printable(line)) })
		}),
	})
	c.Flags().BoolVar(&checkOnly, "check", false, "only check whether it is up")
	c.Flags().BoolVarP(&verbose, "verbose", "v", false, "show the output of commands")
	c.Flags().BoolVar(&again, "again", false, "run seeds, users and the migration command again")
	return c
}

func check(a *app.App) *cobra.Command {
	return a.WithJSON("print the result as JSON", &cobra.Command{
		Use:   "check",
		Short: "Check whether the dev environment is up, and list what is missing",
		RunE: in(a, func(ctx context.Context, e *dev.Environment) error {
			return look(ctx, a, e)
		}),
	})
}

func look(ctx context.Context, a *app.App, e *dev.Environment) error {
	err := e.Check(ctx)
	var missing *dev.NotUp
	if err != nil && !errors.As(err, &missing) {
		return err
	}
	if !a.AsJSON {
		if err == nil {
			a.Printf("up\n")
		}
		return err
	}
	why := []string{}
	if missing != nil {
		why = missing.Why
	}
	if e := a.JSON(struct {
		Up  bool     `json:"up"`
		Why []string `json:"why"`
	}{err == nil, why}); e != nil || err == nil {
		return e
	}
	return &app.Silent{Code: app.Failed}
}

func down(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "down",
		Short: "End the server and everything it started",
		RunE: in(a, func(ctx context.Context, e *dev.Environment) error {
			if err := e.Down(ctx); err != nil {
				return err
			}
			a.Printf("down\n")
			return nil
		}),
	}
}

func logs(a *app.App) *cobra.Command {
	var lines int
	c := &cobra.Command{
		Use:   "logs",
		Short: "Print the server's output, without secrets",
		RunE: in(a, func(_ context.Context, e *dev.Environment) error {
			text, err := e.Logs(lines)
			if err != nil {
				return err
			}
			a.Printf("%s", render.Printable(string(text)))
			return nil
		}),
	}
	c.Flags().IntVarP(&lines, "lines", "n", 0, "only the last lines; 0: everything kept")
	return c
}

func supervise(a *app.App) *cobra.Command {
	var port int
	c := &cobra.Command{
		Use: "supervise", Short: "Supervise the server (started by warp dev up)", Hidden: true,
		RunE: in(a, func(ctx context.Context, e *dev.Environment) error {
			return e.Supervise(ctx, port, a.Out, silence)
		}),
	}
	c.Flags().IntVar(&port, "port", 0, "the port that the server has")
	return c
}

func seedCheck(a *app.App) *cobra.Command {
	var base string
	c := a.WithJSON("print the result as JSON", &cobra.Command{
		Use:   "seed-check",
		Short: "Check whether a schema change comes with seed data",
		Long: `Check whether a schema change comes with seed data: a change that touches the
schema, or adds migrations, should bring data for what is new. The exit code is 0
either way.`,
		Example: "  warp dev seed-check\n  warp dev seed-check --base main",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			e, err := Environment(a, d)
			if err != nil {
				return err
			}
			if !e.Present() {
				return dev.ErrNone
			}
			changed, err := changes(ctx, d.Root(), base)
			if err != nil {
				return err
			}
			advice := e.SeedAdvice(changed)
			return a.Show(struct {
				Advice []string `json:"advice"`
			}{append([]string{}, advice...)}, func() {
				for _, line := range advice {
					a.Printf("%s\n", render.Printable(line))
				}
			})
		}),
	})
	c.Flags().StringVar(&base, "base", "HEAD", "the commit to compare the work tree with")
	return c
}
