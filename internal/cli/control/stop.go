// Package control is warp pause, continue, override and stop: how a person steers a drive
// that is under way.
package control

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/durable"
	"warp/internal/turnstile"
)

type stopOptions struct{ hard, all bool }

// New makes the command.
func Stop(a *app.App) *cobra.Command {
	var o stopOptions
	c := &cobra.Command{
		Use:   "stop [issue]",
		Short: "Stop the drive: gracefully, or --hard by deleting its state",
		Long: `Stop the drive of this folder; with a number, the one that works on that issue, in
any work tree of the repository; with --all, every one.

The drive moves to the phase aborted. The warp drive that runs it is interrupted
and cleans up at once: it ends its agent, commits work in progress and files a
report. One that also drives other issues is not interrupted, since that would stop
them all: it cleans up when the agent's current run ends. If no engine runs the
drive, warp resume or the next session cleans up.

--hard deletes the state file instead: no clean-up, no report, uncommitted work
stays in the work tree. It is refused while a warp drive runs (exit 11), which would
write the state again. A damaged state file is set aside instead of deleted.`,
		Example: "  warp stop\n  warp stop 42\n  warp stop --all\n  warp stop --hard",
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) > 1:
				return fmt.Errorf("expected the number of one issue, got %d arguments", len(args))
			case len(args) == 1 && o.all:
				return errors.New("--all stops every drive: it takes no issue number")
			case len(args) == 1:
				if n, err := strconv.Atoi(strings.TrimPrefix(args[0], "#")); err != nil || n <= 0 {
					return fmt.Errorf("%q is not an issue number", args[0])
				}
			}
			return nil
		},
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			targets, err := chooseDrives(a, d, args, o)
			if err != nil {
				return err
			}
			return stopEach(ctx, a, targets, o)
		}),
	}
	c.Flags().BoolVar(&o.hard, "hard", false, "delete the state file immediately")
	c.Flags().BoolVar(&o.all, "all", false, "stop every drive of the repository")
	return c
}

// choose finds the drives that are meant.
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
			return nil, &app.UsageError{Err: errors.New("this repository has no unfinished drive")}
		}
		return list, nil
	case len(args) == 0:
		over := durable.IsMissing(err) || err == nil && !here.State.Phase.Active()
		if over && len(others) > 0 {
			return nil, &app.UsageError{Err: fmt.Errorf("there is no drive in this folder; there are drives for %s: run warp stop NUMBER, or warp stop --all", listIssues(others))}
		}
		return []*turnstile.Drive{d}, nil
	}
	want := strings.TrimPrefix(args[0], "#")
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
		return nil, &app.UsageError{Err: fmt.Errorf("no drive works on #%s: this repository has no unfinished drive", want)}
	}
	return nil, &app.UsageError{Err: fmt.Errorf("no drive works on #%s; there are drives for %s", want, listIssues(others))}
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
