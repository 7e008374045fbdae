package sessions

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/event"
	"warp/internal/core/lossless"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// pollInterval is how often a followed log is polled.
const pollInterval = 200 * time.Millisecond

func tail(a *app.App) *cobra.Command {
	var once bool
	c := &cobra.Command{
		Use: "tail NAME", Short: "Follow a session live, until it ends", Args: wantName,
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			name := args[0]
			if _, err := openState(d, name).Read(); durable.IsMissing(err) {
				return missing(name)
			}
			return follow(ctx, a, d, name, once)
		}),
	}
	c.Flags().BoolVar(&once, "no-follow", false, "print what there is, and exit")
	return c
}

// follow prints a session's log as it grows, until no process runs the session.
func follow(ctx context.Context, a *app.App, d *turnstile.Drive, name string, once bool) error {
	path := filepath.Join(folderOf(d, name), logFile)
	var lines *bufio.Reader
	for {
		over := once
		if s, err := summarize(a, d, name); err == nil && !s.Running {
			over = true // still read what was written before the end
		}
		if lines == nil { // the log appears shortly after the session
			f, err := durable.OpenPlain(path)
			if err == nil {
				defer f.Close()
				lines = bufio.NewReader(f)
			} else if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		for lines != nil {
			text, err := lines.ReadString('\n')
			if text != "" {
				a.Printf("%s", text)
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				return err
			}
		}
		if over {
			break
		}
		if app.Sleep(ctx, pollInterval) != nil {
			return nil
		}
	}
	if v, err := openState(d, name).Read(); err == nil && v.Doc.Status != sessionstate.Running {
		a.Printf("%s\n", endLine(v.Doc))
	}
	return nil
}

func show(a *app.App) *cobra.Command {
	var most int
	c := a.WithJSON("print its state.json", &cobra.Command{
		Use: "show NAME", Short: "Show one session: its stages, its iterations, where its files are", Args: wantName,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			v, err := openState(d, args[0]).Read()
			if durable.IsMissing(err) {
				return missing(args[0])
			}
			if err != nil {
				return err
			}
			a.Notes(v.Notes)
			list, err := rows(d, v.Doc, args[0], most)
			if err != nil {
				return err
			}
			if a.AsJSON {
				if most == 0 || most > len(v.Doc.History) {
					v.Doc.History = list
				}
				return a.JSON(v.Doc)
			}
			sum, err := summarize(a, d, args[0])
			if err != nil {
				return err
			}
			return details(a, d, sum, v.Doc, list)
		}),
	})
	c.Flags().IntVar(&most, "rows", shownRows, "how many iterations to show; 0: all, also those that only the journal has")
	return c
}

func details(a *app.App, d *turnstile.Drive, sum summary, s *sessionstate.State, list []sessionstate.Row) error {
	a.Printf("%s: %s, %s since %s\n", sum.Name, s.Type, sum.state(), render.Seconds(s.StartedAt))
	if s.Status != sessionstate.Running {
		a.Printf("%s\n", endLine(s))
	} else if sum.Running {
		a.Printf("process %d runs it\n", sum.PID)
	} else {
		a.Printf("no process runs it: warp sessions resume %s continues it\n", sum.Name)
	}
	if s.Branch != "" {
		a.Printf("branch %s, from %s\n", render.Printable(s.Branch), render.Printable(s.BeganOn))
	}
	if len(s.Stages) > 0 {
		rows := [][]string{{"", "STAGE", "STATUS", "ITERATIONS", "REASON"}}
		for i, st := range s.Stages {
			rows = append(rows, []string{fmt.Sprint(i), st.Name, st.Status, fmt.Sprintf("%d of at most %d", st.IterationCompleted, st.Runs), st.Reason})
		}
		a.Printf("\n")
		render.Table(a.Out, rows)
	}
	if len(list) > 0 {
		a.Printf("\n")
		printRows(a, list)
		if older := s.Iterations() - len(list); older > 0 {
			a.Printf("(%s before these: --rows 0 shows all)\n", text.Count(older, "iteration"))
		}
	}
	a.Printf("\nfiles: %s\n", folderOf(d, sum.Name))
	return nil
}

// shownRows is the default number of iterations shown.
const shownRows = 10

// rows returns a session's newest iterations, at most most; 0 means all. The document holds the
// newest, the journal all.
func rows(d *turnstile.Drive, s *sessionstate.State, name string, most int) ([]sessionstate.Row, error) {
	all := []sessionstate.Row(s.History)
	if (most == 0 || most > len(all)) && s.HistoryDropped > 0 {
		older, err := readJournalRows(d, name)
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

// readJournalRows returns each iteration in the journal once, ignoring earlier sessions of the same
// name.
func readJournalRows(d *turnstile.Drive, name string) (all []sessionstate.Row, err error) {
	seen := map[string]bool{}
	add := func(list *lossless.Value) {
		if list == nil {
			return
		}
		for _, v := range list.Elems {
			var r sessionstate.Row
			if lossless.Decode(v, &r) != nil {
				continue // written by another version
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
