package report

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/drivestate"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// NewLog returns the command.
func NewLog(a *app.App) *cobra.Command {
	var all bool
	var since string
	c := a.WithJSON("print the rows as JSON", &cobra.Command{
		Use:   "log",
		Short: "Show every phase transition with its time; --all: everything that happened",
		Long: `Show the phase transitions of this folder's drive, with their times.

--all shows everything that happened in the repository and its work trees, merged by
time: phases, runs of agents, tests, commits, questions and ends, of every drive, loop,
pipeline and workflow.`,
		Example: "  warp log\n  warp log --json | jq -r '.[].phase'\n  warp log --all --since yesterday",
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			if all || since != "" {
				return showWholeLog(a, d, since)
			}
			return showPhases(a, d)
		}),
	})
	c.Flags().BoolVar(&all, "all", false, "everything that happened, of every drive, session and workflow")
	c.Flags().StringVar(&since, "since", "", "with --all: start, such as today, yesterday, 8h, 2026-11-14; default: the beginning")
	return c
}

func showWholeLog(a *app.App, d *turnstile.Drive, since string) error {
	var from time.Time
	if since != "" {
		var err error
		if from, err = app.ParseMoment(since, a.Env.Now()); err != nil {
			return &app.UsageError{Err: err}
		}
	}
	f, err := feed.Read(d, a.Env)
	if err != nil {
		return err
	}
	a.Notes(f.Notes)
	list := f.Log()
	for len(list) > 0 && list[0].At.Before(from) {
		list = list[1:]
	}
	return a.Show(list, func() {
		if len(list) == 0 {
			a.Printf("Nothing has happened here yet.\n")
			return
		}
		render.Log(a.Out, list, a.Env.Now())
	})
}

func showPhases(a *app.App, d *turnstile.Drive) error {
	v, err := d.Read()
	if err != nil {
		return err
	}
	a.Notes(v.Notes)
	rows, first := v.State.History, v.State.HistoryDropped
	return a.Show(logRows(rows, first), func() {
		render.History(a.Out, filepath.Base(d.Root()), rows, first)
		switch {
		case first > 0:
			a.Printf("(%d earlier rows are in the journal: warp log --all)\n", first)
		case !v.State.Phase.Active():
			a.Printf("(this is the last session; warp log --all shows all of them)\n")
		}
	})
}

type logRow struct {
	Number  int              `json:"number"`
	Phase   drivestate.Phase `json:"phase"`
	Event   drivestate.Event `json:"event"`
	From    drivestate.Phase `json:"from,omitempty"`
	At      string           `json:"at"`
	Reasons []string         `json:"reasons,omitempty"`
}

func logRows(rows []drivestate.Row, first int) []logRow {
	out := make([]logRow, len(rows))
	for i, r := range rows {
		out[i] = logRow{first + i, r.Phase, r.Event, r.From, r.At, r.Reasons}
		if r.Event == "" {
			out[i].Event = "init"
		}
	}
	return out
}
