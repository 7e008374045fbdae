// Package telemetrycmd is warp telemetry: what the hooks recorded.
package telemetrycmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/lossless"
	"warp/internal/core/telemetry"
	"warp/internal/core/text"
	"warp/internal/hook/logbook"
	"warp/internal/turnstile"
	"warp/internal/ui/render"
)

// part is one kind of record.
type part struct {
	name string
	none string // message if nothing was recorded
	read func(logbook.Book) (any, [][]string, error)
}

var parts = []part{
	{"session", "no session was recorded here yet: hooks record agent sessions (warp init registers them)", session},
	{"agents", "no subagents were recorded", agents},
	{"errors", "no errors were recorded", faults},
	{"metrics", "no session has ended here yet", metrics},
}

// New returns the command.
func New(a *app.App) *cobra.Command {
	return a.WithJSON("print it as JSON", &cobra.Command{
		Use:   "telemetry [session|agents|errors|metrics]",
		Short: "Show what the hooks recorded: the session, its agents and errors, past sessions",
		Long: `Show what the hooks recorded while agents worked in this project: the current
session, subagents and what they found, classified errors, and the figures of
past sessions. Without an argument, all of it.`,
		Example: "  warp telemetry\n  warp telemetry errors --json | jq .summary",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && !slices.Contains(names(), args[0]) {
				return app.WrongUsage("expected one of %s, or nothing", strings.Join(names(), ", "))
			}
			return nil
		},
		ValidArgs: names(),
		RunE: a.InProject(func(_ context.Context, d *turnstile.Drive, args []string) error {
			return show(a, logbook.Open(d.Store(), a.Env.Now), args)
		}),
	})
}

func names() []string {
	var out []string
	for _, p := range parts {
		out = append(out, p.name)
	}
	return out
}

func show(a *app.App, book logbook.Book, args []string) error {
	var all []lossless.Member
	first := true
	for _, p := range parts {
		if len(args) == 1 && args[0] != p.name {
			continue
		}
		value, rows, err := p.read(book)
		if err != nil {
			return fmt.Errorf("reading the record of %s: %w", p.name, err)
		}
		all = append(all, lossless.Member{Key: p.name, Value: lossless.Encode(value, nil)})
		if a.AsJSON {
			continue
		}
		if !first {
			a.Printf("\n")
		}
		first = false
		if len(rows) == 0 {
			rows = [][]string{{p.none}}
		}
		if len(args) == 0 {
			a.Printf("%s\n", strings.ToUpper(p.name))
		}
		render.Table(a.Out, rows)
	}
	if !a.AsJSON {
		return nil
	}
	out := lossless.NewObject(all...)
	if len(args) == 1 {
		out = all[0].Value
	}
	_, err := a.Out.Write(append(lossless.AppendIndent(nil, out), '\n'))
	return err
}

func session(b logbook.Book) (any, [][]string, error) {
	s, err := b.Session("")
	if err != nil || s == nil {
		return nil, nil, err
	}
	rows := [][]string{
		{"session", s.SessionID}, {"started", render.Seconds(s.Started)}, {"branch", s.GitBranch}, {"commit at start", s.GitCommitStart},
		{"folder", s.WorkingDirectory}, {"commands", strings.Join(s.CommandsExecuted, ", ")}, {"agents", fmt.Sprint(s.AgentsSpawned)},
		{"files modified", fmt.Sprintf("%d: %s", len(s.FilesModified), strings.Join(s.FilesModified[:min(len(s.FilesModified), 8)], ", "))},
		{"errors", fmt.Sprintf("%d, %d recovered", s.ErrorsEncountered, s.ErrorsRecovered)},
		{"permissions", fmt.Sprintf("%d asked, %d denied", s.PermissionsAsked, s.PermissionsDenied)},
		{"compactions", fmt.Sprint(s.Compactions)},
	}
	if s.LastError != "" {
		rows = append(rows, []string{"last error", s.LastError})
	}
	if s.Ended != "" {
		rows = append(rows, []string{"ended", render.Seconds(s.Ended) + " (" + s.EndReason + ")"})
	}
	return s, rows, nil
}

func agents(b logbook.Book) (any, [][]string, error) {
	at, err := b.Subagents.ReadActive()
	if err != nil {
		return nil, nil, err
	}
	results, err := b.Subagents.ListResults("")
	if err != nil {
		return nil, nil, err
	}
	var rows [][]string
	for _, x := range at.Agents {
		rows = append(rows, []string{x.ID, x.Type, x.Status, render.Seconds(x.Started), x.Task})
	}
	for _, r := range results {
		rows = append(rows, []string{r.AgentID, r.Type, r.Status, fmt.Sprintf("%ds", r.DurationSeconds), fmt.Sprintf("%s (%s, %s)", r.Task, text.Count(len(r.Findings), "finding"), text.Count(r.Metrics.FilesRead, "file"))})
	}
	if rows != nil {
		rows = append([][]string{{"AGENT", "TYPE", "STATUS", "SINCE/TOOK", "TASK"}}, rows...)
	}
	return struct {
		Active  *telemetry.Agents  `json:"active"`
		Results []telemetry.Result `json:"results"`
	}{at, results}, rows, nil
}

func faults(b logbook.Book) (any, [][]string, error) {
	e, err := b.Errors()
	if err != nil {
		return nil, nil, err
	}
	var rows [][]string
	for _, x := range e.Errors {
		next := "-"
		if x.NextRetry != nil {
			next = render.Seconds(*x.NextRetry)
		}
		rows = append(rows, []string{render.Seconds(x.Timestamp), string(x.Classification), x.Tool, x.Status, fmt.Sprintf("%d/%d", x.RetryCount, x.MaxRetries), next, strings.ReplaceAll(x.Message, "\n", " ")})
	}
	if rows != nil {
		rows = append([][]string{{"TIME", "CLASS", "TOOL", "STATUS", "RETRIES", "NEXT", "MESSAGE"}}, rows...)
	}
	return e, rows, nil
}

func metrics(b logbook.Book) (any, [][]string, error) {
	m, err := b.Metrics()
	if err != nil {
		return nil, nil, err
	}
	var rows [][]string
	for _, s := range m.Sessions {
		covered := "-"
		if s.Quality.CoverageDelta != nil {
			covered = *s.Quality.CoverageDelta
		}
		rows = append(rows, []string{s.Date, s.SessionID, fmt.Sprint(s.DurationMinutes), fmt.Sprintf("%d/%d", s.Agents.Completed, s.Agents.Spawned),
			fmt.Sprintf("%d/%d", s.Quality.IssuesFixed, s.Quality.IssuesFound), covered, fmt.Sprintf("%d (%d recovered)", s.Errors.Total, s.Errors.Recovered), s.EndReason})
	}
	if rows != nil {
		rows = append([][]string{{"DATE", "SESSION", "MINUTES", "AGENTS", "FIXED/FOUND", "COVERAGE", "ERRORS", ""}}, rows...)
	}
	return m, rows, nil
}
