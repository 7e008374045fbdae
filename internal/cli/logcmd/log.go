// Package logcmd is warp log: the phase transitions of a drive.
package logcmd

import (
	"context"
	"path/filepath"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	var asJSON, all bool
	c := &cobra.Command{
		Use:     "log",
		Short:   "Show every phase transition with its time",
		Example: "  warp log\n  warp log --json | jq -r '.[].phase'\n  warp log --all",
		Args:    cobra.NoArgs,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			v, err := d.Read()
			if err != nil {
				return err
			}
			a.Notes(v.Notes)
			rows, first := v.State.History, v.State.HistoryDropped
			if all && first > 0 {
				if rows, err = whole(d, v.State); err != nil {
					return err
				}
				first = v.State.HistoryDropped + len(v.State.History) - len(rows)
			}
			if asJSON {
				return a.JSON(view(rows, first))
			}
			render.History(a.Out, filepath.Base(d.Root()), rows, first)
			if first > 0 && !all {
				a.Printf("(%d earlier rows are in the journal: warp log --all)\n", first)
			}
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print the rows as JSON")
	c.Flags().BoolVar(&all, "all", false, "also read the rows that only the journal has")
	return c
}

type row struct {
	Number  int              `json:"number"`
	Phase   drivestate.Phase `json:"phase"`
	Event   drivestate.Event `json:"event"`
	From    drivestate.Phase `json:"from,omitempty"`
	At      string           `json:"at"`
	Reasons []string         `json:"reasons,omitempty"`
}

func view(rows []drivestate.Row, first int) []row {
	out := make([]row, len(rows))
	for i, r := range rows {
		out[i] = row{first + i, r.Phase, r.Event, r.From, r.At, r.Reasons}
		if r.Event == "" {
			out[i].Event = "init"
		}
	}
	return out
}

// whole gathers the session's history from the journal: what each row of the
// document added to it.
func whole(d *turnstile.Drive, s *drivestate.State) ([]drivestate.Row, error) {
	var rows []drivestate.Row
	_, err := d.Store().Events(func(r event.Row) bool {
		if r.Doc != turnstile.Kind.Name {
			return true
		}
		var added *lossless.Value
		if r.Full != nil {
			var st drivestate.State
			if lossless.Decode(r.Full, &st) == nil && st.HistoryDropped == 0 {
				rows = nil
			}
			if len(rows) == 0 {
				added = r.Full.Get("history")
			} else {
				added = tail(r.Full.Get("history"), 1)
			}
		} else {
			added = r.Patch.Get("grow").Get("history").Get("rows")
		}
		if added == nil {
			return true
		}
		var more []drivestate.Row
		if lossless.Decode(added, &more) == nil {
			rows = append(rows, more...)
		}
		return true
	})
	return rows, err
}

// tail is the last n elements of an array.
func tail(v *lossless.Value, n int) *lossless.Value {
	if v == nil || len(v.Elems) <= n {
		return v
	}
	return &lossless.Value{Kind: lossless.Array, Elems: v.Elems[len(v.Elems)-n:]}
}
