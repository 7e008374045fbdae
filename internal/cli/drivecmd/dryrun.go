package drivecmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/account"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/render"
)

// dryRun shows what a drive would do: the plan of the night, or the issues that were
// named. It fails where the drive would refuse.
func (w *workshop) dryRun(ctx context.Context) error {
	plan, refused, err := w.lookAhead(ctx)
	if err != nil || refused != nil {
		return w.exitError(list(refused), err)
	}
	driven, _ := account.Split(plan)
	issues := w.o.issues
	switch {
	case len(issues) == 0 && (len(driven) != 1 || driven[0].Follows != ""):
		return w.dryNight(ctx, plan)
	case len(issues) == 0:
		issues = []string{driven[0].Number}
	}
	var previews []drive.Preview
	var ends []evidence.Outcome
	var errs []error
	for _, issue := range issues {
		e, err := w.engine(w.drive, issue)
		if err != nil {
			return err
		}
		e.Own = w.o.worktree || w.o.parallel > 1 || len(issues) > 1 || w.hasPlace(driven)
		if o := e.Fit(ctx); o != nil {
			ends = append(ends, *o)
			continue
		}
		p, err := e.Preview(ctx)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		previews = append(previews, p)
	}
	if err := w.preview(previews, len(issues) > 1); err != nil {
		return err
	}
	if !w.o.json {
		w.showPassed(plan)
	}
	return w.exitError(ends, errors.Join(errs...))
}

// plannedNight is the plan of a night as JSON.
type plannedNight struct {
	Issues   []account.Issue  `json:"issues"`
	Level    int              `json:"level"`
	Agents   []string         `json:"agents"`
	Tests    string           `json:"tests"`
	Estimate account.Estimate `json:"estimate"`
	Caps     agent.Budget     `json:"caps"`
	Minutes  int              `json:"minutes"`
}

// dryNight shows a night of several issues, or of none.
func (w *workshop) dryNight(ctx context.Context, plan []account.Issue) error {
	e, err := w.engine(w.drive, "")
	if err != nil {
		return err
	}
	past, err := e.History()
	if err != nil {
		return err
	}
	driven, _ := account.Split(plan)
	estimate := account.Predict(past, countCriteria(driven), w.o.parallel)
	p, err := e.Outline()
	if err != nil {
		return err
	}
	if w.o.json {
		return w.app.JSON(plannedNight{append([]account.Issue{}, plan...), p.Level, p.Agents, p.Tests, estimate, p.Caps, p.Minutes})
	}
	if len(driven) == 0 {
		w.app.Printf("No approved issue can be worked on. Approve one with warp issue approve NUMBER, or write one with warp issue new.\n")
		w.showPassed(plan)
		return nil
	}
	w.app.Printf("A dry run changes nothing. warp drive would drive %s, each in a separate work tree:\n\n", text.Count(len(driven), "issue"))
	var rows [][]string
	for _, i := range driven {
		after := ""
		if len(i.After) > 0 {
			after = "after #" + strings.Join(i.After, ", #")
		}
		todo := countOf(i.Criteria, "criterion", "criteria")
		if i.Follows != "" {
			todo = "follows " + i.Follows
		}
		rows = append(rows, []string{"#" + i.Number, i.Title, todo, after})
	}
	render.Table(w.app.Out, rows)
	w.showPassed(plan)
	w.app.Printf("\n")
	render.Table(w.app.Out, [][]string{
		{"Level", fmt.Sprintf("%d: %s", p.Level, p.Ends)},
		{"Agent", strings.Join(p.Agents, ", then ")},
		{"Tests", p.Tests},
		{"Estimate", describeEstimate(estimate)},
		{"Caps", caps(p.Caps.MicroUSD, p.Caps.Tokens, p.Minutes, p.Most) + " each"},
	})
	return nil
}

func countOf(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func countCriteria(list []account.Issue) (n int) {
	for _, i := range list {
		n += i.Criteria
	}
	return n
}

// describeEstimate says what a night will probably take, and how that is known.
func describeEstimate(e account.Estimate) string {
	if !e.Known() {
		return "unknown: nothing was merged here yet"
	}
	return fmt.Sprintf("%s to %s, %s to %s (from %s with %s merged here)", evidence.Dollars(e.Low), evidence.Dollars(e.High),
		evidence.Span(e.Shortest.Seconds()), evidence.Span(e.Longest.Seconds()), text.Count(e.Requirements, "issue"), countOf(e.Criteria, "criterion", "criteria"))
}

// showPassed shows what is passed over, and what to do about it.
func (w *workshop) showPassed(plan []account.Issue) {
	_, passed := account.Split(plan)
	if len(passed) > 0 {
		w.app.Printf("\nPassed over:\n")
	}
	for _, i := range passed {
		w.app.Printf("  #%s %s: %s\n      %s\n", i.Number, render.Printable(i.Title), render.Printable(i.Passed), i.Do)
	}
}

func (w *workshop) preview(list []drive.Preview, several bool) error {
	switch {
	case w.o.json && several:
		return w.app.JSON(append([]drive.Preview{}, list...))
	case len(list) == 0:
		return nil
	case w.o.json:
		return w.app.JSON(list[0])
	}
	w.app.Printf("A dry run changes nothing. warp drive would:\n")
	for _, p := range list {
		w.show(p)
	}
	return nil
}

func (w *workshop) show(p drive.Preview) {
	a := w.app
	a.Printf("\n")
	criteria := 0
	for _, c := range p.Plan {
		criteria += len(c.IDs)
	}
	rows := [][]string{
		{"Issue", fmt.Sprintf("#%s %s", p.Issue, p.Title)},
		{"Level", fmt.Sprintf("%d: %s", p.Level, p.Ends)},
		{"Branch", p.Branch},
		{"Agent", strings.Join(p.Agents, ", then ")},
		{"Tests", p.Tests},
		{"Estimate", describeEstimate(account.Predict(p.Past, criteria, 1))},
		{"Caps", caps(p.Caps.MicroUSD, p.Caps.Tokens, p.Minutes, p.Most)},
	}
	render.Table(a.Out, rows)
	a.Printf("\nChunks:\n")
	for i, c := range p.Plan {
		a.Printf("  %d. %s\n", i+1, strings.Join(c.IDs, ", "))
		for _, t := range c.Texts {
			a.Printf("     %s\n", render.Printable(t))
		}
	}
	a.Printf("\nFiled along the way:\n")
	for _, f := range p.Files {
		a.Printf("  %s\n", f)
	}
	for _, n := range p.Notes {
		a.Printf("note: %s\n", render.Printable(n))
	}
}

func caps(micro, tokens int64, minutes, chunks int) string {
	money := "no limit in dollars (--max-cost)"
	if micro > 0 {
		money = evidence.Dollars(micro)
	}
	if tokens > 0 {
		money += fmt.Sprintf(", %d tokens", tokens)
	}
	return fmt.Sprintf("%s, %d minutes, %d chunks", money, minutes, chunks)
}
