package sessions

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/policy/session"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/turnstile/documents"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

type summary struct {
	Name      string  `json:"session"`
	Type      string  `json:"type"`
	Status    string  `json:"status"`
	Running   bool    `json:"running"` // by a live process
	PID       int     `json:"pid,omitempty"`
	Stage     string  `json:"stage,omitempty"`
	Iteration int     `json:"iteration"`
	Reason    *string `json:"completion_reason"`
	Why       string  `json:"why,omitempty"`
	Paused    bool    `json:"paused,omitempty"`
	StartedAt string  `json:"started_at"`
	EndedAt   *string `json:"completed_at"`
	MicroUSD  *int64  `json:"micro_usd"` // null: unknown
	Cost      string  `json:"cost"`
	Tokens    int64   `json:"tokens"`
}

func summarize(a *app.App, d *turnstile.Drive, name string) (summary, error) {
	held, err := leases(d)
	if err != nil {
		return summary{}, err
	}
	return held.summarize(a, d, name)
}

func (l holders) summarize(a *app.App, d *turnstile.Drive, name string) (summary, error) {
	v, err := openState(d, name).Read()
	if err != nil {
		return summary{}, err
	}
	a.Notes(v.Notes)
	s := v.Doc
	spent := s.Spent()
	sum := summary{Name: name, Type: s.Type, Status: s.Status, Iteration: s.Iterations(), Reason: s.CompletionReason, Why: s.Why, Paused: s.Paused != nil,
		StartedAt: s.StartedAt, EndedAt: s.CompletedAt, Tokens: spent.Tokens}
	var known bool
	if sum.Cost, known = s.Cost(); known {
		sum.MicroUSD = &spent.MicroUSD
	}
	if st, err := s.Stage(s.CurrentStage); err == nil && s.Type == sessionstate.Pipeline {
		sum.Stage = st.Name
	}
	if held, ok := l[name]; ok && !held.Stale(app.Hostname(), proc.Started, a.Env.Now()) {
		sum.Running, sum.PID = true, held.PID
	}
	return sum, nil
}

// state describes a session's state in one word.
func (s summary) state() string {
	switch {
	case s.Status == sessionstate.Complete:
		return string(feed.Done)
	case s.Status == sessionstate.Failed && s.Reason != nil && *s.Reason == sessionstate.ReasonStopped:
		return string(feed.Stopped)
	case s.Status != sessionstate.Running:
		return s.Status
	case s.Paused:
		return "paused"
	case !s.Running:
		return "interrupted"
	}
	return "running"
}

func list(a *app.App) *cobra.Command {
	return a.WithJSON("print them as JSON", &cobra.Command{
		Use: "list", Short: "List the sessions",
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			all, err := documents.ListSessions(d.Store())
			if err != nil {
				return err
			}
			held, err := leases(d)
			if err != nil {
				return err
			}
			var sums []summary
			rows := [][]string{{"SESSION", "STATE", "ITERATIONS", "WHY", "COST", "SINCE"}}
			for _, n := range all {
				s, err := held.summarize(a, d, n)
				if err != nil {
					a.Note("%s: %v", n, err)
					continue
				}
				why := s.Why
				if s.Reason != nil {
					why = strings.TrimSuffix(*s.Reason+": "+why, ": ")
				} else if s.Stage != "" {
					why = "in " + s.Stage
				}
				sums = append(sums, s)
				rows = append(rows, []string{s.Name, s.state(), fmt.Sprint(s.Iteration), text.ClipRunes(text.OneLine(why), 60), s.Cost, render.Seconds(s.StartedAt)})
			}
			return app.ShowList(a, sums, rows, `There are no sessions. warp loop NAME "what to do" starts one.`)
		}),
	})
}

// holders maps session names to their leases.
type holders map[string]durable.LeaseFile

func leases(d *turnstile.Drive) (holders, error) {
	all, err := d.Store().Leases()
	h := holders{}
	for _, l := range all {
		h[l.Session] = l
	}
	return h, err
}

// lease returns the lease on a session's name, or nil.
func lease(d *turnstile.Drive, name string) (*durable.LeaseFile, error) {
	all, err := leases(d)
	if l, ok := all[name]; ok {
		return &l, err
	}
	return nil, err
}

// New returns the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "sessions",
		Short: "Show, follow, stop and resume sessions: loops and pipelines",
		Long: `Show, follow, stop and resume sessions: loops and pipelines.

A session has a folder, .claude/pipeline-runs/NAME, with its state.json, its
progress, and a folder for each stage. warp sessions resume continues a session that was
killed, stopped or paused, or that failed, from the last recorded iteration.`,
		Example: "  warp sessions\n  warp sessions tail auth\n  warp sessions resume auth --max 10\n  warp sessions resume --all",
	}
	l := list(a)
	c.RunE = l.RunE
	c.Flags().AddFlagSet(l.Flags())
	c.AddCommand(l, show(a), tail(a), stop(a), resume(a), remove(a), serve(a))
	return c
}

func folderOf(d *turnstile.Drive, name string) string {
	return filepath.Join(d.Store().Dir(), filepath.FromSlash(sessionstate.Dir(name)))
}

func openState(d *turnstile.Drive, name string) *durable.Doc[sessionstate.State] {
	return session.Open(d.Store(), name)
}

// wantName requires one argument, a session's name.
func wantName(c *cobra.Command, args []string) error {
	if err := app.Exactly(1, "the session's name")(c, args); err != nil {
		return err
	}
	if err := sessionstate.CheckName(args[0]); err != nil {
		return &app.UsageError{Err: err}
	}
	return nil
}

func missing(name string) error {
	return app.WrongUsage("there is no session %q; warp sessions lists them", render.Printable(name))
}
