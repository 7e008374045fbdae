// Package control is warp pause, continue, override and stop, with which a person steers a
// drive.
package control

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

type stopOptions struct{ hard, all, after, skip bool }

// Stop returns warp stop.
func Stop(a *app.App) *cobra.Command {
	var o stopOptions
	c := &cobra.Command{
		Use:   "stop [name]",
		Short: "Stop a drive, session or workflow: gracefully, or --hard by deleting a drive's state",
		Long: `Stop the drive of this folder; with a number, the one that works on that issue, in
any work tree of the repository; with a name, a session or workflow; with --all,
everything. warp resume continues what was stopped.

The drive moves to the phase aborted. The warp drive that runs it is interrupted
and cleans up at once: it ends its agent, commits work in progress and files a
report. One that also drives other issues is not interrupted, since that would stop
them all: it cleans up when the agent's current run ends. If no engine runs the
drive, warp resume or the next session cleans up.

A session is stopped, a workflow paused (warp workflow abort ends it).

--after finishes the current issue and starts no other. --skip stops one issue and
nothing else: its drive cleans up when the agent's current run ends, and the night
continues with the next issue.

--hard deletes the drive's state file instead: no clean-up, no report, uncommitted work
stays in the work tree. It is refused while a warp drive runs (exit 11), which would
write the state again. A damaged state file is set aside instead of deleted.`,
		Example: "  warp stop\n  warp stop 42\n  warp stop auth\n  warp stop --all\n  warp stop --after\n  warp stop 42 --skip\n  warp stop --hard",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return app.WrongUsage("expected one name, got %d arguments", len(args))
			case len(args) == 1 && o.all:
				return app.WrongUsage("--all stops everything, so it takes no name")
			case len(args) == 1 && o.after:
				return app.WrongUsage("--after ends the whole night, so it takes no name")
			case o.after && (o.all || o.hard || o.skip), o.skip && (o.all || o.hard):
				return app.WrongUsage("--after, --skip, --all and --hard cannot be combined: give one of them")
			}
			return nil
		},
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			return stop(ctx, a, d, args, o)
		}),
	}
	c.Flags().BoolVar(&o.hard, "hard", false, "delete the state file immediately")
	c.Flags().BoolVar(&o.after, "after", false, "finish the current issue and start no other")
	c.Flags().BoolVar(&o.skip, "skip", false, "stop only this issue; the night continues with the next")
	c.Flags().BoolVar(&o.all, "all", false, "stop everything that runs in the repository")
	return c
}

func stop(ctx context.Context, a *app.App, d *turnstile.Drive, args []string, o stopOptions) error {
	if o.after {
		return stopAfter(a, d)
	}
	_, work, err := resolveTarget(a, d, args)
	if err != nil {
		return err
	}
	if work != nil && o.skip {
		return app.WrongUsage("--skip is for issues: warp stop stops a session or workflow")
	}
	if work != nil && o.hard {
		return app.WrongUsage("--hard is for drives: warp sessions rm %s removes a session", work.Name)
	}
	if work != nil {
		return stopWork(ctx, a, *work)
	}
	var errs []error
	if o.all {
		f, err := feed.Read(d, a.Env)
		if err != nil {
			return err
		}
		list := runningWork(f)
		if o.hard {
			list = nil // it concerns state files only
		}
		for _, i := range list {
			errs = append(errs, stopWork(ctx, a, i))
		}
		if len(list) > 0 && len(list) == len(f.Open()) {
			return errors.Join(errs...)
		}
	}
	targets, err := chooseDrives(a, d, args, o)
	if err != nil {
		return err
	}
	return errors.Join(append(errs, stopEach(ctx, a, targets, o))...)
}

func chooseDrives(a *app.App, d *turnstile.Drive, args []string, o stopOptions) ([]*turnstile.Drive, error) {
	others := app.FindOtherDrives(d, a.Env)
	here, err := d.Read()
	switch {
	case o.all:
		var list []*turnstile.Drive
		if err == nil && here.State.Phase.Active() || err != nil && !durable.IsMissing(err) {
			list = append(list, d)
		}
		for _, s := range others {
			list = append(list, s.Drive)
		}
		if len(list) == 0 {
			return nil, app.WrongUsage("this repository has no unfinished drive")
		}
		return list, nil
	case len(args) == 0:
		over := durable.IsMissing(err) || err == nil && !here.State.Phase.Active()
		if f, err := feed.Read(d, a.Env); over && err == nil && len(runningWork(f))+len(others) > 0 {
			return nil, app.WrongUsage("there is no drive in this folder%s: run warp stop NAME, or warp stop --all", listUnfinished(f.Open()))
		}
		return []*turnstile.Drive{d}, nil
	}
	want := app.IssueName(args[0])
	if err == nil && here.State.Phase.Active() && here.State.Issue() == want {
		return []*turnstile.Drive{d}, nil
	}
	for _, s := range others {
		if s.Err == nil && s.View.State.Issue() == want {
			return []*turnstile.Drive{s.Drive}, nil
		}
	}
	if err == nil && here.State.Phase.Active() {
		others = append(others, app.OtherDrive{Drive: d, View: here})
	}
	if len(others) == 0 {
		return nil, app.WrongUsage("no drive works on #%s: this repository has no unfinished drive", want)
	}
	return nil, app.WrongUsage("no drive works on #%s; there are drives for %s", want, listIssues(others))
}

func listIssues(list []app.OtherDrive) string {
	var names []string
	for _, s := range list {
		switch {
		case s.Err != nil:
			names = append(names, "one that cannot be read in "+s.Root())
		case s.View.State.Issue() == "":
			names = append(names, "no issue yet in "+s.Root())
		default:
			names = append(names, "#"+s.View.State.Issue())
		}
	}
	return strings.Join(names, ", ")
}
