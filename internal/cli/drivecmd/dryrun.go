package drivecmd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/engine/policy/drive"
	"warp/internal/ui/render"
)

// dryRun shows what a drive would do: each issue, its chunks, the agent, the caps
// and what would be filed.
func (w *workshop) dryRun(ctx context.Context) error {
	issues := w.o.issues
	if len(issues) == 0 {
		issues = []string{""}
	}
	var list []drive.Preview
	var errs []error
	for _, issue := range issues {
		e, err := w.engine(w.drive, issue)
		if err != nil {
			return err
		}
		e.Own = w.o.worktree || w.o.parallel > 1 || len(issues) > 1
		p, err := e.Preview(ctx)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		list = append(list, p)
	}
	if err := w.preview(list, len(issues) > 1); err != nil {
		return err
	}
	return errors.Join(errs...)
}

func (w *workshop) preview(list []drive.Preview, several bool) error {
	switch {
	case w.o.json && several:
		return w.app.JSON(append([]drive.Preview{}, list...))
	case len(list) == 0:
		return nil
	case w.o.json:
		return w.app.JSON(list[0])
	case list[0].Issue == "":
		w.app.Printf("No approved issue can be worked on.\n")
		for _, n := range list[0].Notes {
			w.app.Printf("  %s\n", render.Printable(n))
		}
		return nil
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
	rows := [][]string{
		{"Issue", fmt.Sprintf("#%s %s", p.Issue, p.Title)},
		{"Level", fmt.Sprintf("%d: %s", p.Level, p.Ends)},
		{"Branch", p.Branch},
		{"Agent", strings.Join(p.Agents, ", then ")},
		{"Tests", p.Tests},
		{"Caps", caps(p.Caps.MicroUSD, p.Caps.Tokens, p.Minutes, p.Most)},
	}
	render.Table(a.Out, append([][]string{{"", ""}}, rows...))
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
