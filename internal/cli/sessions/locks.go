package sessions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/durable"
	"warp/internal/engine/step"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// NewLocks returns the command.
func NewLocks(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "locks",
		Short: "List session locks, and remove those of dead processes",
		Long: `List session locks, .claude/locks/NAME.lock, and remove those of dead processes. A
lock is stale when its process is gone; on another machine, when its heartbeat is
three beats old. Starting a session takes over a stale or damaged lock.

clean also releases queue items that dead sessions claimed, and what dead processes
held in git (refs/warp/held).`,
		Example: "  warp locks\n  warp locks clean",
	}
	l := listLocks(a)
	c.RunE = l.RunE
	c.Flags().AddFlagSet(l.Flags())
	c.AddCommand(l, cleanLocks(a))
	return c
}

type lockInfo struct {
	durable.LeaseFile
	Age     int    `json:"age_seconds"`
	Stale   bool   `json:"stale"`
	Damaged string `json:"damaged,omitempty"` // why its holder is unknown
}

// state describes the lock; "" if it is in use.
func (h lockInfo) state() string {
	switch {
	case h.Damaged != "":
		return "damaged: " + h.Damaged + "; warp locks clean removes it"
	case h.Stale:
		return "stale: warp locks clean removes it"
	}
	return ""
}

func (h lockInfo) row() []string {
	if h.Damaged != "" {
		return []string{h.Session, "?", "?", "?", h.state()}
	}
	return []string{h.Session, fmt.Sprint(h.PID), render.Seconds(h.StartedAt), (time.Duration(h.Age) * time.Second).String() + " ago", h.state()}
}

func readLocks(a *app.App, d *turnstile.Drive) (list []lockInfo, err error) {
	host := app.Hostname()
	all, err := d.Store().Leases()
	for _, l := range all {
		list = append(list, lockInfo{LeaseFile: l, Age: int(l.Age(a.Env.Now()).Seconds()), Stale: l.Stale(host, a.Env.Started, a.Env.Now())})
	}
	if err != nil {
		return nil, err
	}
	bad, err := d.Store().DamagedLeases()
	for _, l := range bad {
		list = append(list, lockInfo{LeaseFile: durable.LeaseFile{Session: l.Session}, Stale: true, Damaged: lockProblem(l.Why)})
	}
	return list, err
}

// lockProblem returns the problem with a lock file, without its path.
func lockProblem(err error) string {
	if bad, is := errors.AsType[*durable.DamagedError](err); is {
		err = bad.Why
	}
	return err.Error()
}

func listLocks(a *app.App) *cobra.Command {
	return a.WithJSON("print them as JSON", &cobra.Command{
		Use: "list", Short: "List the locks",
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			all, err := readLocks(a, d)
			if err != nil {
				return err
			}
			rows := [][]string{{"SESSION", "PID", "SINCE", "LAST BEAT", ""}}
			for _, l := range all {
				rows = append(rows, l.row())
			}
			return app.ShowList(a, all, rows, "There are no locks.")
		}),
	})
}

// cleanLocks removes stale locks by taking them over, so that a process that has just acquired one
// keeps it. It releases queue items that their sessions claimed.
func cleanLocks(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "clean", Short: "Remove the locks of dead processes, and release what they claimed",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			all, err := readLocks(a, d)
			if err != nil {
				return err
			}
			n := 0
			for _, l := range all {
				switch said, err := removeLock(a, d, l); {
				case err != nil:
					return err
				case said != "":
					n++
					a.Printf("removed: %s (%s)\n", render.Printable(l.Session), said)
				}
			}
			if n == 0 {
				a.Printf("There are no stale locks.\n")
			}
			said, err := giveBack(ctx, a, d)
			a.Notes(said)
			return err
		}),
	}
}

// removeLock removes a stale or damaged lock and returns why; "" if the lock is held.
func removeLock(a *app.App, d *turnstile.Drive, l lockInfo) (said string, err error) {
	if l.Damaged != "" {
		removed, err := d.Store().RemoveDamagedLease(l.Session)
		if !removed || err != nil {
			return "", err
		}
		return "it was damaged", nil
	}
	if !l.Stale {
		return "", nil
	}
	hold, _, err := d.Store().Acquire(l.Session, step.Process{PID: a.Env.PID, Host: app.Hostname()}.Holder(), a.Env.Started)
	if err == nil {
		err = hold.Release()
	}
	return fmt.Sprintf("process %d is gone", l.PID), err
}
