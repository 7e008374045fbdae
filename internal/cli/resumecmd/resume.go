// Package resumecmd is warp resume: it continues whatever was interrupted, killed, stopped or
// parked, of every kind, from its last durable step.
package resumecmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"warp/internal/cli/app"
	"warp/internal/cli/background"
	"warp/internal/cli/drivecmd"
	"warp/internal/cli/sessions"
	"warp/internal/cli/workflowcmd"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// sameInterrupt is the largest gap between ends caused by the same interrupt.
const sameInterrupt = 2 * time.Minute

// New returns the command.
func New(a *app.App) *cobra.Command {
	c := drivecmd.Resume(a)
	drives := c.RunE
	c.Use = "resume [name]"
	c.Short = "Resume what was interrupted, killed, stopped or parked"
	c.Long = `Resume what was interrupted, killed, stopped or parked: drives, loops, pipelines and
workflows, each from its last durable step. Finished steps are not repeated.

With an issue number or a name, only that. Without, everything whose process is gone,
drives that are parked, and what the last Ctrl-C or warp stop ended. --fresh renews
budgets of a drive that are spent; the limits are those of what is resumed.

Exit codes are those of warp drive; 2 when there is nothing to resume.`
	c.Example = "  warp resume\n  warp resume 42\n  warp resume auth\n  warp resume --max-cost 10 --fresh"
	c.Args = cobra.MaximumNArgs(1)
	c.RunE = a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
		f, err := feed.Read(d, a.Env)
		if err != nil {
			return err
		}
		r := resumer{app: a, drive: d, flags: c.Flags(), drives: func() error { return drives(c, nil) }}
		if len(args) == 1 {
			return r.named(ctx, f, args[0])
		}
		return r.all(ctx, f)
	})
	return c
}

// resumer resumes items with the commands for their kinds.
type resumer struct {
	app    *app.App
	drive  *turnstile.Drive // of this folder
	flags  *pflag.FlagSet   // the flags given
	drives func() error     // resumes all unfinished drives
}

func (r resumer) named(ctx context.Context, f *feed.Feed, name string) error {
	found := f.Find(name)
	if len(found) == 0 {
		return app.WrongUsage("nothing here is called %q: warp status shows what is unfinished, warp drive NUMBER starts on an issue", render.Printable(name))
	}
	i := found[0]
	if i.State == feed.Done {
		return app.WrongUsage("%s is done (%s): nothing to resume", render.Printable(render.Name(i)), i.Result)
	}
	if err := i.CheckCurrent(); err != nil {
		return &app.UsageError{Err: err}
	}
	return r.one(ctx, i)
}

// one resumes an item in its work tree.
func (r resumer) one(ctx context.Context, i feed.Item) error {
	there := *r.app
	there.Dir = cmp.Or(i.Root, there.Dir)
	switch i.Kind {
	case feed.Workflow:
		return r.run(ctx, sub(workflowcmd.New(&there), "resume"))
	case feed.Loop, feed.Quality, feed.Pipeline:
		return r.run(ctx, sub(sessions.New(&there), "resume"), i.Name)
	}
	return r.run(ctx, drivecmd.New(r.app), i.Issue)
}

// run runs a command with the given flags, and refuses those it does not have. The sandbox is the
// app's already.
func (r resumer) run(ctx context.Context, c *cobra.Command, args ...string) error {
	var errs []error
	r.flags.Visit(func(f *pflag.Flag) {
		if f.Name == "sandbox" {
			return
		}
		if c.Flags().Lookup(f.Name) == nil {
			errs = append(errs, fmt.Errorf("--%s is not for %s", f.Name, c.Name()))
			return
		}
		errs = append(errs, c.Flags().Set(f.Name, f.Value.String()))
	})
	if err := errors.Join(errs...); err != nil {
		return &app.UsageError{Err: err}
	}
	c.SetContext(ctx)
	return c.RunE(c, args)
}

func sub(c *cobra.Command, name string) *cobra.Command {
	i := slices.IndexFunc(c.Commands(), func(s *cobra.Command) bool { return s.Name() == name })
	return c.Commands()[i]
}

// all resumes everything unfinished.
func (r resumer) all(ctx context.Context, f *feed.Feed) error {
	var errs []error
	list := unfinished(f)
	isDrive := func(i feed.Item) bool { return i.Kind == feed.Drive || i.Kind == feed.Guided }
	drives := slices.ContainsFunc(f.Open(), isDrive)
	if several := len(list) > 1 || drives && len(list) > 0; several && (r.isGiven("detach") || r.isGiven("ui")) {
		return r.inBackground()
	}
	if drives || len(list) == 0 {
		errs = append(errs, r.drives())
	}
	for _, i := range list {
		if ctx.Err() != nil {
			break
		}
		r.app.Note("resuming %s (%s)", render.Name(i), strings.TrimSpace(string(i.Kind)+", "+string(i.State)))
		errs = append(errs, r.one(ctx, i))
	}
	return r.app.Worst(errs)
}

// inBackground resumes everything in one process: this command line, run again for each kind,
// would resume the others as well.
func (r resumer) inBackground() error {
	ui := r.isGiven("ui")
	if err := background.CheckFlags(true, r.isGiven("json"), r.isGiven("dry-run")); err != nil {
		return err
	}
	if err := background.BeginUI(r.app, r.drive, ui); err != nil {
		return err
	}
	return background.Run(r.app, r.drive, background.Job{Name: "resumption", Hint: "warp status shows it, warp stop --all ends it.", UI: ui})
}

func (r resumer) isGiven(flag string) bool {
	on, err := r.flags.GetBool(flag)
	return err == nil && on
}

// unfinished returns what to resume besides unfinished drives: sessions and workflows whose
// process is gone, and what was stopped together with the last stopped one.
func unfinished(f *feed.Feed) (list []feed.Item) {
	var last time.Time
	for _, i := range f.Items {
		if i.State == feed.Stopped && !i.Later && i.Kind != feed.Workflow && i.Ended.After(last) {
			last = i.Ended
		}
	}
	for _, i := range slices.Backward(f.Items) {
		drive := i.Kind == feed.Drive || i.Kind == feed.Guided
		switch {
		case i.Later, i.Kind == feed.Workflow && i.State.Over(): // an aborted workflow cannot be resumed
		case i.State == feed.Interrupted && !drive:
			list = append(list, i)
		case i.State == feed.Stopped && i.Name != "" && last.Sub(i.Ended) <= sameInterrupt && !(drive && i.Result != "stopped"):
			list = append(list, i)
		}
	}
	return list
}
