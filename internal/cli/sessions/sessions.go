package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/session"
	"warp/internal/durable"
	engine "warp/internal/engine/session"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// New makes the command.
func New(a *app.App) *cobra.Command {
	c := &cobra.Command{
		Use:   "sessions",
		Short: "Show, follow, stop and go on with sessions: loops and pipelines",
		Long: `Show, follow, stop and go on with sessions: loops and pipelines.

A session has a folder, .claude/pipeline-runs/NAME, with its state.json, its
progress, and a folder for each stage. One that was killed, stopped, paused, or
that failed is gone on with by «resume», from the last iteration that was
recorded.`,
		Example: "  warp sessions\n  warp sessions tail auth\n  warp sessions resume auth --max 10\n  warp sessions resume --all",
		Args:    cobra.NoArgs,
	}
	l := list(a)
	c.RunE = l.RunE
	c.Flags().AddFlagSet(l.Flags())
	c.AddCommand(l, show(a), tail(a), stop(a), resume(a), remove(a), serve(a))
	return c
}

func open(d *turnstile.Drive, name string) *durable.Doc[session.State] {
	return engine.Open(d.Store(), name)
}

// summary is a session in a list.
type summary struct {
	Name      string  `json:"session"`
	Type      string  `json:"type"`
	Status    string  `json:"status"`
	Running   bool    `json:"running"` // a process is at it
	PID       int     `json:"pid,omitempty"`
	Stage     string  `json:"stage,omitempty"`
	Iteration int     `json:"iteration"`
	Reason    *string `json:"completion_reason"`
	Why       string  `json:"why,omitempty"`
	Paused    bool    `json:"paused,omitempty"`
	StartedAt string  `json:"started_at"`
	EndedAt   *string `json:"completed_at"`
	MicroUSD  int64   `json:"micro_usd"`
	Tokens    int64   `json:"tokens"`
}

// names are those of all sessions that have a folder.
func names(d *turnstile.Drive) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(d.Store().Dir(), filepath.FromSlash(session.Folder)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() && session.CheckName(e.Name()) == nil {
			list = append(list, e.Name())
		}
	}
	return list, err
}

func summarize(a *app.App, d *turnstile.Drive, name string) (summary, error) {
	v, err := open(d, name).Read()
	if err != nil {
		return summary{}, err
	}
	a.Notes(v.Notes)
	s := v.Doc
	spent := s.Spent()
	sum := summary{Name: name, Type: s.Type, Status: s.Status, Iteration: s.IterationCompleted, Reason: s.CompletionReason, Why: s.Why, Paused: s.Paused != nil,
		StartedAt: s.StartedAt, EndedAt: s.CompletedAt, MicroUSD: spent.MicroUSD, Tokens: spent.Tokens}
	if st, err := s.Stage(s.CurrentStage); err == nil && s.Type == session.Pipeline {
		sum.Stage = st.Name
	}
	if held, err := lease(d, name); err == nil && held != nil && !held.Stale(hostname(), proc.Started, a.Env.Now()) {
		sum.Running, sum.PID = true, held.PID
	}
	return sum, nil
}

// state is what a session is doing, in a word.
func (s summary) state() string {
	switch {
	case s.Status != session.Running:
		return s.Status
	case s.Paused:
		return "paused"
	case !s.Running:
		return "broken off"
	}
	return "running"
}

func list(a *app.App) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the sessions", Args: cobra.NoArgs,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			all, err := names(d)
			if err != nil {
				return err
			}
			sums := []summary{}
			for _, n := range all {
				s, err := summarize(a, d, n)
				if err != nil {
					a.Notes([]string{fmt.Sprintf("%s: %v", n, err)})
					continue
				}
				sums = append(sums, s)
			}
			if asJSON {
				return a.JSON(sums)
			}
			if len(sums) == 0 {
				a.Printf("There are no sessions. warp loop NAME \"what to do\" begins one.\n")
				return nil
			}
			rows := [][]string{{"SESSION", "STATE", "ITERATIONS", "WHY", "COST", "SINCE"}}
			for _, s := range sums {
				why := s.Why
				if s.Reason != nil {
					why = strings.TrimSuffix(*s.Reason+": "+why, ": ")
				} else if s.Stage != "" {
					why = "in " + s.Stage
				}
				rows = append(rows, []string{s.Name, s.state(), fmt.Sprint(s.Iteration), render.Printable(cut(why, 60)), dollars(s.MicroUSD), s.StartedAt})
			}
			render.Table(a.Out, rows)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return c
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// stop ends a session: its process, or, when there is none, what it left.
func stop(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "stop NAME", Short: "Stop a session; warp sessions resume goes on with it", Args: app.Exactly(1, "the session's name"),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			name := args[0]
			s, err := summarize(a, d, name)
			if durable.IsMissing(err) {
				return missing(name)
			}
			if err != nil {
				return err
			}
			if s.Status != session.Running {
				a.Printf("%s has ended already: %s\n", name, s.state())
				return nil
			}
			if s.Running {
				return interrupt(ctx, a, d, s)
			}
			if _, err := open(d, name).Update(func(tx *durable.Tx[session.State]) error {
				tx.Log("stopped", nil)
				return tx.Doc.End(session.ReasonStopped, "it was stopped", a.Env.Now())
			}); err != nil {
				return err
			}
			a.Printf("%s is stopped; nobody was running it\n", name)
			return nil
		}),
	}
}

// interrupt asks the process of a session to end it, and waits until it has.
func interrupt(ctx context.Context, a *app.App, d *turnstile.Drive, s summary) error {
	p, err := os.FindProcess(s.PID)
	if err == nil {
		err = p.Signal(os.Interrupt)
	}
	if err != nil {
		return fmt.Errorf("stopping %s (process %d): %w", s.Name, s.PID, err)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if held, err := lease(d, s.Name); err == nil && held == nil {
			a.Printf("%s is stopped\n", s.Name)
			return nil
		}
		if _, alive := proc.Started(s.PID); !alive {
			a.Printf("%s is stopped\n", s.Name)
			return nil
		}
	}
}

func missing(name string) error {
	return &app.UsageError{Err: fmt.Errorf("there is no session %q; warp sessions lists them", render.Printable(name))}
}

// resume goes on with a session, or with all that are unfinished, side by side in
// one process.
func resume(a *app.App) *cobra.Command {
	var o Options
	var all bool
	c := &cobra.Command{
		Use:     "resume [NAME]",
		Short:   "Go on with a session that was broken off, stopped or paused, or that failed",
		Example: "  warp sessions resume auth\n  warp sessions resume auth --max 10 --detach\n  warp sessions resume --all",
		Args:    cobra.MaximumNArgs(1),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			if all == (len(args) == 1) {
				return &app.UsageError{Err: errors.New("name the session, or say --all")}
			}
			o.Goes = true
			if !all {
				if _, err := open(d, args[0]).Read(); durable.IsMissing(err) {
					return missing(args[0])
				}
				def, err := load(d, args[0])
				if err != nil {
					return err
				}
				return Start(ctx, a, d, args[0], def, o)
			}
			return together(ctx, a, d, o)
		}),
	}
	c.Flags().BoolVar(&all, "all", false, "all sessions that were broken off")
	c.Flags().IntVar(&o.More, "max", 0, "so many further iterations")
	c.Flags().BoolVar(&o.Detach, "detach", false, "leave it running without a terminal")
	c.Flags().BoolVar(&o.JSON, "json", false, "tell what happens as JSON lines")
	return c
}

// together goes on with every session that was broken off, all at once.
func together(ctx context.Context, a *app.App, d *turnstile.Drive, o Options) error {
	all, err := names(d)
	if err != nil {
		return err
	}
	var mu sync.Mutex
	var errs []error
	var wait sync.WaitGroup
	n := 0
	for _, name := range all {
		s, err := summarize(a, d, name)
		if err != nil || s.state() != "broken off" {
			continue
		}
		def, err := load(d, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		n++
		wait.Go(func() {
			err := Start(ctx, a, d, name, def, Options{Goes: true, JSON: o.JSON, More: o.More})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				errs = append(errs, err)
			}
		})
	}
	wait.Wait()
	if n == 0 && len(errs) == 0 {
		a.Printf("No session was broken off.\n")
	}
	return worst(errs)
}

// worst is the error that says the most of several.
func worst(errs []error) error {
	slices.SortStableFunc(errs, func(x, y error) int { return app.Code(y) - app.Code(x) })
	if len(errs) == 0 {
		return nil
	}
	return errs[0]
}

// remove takes a session away that nobody runs.
func remove(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "rm NAME…", Short: "Remove sessions and all their files", Args: cobra.MinimumNArgs(1),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			for _, name := range args {
				if err := Remove(a, d, name); err != nil {
					return err
				}
				a.Printf("removed: %s\n", name)
			}
			return nil
		}),
	}
}

// Remove takes one session away. Its name is held meanwhile.
func Remove(a *app.App, d *turnstile.Drive, name string) error {
	if err := session.CheckName(name); err != nil {
		return &app.UsageError{Err: err}
	}
	dir := filepath.Join(d.Store().Dir(), filepath.FromSlash(session.Dir(name)))
	if _, err := os.Lstat(dir); errors.Is(err, fs.ErrNotExist) {
		return missing(name)
	}
	stamp, _ := proc.Started(a.Env.PID)
	hold, _, err := d.Store().Acquire(name, durable.Process{PID: a.Env.PID, Stamp: stamp, Host: hostname()}, proc.Started)
	if err != nil {
		return err
	}
	defer func() { _ = hold.Release() }()
	if _, err := open(d, name).Remove(); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// serve is what a detached session's process runs.
func serve(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "serve FILE", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: a.InProject(func(ctx context.Context, d *turnstile.Drive, args []string) error {
			h, err := read(args[0])
			if err != nil {
				return err
			}
			return Start(ctx, a, d, h.Name, h.Definition, Options{More: h.More, Goes: h.Goes})
		}),
	}
}

// lease is who holds a session's name; nil: nobody.
func lease(d *turnstile.Drive, name string) (*durable.LeaseFile, error) {
	all, err := d.Store().Leases()
	for _, l := range all {
		if l.Session == name {
			return &l, err
		}
	}
	return nil, err
}

func hostname() string {
	h, _ := os.Hostname() // then nobody is taken to be elsewhere
	return h
}

// last is the end of a text.
func last(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
