package sessions

import (
	"fmt"

	"warp/internal/cli/app"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// shownRows is how many iterations are shown unless more are wanted.
const shownRows = 10

// rows are the newest iterations of a session, so many or all (0). The document has
// the newest of them, the journal all.
func rows(d *turnstile.Drive, s *sessionstate.State, name string, most int) ([]sessionstate.Row, error) {
	all := []sessionstate.Row(s.History)
	if (most == 0 || most > len(all)) && s.HistoryDropped > 0 {
		older, err := journalled(d, name)
		if err != nil {
			return nil, err
		}
		if len(older) > len(all) {
			all = older
		}
	}
	if most > 0 {
		all = all[max(0, len(all)-most):]
	}
	return all, nil
}

// journalled are all iterations of a session that the journal tells, each once. An
// earlier session of the same name does not count.
func journalled(d *turnstile.Drive, name string) (all []sessionstate.Row, err error) {
	seen := map[string]bool{}
	add := func(list *lossless.Value) {
		if list == nil {
			return
		}
		for _, v := range list.Elems {
			var r sessionstate.Row
			if lossless.Decode(v, &r) != nil {
				continue // of another version
			}
			if key := fmt.Sprintf("%s %d", r.Stage, r.Iteration); !seen[key] {
				seen[key] = true
				all = append(all, r)
			}
		}
	}
	_, err = d.Store().Events(func(row event.Row) bool {
		if row.Kind != event.Document && row.Kind != event.Recovered || row.Doc != sessionstate.Name(name) {
			return true
		}
		if row.Name == "session_began" {
			all, seen = nil, map[string]bool{}
		}
		if row.Full != nil {
			add(row.Full.Get("history"))
		}
		if row.Patch != nil {
			if set := row.Patch.Get("set"); set != nil {
				add(set.Get("history"))
			}
			if grow := row.Patch.Get("grow"); grow != nil && grow.Get("history") != nil {
				add(grow.Get("history").Get("rows"))
			}
		}
		return true
	})
	return all, err
}

// printRows prints iterations as a table.
func printRows(a *app.App, list []sessionstate.Row) {
	table := [][]string{{"WHEN", "STAGE", "#", "COST", "WHAT"}}
	for _, r := range list {
		cost := r.Cost
		if cost == "" && r.Unpriced {
			cost = "unknown"
		}
		table = append(table, []string{render.Seconds(r.Timestamp), r.Stage, fmt.Sprint(r.Iteration), cost, text.ClipRunes(text.OneLine(describeRow(&r)), 100)})
	}
	render.Table(a.Out, table)
}
