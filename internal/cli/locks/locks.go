// Package locks is warp locks: who holds the names of sessions.
package locks

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "locks",
		Short: "List the locks of sessions, and clean up after those that are gone",
		Long: `List the locks of sessions, .claude/locks/NAME.lock, and clean up after processes
that are gone. A lock is stale when its process is gone; on another machine, when
its heartbeat is three beats old. Starting a session takes a stale lock over by
itself.`,
		Example: "  warp locks\n  warp locks clean",
		Args:    cobra.NoArgs,
	}
	l := list(a)
	c.RunE = l.RunE
	c.Flags().AddFlagSet(l.Flags())
	c.AddCommand(l, clean(a))
	return c
}

// held is a lock as it is printed.
type held struct {
	durable.LeaseFile
	Age   int  `json:"age_seconds"`
	Stale bool `json:"stale"`
}

func read(a *app.App, d *turnstile.Drive) (list []held, host string, err error) {
	if host, err = os.Hostname(); err != nil {
		return nil, "", err
	}
	all, err := d.Store().Leases()
	for _, l := range all {
		list = append(list, held{l, int(l.Age(a.Env.Now()).Seconds()), l.Stale(host, a.Env.Started, a.Env.Now())})
	}
	return list, host, err
}

func list(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the locks", Args: cobra.NoArgs,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			all, _, err := read(a, d)
			if err != nil {
				return err
			}
			if asJSON {
				if all == nil {
					all = []held{}
				}
				return a.JSON(all)
			}
			if len(all) == 0 {
				a.Printf("Nothing is locked.\n")
				return nil
			}
			rows := [][]string{{"SESSION", "PID", "SINCE", "LAST BEAT", ""}}
			for _, l := range all {
				state := ""
				if l.Stale {
					state = "stale: warp locks clean removes it"
				}
				rows = append(rows, []string{render.Printable(l.Session), fmt.Sprint(l.PID), l.StartedAt, (time.Duration(l.Age) * time.Second).String() + " ago", state})
			}
			render.Table(a.Out, rows)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return c
}

// clean takes stale locks: by taking them over, so that nobody loses one who has
// just come.
func clean(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "clean", Short: "Remove the locks of processes that are gone", Args: cobra.NoArgs,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			all, host, err := read(a, d)
			if err != nil {
				return err
			}
			n := 0
			stamp, _ := a.Env.Started(a.Env.PID)
			for _, l := range all {
				if !l.Stale {
					continue
				}
				hold, _, err := d.Store().Acquire(l.Session, durable.Process{PID: a.Env.PID, Stamp: stamp, Host: host}, a.Env.Started)
				if err == nil {
					err = hold.Release()
				}
				if err != nil {
					return err
				}
				n++
				a.Printf("removed: %s (process %d is gone)\n", render.Printable(l.Session), l.PID)
			}
			if n == 0 {
				a.Printf("No lock is stale.\n")
			}
			return nil
		}),
	}
}
