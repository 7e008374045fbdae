// Package cost is warp cost: the tokens and money that agents used.
package cost

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warp/internal/cli/app"
	"warp/internal/core/tokens"
	"warp/internal/engine/usage"
	"warp/internal/turnstile"
	"warp/internal/ui/feed"
)

// options are the command line flags.
type options struct {
	by, since, project string
	all, asCSV         bool
}

// New returns the command.
func New(a *app.App) *cobra.Command {
	var o options
	c := a.WithJSON("print it as JSON", &cobra.Command{
		Use:   "cost",
		Short: "Show the tokens and money that agents used",
		Long: `Show the tokens and money that agents used: a line for each issue, session and workflow
(or chunk, phase, role, model, day, session, project), the total, the last seven days
compared with the seven before, the cost per merged criterion, and the share of the
tests that coders do not see.

The figures come from three places: the journals, with every run of drives, loops,
pipelines and workflows of any agent; Claude Code's transcripts, each byte of which is
read once; and ~/.claude/token-usage.jsonl, which keeps what the others have lost. Usage
found in two of them counts once. The network is not used.

Dollars are what the agent reported, else list prices; ~/.claude/prices.json
overrides and extends these. Usage of a model without a price is listed as unknown
cost.`,
		Example: `  warp cost
  warp cost --by day --since 7d
  warp cost --by model --all
  warp cost --by chunk --csv > chunks.csv
  warp cost --json | jq '.total.cost_usd'`,
		RunE: app.Run(func(ctx context.Context, _ []string) error { return run(ctx, a, o) }),
	})
	f := c.Flags()
	f.StringVar(&o.by, "by", string(tokens.ByIssue), "a line for each "+names())
	f.StringVar(&o.since, "since", "", "start: today, yesterday, 24h, 7d, 2026-11-14, or a time; default: everything")
	f.StringVar(&o.project, "project", ".", "a folder of the project")
	f.BoolVar(&o.all, "all", false, "all projects on this machine")
	f.BoolVar(&o.asCSV, "csv", false, "print the lines as CSV")
	_ = c.RegisterFlagCompletionFunc("by", cobra.FixedCompletions(bys(), cobra.ShellCompDirectiveNoFileComp)) // it exists
	return c
}

func bys() (list []string) {
	for _, by := range tokens.Bys {
		list = append(list, string(by))
	}
	return list
}

func names() string { return strings.Join(bys(), "|") }

func (o options) check(a *app.App) (from time.Time, err error) {
	switch {
	case !slices.Contains(tokens.Bys, tokens.By(o.by)):
		err = fmt.Errorf("--by %q: it can be %s", o.by, names())
	case a.AsJSON && o.asCSV:
		err = errors.New("--json and --csv cannot be combined")
	case o.all && o.project != ".":
		err = errors.New("--all and --project cannot be combined")
	case o.since != "":
		from, err = app.ParseMoment(o.since, a.Env.Now())
	}
	if err != nil {
		return from, &app.UsageError{Err: err}
	}
	return from, nil
}

func run(ctx context.Context, a *app.App, o options) error {
	from, err := o.check(a)
	if err != nil {
		return err
	}
	l, err := Ledger(a)
	if err != nil {
		return err
	}
	d, err := o.drive(a)
	if err != nil {
		return err
	}
	s := sheet{by: tokens.By(o.by), since: o.since, prices: l.Prices, now: a.Env.Now(), columns: columns(a), terminal: a.Color}
	var p *usage.Project
	if d != nil {
		if p, err = l.Open(d, a.Env); err != nil {
			return err
		}
		s.project = p.Root
	}
	if o.all {
		s.project = ""
		s.entries, err = l.Everything(ctx, p)
	} else if s.entries, err = l.Used(ctx, p); err == nil {
		err = s.criteria(a, d, p)
	}
	if err != nil {
		return err
	}
	s.from = from
	switch {
	case a.AsJSON:
		return a.JSON(s.json())
	case o.asCSV:
		return s.csv(a.Out)
	}
	s.print(a.Out)
	return nil
}

// drive returns the drive of the chosen project; nil with --all outside of any.
func (o options) drive(a *app.App) (*turnstile.Drive, error) {
	if o.project != "." {
		return a.At(o.project)
	}
	d, err := a.Project()
	if o.all && errors.Is(err, app.ErrNoProject) {
		return nil, nil
	}
	return d, err
}

// criteria finds out what was merged.
func (s *sheet) criteria(a *app.App, d *turnstile.Drive, p *usage.Project) error {
	r, err := feed.Read(d, a.Env)
	if err != nil {
		return err
	}
	a.Notes(r.Notes)
	for i := range s.entries {
		s.entries[i].Work = r.WorkName(s.entries[i].Work)
	}
	merged := p.Merged()
	for _, e := range r.Book.Outcomes {
		if e.Row.Result.Good() && e.Row.Issue != "" {
			merged = append(merged, e.Row.Issue)
		}
	}
	slices.Sort(merged)
	for _, issue := range slices.Compact(merged) {
		s.merged = append(s.merged, issue)
		account := r.Book.Account(issue)
		s.met += account.Good()
	}
	return nil
}
