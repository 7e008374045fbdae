package sessions

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/sys/proc"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
	"warp/internal/ui/render"
)

// summary is a session in a list.
type summary struct {
	Name      string  `json:"session"`
	Type      string  `json:"type"`
	Status    string  `json:"status"`
	Running   bool    `json:"running"` // a process runs it
	PID       int     `json:"pid,omitempty"`
	Stage     string  `json:"stage,omitempty"`
	Iteration int     `json:"iteration"`
	Reason    *string `json:"completion_reason"`
	Why       string  `json:"why,omitempty"`
	Paused    bool    `json:"paused,omitempty"`
	StartedAt string  `json:"started_at"`
	EndedAt   *string `json:"completed_at"`
	MicroUSD  *int64  `json:"micro_usd"` // null: not known
	Cost      string  `json:"cost"`
	Tokens    int64   `json:"tokens"`
}

// names are those of all sessions that have a folder.
func names(d *turnstile.Drive) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(d.Store().Dir(), filepath.FromSlash(sessionstate.Folder)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() && sessionstate.CheckName(e.Name()) == nil {
			list = append(list, e.Name())
		}
	}
	return list, err
}

func summarize(a *app.App, d *turnstile.Drive, name string) (summary, error) {
	held, err := leases(d)
	if err != nil {
		return summary{}, err
	}
	return held.summarize(a, d, name)
}

func (l holders) summarize(a *app.App, d *turnstile.Drive, name string) (summary, error) {
	v, err := open(d, name).Read()
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
	if held, ok := l[name]; ok && !held.Stale(hostname(), proc.Started, a.Env.Now()) {
		sum.Running, sum.PID = true, held.PID
	}
	return sum, nil
}

// state is what a session is doing, in a word.
func (s summary) state() string {
	reason := ""
	if s.Reason != nil {
		reason = *s.Reason
	}
	switch {
	case s.Status == sessionstate.Complete:
		return string(feed.Done)
	case s.Status == sessionstate.Failed && reason == sessionstate.ReasonStopped:
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
	var asJSON bool
	c := &cobra.Command{
		Use: "list", Short: "List the sessions", Args: cobra.NoArgs,
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, _ []string) error {
			all, err := names(d)
			if err != nil {
				return err
			}
			held, err := leases(d)
			if err != nil {
				return err
			}
			sums := []summary{}
			for _, n := range all {
				s, err := held.summarize(a, d, n)
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
				a.Printf("There are no sessions. warp loop NAME \"what to do\" starts one.\n")
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
				rows = append(rows, []string{s.Name, s.state(), fmt.Sprint(s.Iteration), text.ClipRunes(text.OneLine(why), 60), s.Cost, render.Seconds(s.StartedAt)})
			}
			render.Table(a.Out, rows)
			return nil
		}),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print them as JSON")
	return c
}

// holders are the names that are held, and by whom.
type holders map[string]durable.LeaseFile

func leases(d *turnstile.Drive) (holders, error) {
	all, err := d.Store().Leases()
	h := holders{}
	for _, l := range all {
		h[l.Session] = l
	}
	return h, err
}

// lease is who holds a session's name; nil: it is free.
func lease(d *turnstile.Drive, name string) (*durable.LeaseFile, error) {
	all, err := leases(d)
	if l, ok := all[name]; ok {
		return &l, err
	}
	return nil, err
}

func hostname() string {
	h, _ := os.Hostname() // unknown: every process is taken to be on this machine
	return h
}
