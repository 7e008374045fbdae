package fleetcmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"warp/internal/cli/app"
	"warp/internal/fleet/flow"
)

func newSchedule() *cobra.Command {
	var zone string
	var remove bool
	c := onFleet(&cobra.Command{Use: `schedule ["minute hour day month weekday"]`, Short: "Schedule nights, or show when the next one begins",
		Long: `Start nights automatically: at the given times (as in a crontab) the fleet takes all approved
issues of its repositories, except those that a person has stopped. Without times, show when
the next night begins.`,
		Example: "  warp-fleet schedule \"0 22 * * 1-5\"\n  warp-fleet schedule --remove",
		Args:    func(_ *cobra.Command, args []string) error { return checkTimes(args, zone, remove) }}, func(ctx context.Context, f fleet, args []string) error {
		h := f.ScheduleClient().GetHandle(ctx, "night:"+f.name)
		switch {
		case remove:
			if err := h.Delete(ctx); err != nil && !flow.IsNone(err) {
				return err
			}
			fmt.Fprintln(f.out, "no night is scheduled")
			return nil
		case len(args) == 1:
			if err := f.setSchedule(ctx, h, args[0], zone); err != nil {
				return fmt.Errorf("set the schedule %q: %w", args[0], err)
			}
		}
		d, err := h.Describe(ctx)
		if flow.IsNone(err) {
			return errors.New(`no night is scheduled: set one with warp-fleet schedule "0 22 * * 1-5"`)
		}
		if err != nil {
			return err
		}
		for _, at := range d.Info.NextActionTimes[:min(3, len(d.Info.NextActionTimes))] {
			fmt.Fprintf(f.out, "a night begins %s\n", at.Local().Format("Mon 2 Jan 15:04 MST"))
		}
		return nil
	})
	c.Flags().StringVar(&zone, "zone", localZone(), "the time zone, such as Europe/Berlin")
	c.Flags().BoolVar(&remove, "remove", false, "remove the schedule")
	return c
}

var cronField = regexp.MustCompile(`^[0-9A-Za-z*,/?-]+$`)

// checkTimes refuses invalid times before the server does, with a better message.
func checkTimes(args []string, zone string, remove bool) error {
	var err error
	switch {
	case len(args) > 1:
		err = fmt.Errorf("quote the times: warp-fleet schedule %q", strings.Join(args, " "))
	case len(args) == 1 && remove:
		err = errors.New("give times, or --remove, not both")
	case len(args) == 1:
		fields := strings.Fields(args[0])
		if len(fields) != 5 || slices.ContainsFunc(fields, func(f string) bool { return !cronField.MatchString(f) }) {
			err = fmt.Errorf("%q does not have the five fields of a crontab entry, such as \"0 22 * * 1-5\"", args[0])
		} else if _, unknown := time.LoadLocation(zone); unknown != nil {
			err = fmt.Errorf("%q is not a time zone: name one such as Europe/Berlin", zone)
		}
	}
	if err != nil {
		return &app.UsageError{Err: err}
	}
	return nil
}

// setSchedule creates or updates the schedule.
func (f fleet) setSchedule(ctx context.Context, h client.ScheduleHandle, times, zone string) error {
	spec := client.ScheduleSpec{CronExpressions: []string{times}, TimeZoneName: zone}
	action := &client.ScheduleWorkflowAction{ID: "night:" + f.name, Workflow: flow.NightFlow, TaskQueue: flow.FlowQueue(f.name), Args: []any{flow.NightRequest{Fleet: f.name}}}
	_, err := f.ScheduleClient().Create(ctx, client.ScheduleOptions{ID: "night:" + f.name, Spec: spec, Action: action, CatchupWindow: 6 * time.Hour})
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return err
	}
	return h.Update(ctx, client.ScheduleUpdateOptions{DoUpdate: func(in client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
		in.Description.Schedule.Spec = &spec
		in.Description.Schedule.Action = action
		return &client.ScheduleUpdate{Schedule: &in.Description.Schedule}, nil
	}})
}

// localZone returns the machine's time zone by name, which a remote server understands.
func localZone() string {
	names := []string{strings.TrimPrefix(os.Getenv("TZ"), ":"), time.Local.String()}
	if to, err := os.Readlink("/etc/localtime"); err == nil {
		_, name, _ := strings.Cut(to, "zoneinfo/")
		names = append(names, name)
	}
	for _, name := range names {
		if _, err := time.LoadLocation(name); err == nil && name != "" && name != "Local" {
			return name
		}
	}
	return "UTC"
}
