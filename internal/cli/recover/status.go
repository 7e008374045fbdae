package recover

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/text"
	"warp/internal/engine/recovery"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

func statusCommand(a *app.App) *cobra.Command {
	var offline bool
	c := a.WithJSON("print it as JSON", &cobra.Command{
		Use:   "status",
		Short: "Show what exists, what is lost, and whether a drive could run here",
		Long: `Show what exists and what is lost: states, work trees whose folder is gone, branches
here and on the remote, recorded commits and where they are, drives that are
unfinished on the remote, leases. Then the preflight: git, the remote, the identity
for commits, the agent, the tracker.

The remote is fetched, unless --offline; nothing else changes.`,
		Example: "  warp recover status\n  warp recover status --json | jq '.drives[] | select(.whole | not)'",
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, _ []string) error {
			r, err := open(ctx, a, d, false)
			if err != nil {
				return err
			}
			s, err := r.Status(ctx, offline)
			if err != nil {
				return err
			}
			checks := preflight(ctx, a, d, r, offline)
			return a.Show(struct {
				recovery.Status
				Preflight []check `json:"preflight"`
			}{s, checks}, func() {
				a.Notes(s.Notes)
				print(a, s, checks)
			})
		}),
	})
	c.Flags().BoolVar(&offline, "offline", false, "contact neither the remote nor the tracker")
	return c
}

func print(a *app.App, s recovery.Status, checks []check) {
	rows := [][]string{{"", "WHAT", "DETAIL"}}
	add := func(level, what, format string, args ...any) {
		rows = append(rows, []string{level, what, fmt.Sprintf(format, args...)})
	}
	alive := map[string]bool{}
	for _, d := range s.Drives {
		alive[d.Issue] = d.Whole
		switch {
		case d.Error != "":
			add("lost", "state", "%s: %s; warp doctor --rebuild", d.Root, d.Error)
		case !d.Whole:
			add("lost", "drive", "#%s in phase %s, branch %s %s: %s; warp recover run %s", d.Issue, d.Phase, d.Branch, where(d.Here, d.There), commits(d.Commits), d.Issue)
		default:
			add("ok", "drive", "#%s in phase %s, branch %s %s: %s", d.Issue, d.Phase, d.Branch, where(d.Here, d.There), commits(d.Commits))
		}
	}
	for _, path := range s.Gone {
		add("lost", "work tree", "%s: its folder is gone", path)
	}
	for _, f := range s.Found {
		switch {
		case f.Stopped:
			add("note", "branch", "#%s on %s was stopped by a person; warp drive %s continues it", f.Issue, f.Branch, f.Issue)
		case alive[f.Issue]:
			add("ok", "branch", "#%s on %s %s: %d of %d chunks", f.Issue, f.Branch, where(f.Here, f.There), len(f.Done), f.Total)
		default:
			add("lost", "branch", "#%s on %s %s: %d of %d chunks, without a drive here; warp recover run %s", f.Issue, f.Branch, where(f.Here, f.There), len(f.Done), f.Total, f.Issue)
		}
	}
	for _, l := range s.Leases {
		if l.Dead {
			add("note", "lease", "%s: process %d is gone; the next start takes it over", l.Name, l.PID)
		} else {
			add("ok", "lease", "%s: held by process %d, last heartbeat %s ago", l.Name, l.PID, l.Age.Round(time.Second))
		}
	}
	if len(rows) == 1 {
		add("ok", "drives", "none, here or on the remote")
	}
	for _, c := range checks {
		detail := c.Detail
		if c.Fix != "" {
			detail += "; " + c.Fix
		}
		add(c.Level, c.Part, "%s", detail)
	}
	render.Table(a.Out, rows[1:])
}

func where(here, there string) string {
	switch {
	case here == "" && there == "":
		return "(gone)"
	case here == "":
		return "(only on the remote)"
	case there == "":
		return "(only here)"
	case here == there:
		return "(here and on the remote)"
	}
	return "(here and on the remote, which differ)"
}

func commits(list []recovery.Recorded) string {
	on, here := 0, 0
	for _, c := range list {
		if c.Branch {
			on++
		}
		if c.Here {
			here++
		}
	}
	return fmt.Sprintf("%s recorded: %d on it, %d in the repository", text.Count(len(list), "commit"), on, here)
}
