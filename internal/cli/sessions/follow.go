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
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// lookEvery is how often a log is looked at that is followed.
const lookEvery = 200 * time.Millisecond

func tail(a *app.App) *cobra.Command {
	var once bool
	c := &cobra.Command{
		Use: "tail NAME", Short: "Follow a session live, until it ends", Args: wantName,
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			name := args[0]
			if _, err := open(d, name).Read(); durable.IsMissing(err) {
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
	path := filepath.Join(d.Store().Dir(), filepath.FromSlash(sessionstate.Dir(name)), logFile)
	var lines *bufio.Reader
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		over := once
		if s, err := summarize(a, d, name); err == nil && !s.Running {
			over = true // what was said before that is still read
		}
		if lines == nil { // the log begins a moment after the session
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
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
	if v, err := open(d, name).Read(); err == nil && v.Doc.Status != sessionstate.Running {
		a.Printf("%s\n", endLine(v.Doc))
	}
	return nil
}

func show(a *app.App) *cobra.Command {
	var asJSON bool
	var most int
	c := &cobra.Command{
		Use: "show NAME", Short: "Show one session: its stages, its iterations, where its files are", Args: wantName,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			v, err := open(d, args[0]).Read()
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
			if asJSON {
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
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print its state.json")
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
	a.Printf("\nfiles: %s\n", filepath.Join(d.Store().Dir(), filepath.FromSlash(sessionstate.Dir(sum.Name))))
	return nil
}
