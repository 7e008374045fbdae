package state

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
)

// proofGates returns the gates that prove what an event claims, or none if it claims nothing. It
// first refuses what it can without them. If something must be proven or a verification gate
// must run, warp becomes warp-net before it writes.
func proofGates(ctx context.Context, a *app.App, d *turnstile.Drive, net *Net, on drivestate.Event, data string) ([]turnstile.Gate, error) {
	cfg, err := d.Project.Settings()
	if drivestate.Proven.Get(on) == "" && (net != nil || err != nil || len(cfg.Gates[on]) == 0) {
		return nil, nil // Fire reports errors in the settings
	}
	if err != nil {
		return nil, fmt.Errorf("the settings must be fixed first, nothing was changed: %w", err)
	}
	var with drivestate.Data
	if data != "" {
		if with, err = drivestate.ParseData(data, on, cfg.Limits); err != nil {
			return nil, &turnstile.DataError{Err: err}
		}
	}
	v, err := d.Read()
	if err != nil {
		return nil, err
	}
	if _, err := v.State.Check(on); err != nil {
		return nil, err
	}
	if net == nil {
		return nil, a.BecomeNet(a.Line) // returns only on failure
	}
	p, err := net.Open(ctx, a, d)
	if err != nil {
		return nil, err
	}
	return p.Gates(on, with), nil
}

// filings lists what a drive files in the tracker.
var filings = []string{"report", "pull", "summary"}

func fileCommand(a *app.App, net *Net) *cobra.Command {
	return &cobra.Command{
		Use:   "file <root> report|pull|summary",
		Short: "File what the phase requires in the tracker: the chunk's report, the pull request, the session's summary",
		Long: `File what the phase requires in the tracker, written by warp from its evidence:

  report    in reporting: criteria, commits, tests and cost of the chunk
  pull      in merging at level 2: the branch is pushed and a pull request opened
  summary   in session_ending: what the session did, its lessons and decisions

Each carries a marker, so a second call files nothing twice.`,
		Example: "  warp state file . report && warp state transition . report_filed",
		Args:    app.Exactly(2, "the project's root and report, pull or summary"),
		RunE: onRoot(a, func(ctx context.Context, d *turnstile.Drive, args []string) error {
			if !slices.Contains(filings, args[1]) {
				return app.WrongUsage("%q cannot be filed; expected one of %s", args[1], strings.Join(filings, ", "))
			}
			if net == nil {
				return a.BecomeNet(a.Line)
			}
			p, err := net.Open(ctx, a, d)
			if err == nil {
				err = p.File(ctx, args[1])
			}
			if err != nil {
				return err
			}
			a.Printf("filed: %s\n", args[1])
			return nil
		}),
		ValidArgsFunction: completeSecond(func() []string { return filings }),
	}
}
