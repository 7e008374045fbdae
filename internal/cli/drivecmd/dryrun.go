package drivecmd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"warp/internal/cli/app"
	"warp/internal/core/evidence"
	"warp/internal/core/nightreport"
	"warp/internal/core/text"
	"warp/internal/engine/agent"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/render"
)

// dryRun shows what a drive would do: the plan of the night, or of the named issues. It fails if
// the drive would refuse.
func dryRun(ctx context.Context, m *engines) error {
	plan, refused, err := m.lookAhead(ctx)
	if err != nil || refused != nil {
		return exitError(refused, err)
	}
	m.app.Notes(m.settings.Warnings)
	driven, _ := nightreport.Split(plan)
	issues := m.o.issues
	switch {
	case len(issues) == 0 && (len(driven) != 1 || driven[0].Follows != ""):
		return dryNight(m, plan)
	case len(issues) == 0:
		issues = []string{driven[0].Number}
	}
	var previews []drive.Preview
	var ends []evidence.Outcome
	var errs []error
	for _, issue := range issues {
		e, err := m.makeEngine(m.drive, issue)
		if err != nil {
			return err
		}
		e.Own = m.o.worktree || m.o.parallel > 1 || len(issues) > 1 || hasPlace(m.drive, m.o.onlyIssue(m.drive, driven))
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
	if err := showPreviews(m.app, m.o, previews, len(issues) > 1); err != nil {
		return err
	}
	if !m.o.json {
		showPassed(m.app, plan)
	}
	return exitError(ends, errors.Join(errs...))
}

type plannedNight struct {
	Issues   []nightreport.Issue  `json:"issues"`
	Level    int                  `json:"level"`
	Agents   []string             `json:"agents"`
	Tests    string               `json:"tests"`
	Estimate nightreport.Estimate `json:"estimate"`
	Caps     agent.Budget         `json:"caps"`
	Minutes  int                  `json:"minutes"`
}

// dryNight shows the plan for several issues, or for none.
func dryNight(m *engines, plan []nightreport.Issue) error {
	e, err := m.makeEngine(m.drive, "")
	if err != nil {
		return err
	}
	past, err := e.History()
	if err != nil {
		return err
	}
	driven, _ := nightreport.Split(plan)
	criteria := 0
	for _, i := range driven {
		criteria += i.Criteria
	}
	estimate := nightreport.Predict(past, criteria, m.o.parallel)
	p, err := e.Outline()
	if err != nil {
		return err
	}
	if m.o.json {
		return errors.Join(m.app.JSON(plannedNight{append([]nightreport.Issue{}, plan...), p.Level, p.Agents, p.Tests, estimate, p.Caps, p.Minutes}), refuseNone(plan))
	}
	if len(driven) == 0 {
		m.app.Printf("No approved issue can be worked on. Approve one with warp issue approve NUMBER, or write one with warp issue new.\n")
		showPassed(m.app, plan)
		return refuseNone(plan)
	}
	m.app.Printf("A dry run changes nothing. warp drive would drive %s, each in a separate work tree:\n\n", text.Count(len(driven), "issue"))
	var rows [][]string
	for _, i := range driven {
		after := ""
		if len(i.After) > 0 {
			after = "after #" + strings.Join(i.After, ", #")
		}
		todo := text.Count(i.Criteria, "criterion")
		if i.Follows != "" {
			todo = "follows " + i.Follows
		}
		rows = append(rows, []string{"#" + i.Number, i.Title, todo, after})
	}
	render.Table(m.app.Out, rows)
	showPassed(m.app, plan)
	m.app.Printf("\n")
	render.Table(m.app.Out, [][]string{
		{"Level", fmt.Sprintf("%d: %s", p.Level, p.Ends)},
		{"Agent", strings.Join(p.Agents, ", then ")},
		{"Tests", p.Tests},
		{"Estimate", describeEstimate(estimate)},
		{"Caps", formatCaps(m.spending.describeMoney(), m.spending.tokens, " for all", m.spending.time, p.Minutes, p.Most) + " each"},
	})
	return nil
}

// refuseNone returns the exit code of warp drive if all approved issues are passed over.
func refuseNone(plan []nightreport.Issue) error {
	if driven, passed := nightreport.Split(plan); len(driven) == 0 && len(passed) > 0 {
		return &app.Silent{Code: app.Human}
	}
	return nil
}

// describeEstimate formats an estimate and what it is based on.
func describeEstimate(e nightreport.Estimate) string {
	if !e.Known() {
		return "unknown: nothing was merged here yet"
	}
	return fmt.Sprintf("%s to %s, %s to %s (from %s with %s merged here)", evidence.Dollars(e.Low), evidence.Dollars(e.High),
		text.Span(e.Shortest.Seconds()), text.Span(e.Longest.Seconds()), text.Count(e.Requirements, "issue"), text.Count(e.Criteria, "criterion"))
}

// showPassed lists the issues that are passed over, and what to do about them.
func showPassed(a *app.App, plan []nightreport.Issue) {
	_, passed := nightreport.Split(plan)
	if len(passed) > 0 {
		a.Printf("\nPassed over:\n")
	}
	for _, i := range passed {
		a.Printf("  #%s %s: %s\n      %s\n", i.Number, render.Printable(i.Title), render.Printable(i.Passed), i.Do)
	}
}

func showPreviews(a *app.App, o options, list []drive.Preview, several bool) error {
	switch {
	case o.json && several:
		return a.JSON(append([]drive.Preview{}, list...))
	case len(list) == 0:
		return nil
	case o.json:
		return a.JSON(list[0])
	}
	a.Printf("A dry run changes nothing. warp drive would:\n")
	for _, p := range list {
		showPreview(a, p, o.maxTime)
	}
	return nil
}

func showPreview(a *app.App, p drive.Preview, all time.Duration) {
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
		{"Estimate", describeEstimate(nightreport.Predict(p.Past, criteria, 1))},
		{"Caps", formatCaps(describeMoney(p.Caps.MicroUSD), p.Caps.Tokens, "", all, p.Minutes, p.Most)},
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

// formatCaps formats the limits; whose says what the tokens are for, and all is the time of the
// whole command, if it is limited.
func formatCaps(money string, tokens int64, whose string, all time.Duration, minutes, chunks int) string {
	if tokens > 0 {
		money += fmt.Sprintf(", %d tokens%s", tokens, whose)
	}
	if all > 0 {
		money += ", " + text.Span(all.Seconds()) + " for all"
	}
	return fmt.Sprintf("%s, %s, %s", money, text.Count(minutes, "minute"), text.Count(chunks, "chunk"))
}

func describeMoney(micro int64) string {
	if micro == 0 {
		return "no limit in dollars (--max-cost)"
	}
	return evidence.Dollars(micro)
}

// describeMoney is the bound in dollars, and whether it is for all drives or for each.
func (s *spending) describeMoney() string {
	if s.cost > 0 {
		return describeMoney(s.cost) + " for all"
	}
	return describeMoney(s.each)
}
