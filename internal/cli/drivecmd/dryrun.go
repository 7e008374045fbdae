package drivecmd

import (
	"context"
	"fmt"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/ui/render"
)

// dryRun shows what a drive would do: the issue, its chunks, the agent, the caps
// and what would be filed.
func (w *workshop) dryRun(ctx context.Context) error {
	e, err := w.engine(w.drive, w.o.first())
	if err != nil {
		return err
	}
	p, err := e.Preview(ctx)
	if err != nil {
		return err
	}
	if w.o.json {
		return w.app.JSON(p)
	}
	a := w.app
	if p.Issue == "" {
		a.Printf("Nothing is approved that could be worked on.\n")
		for _, n := range p.Notes {
			a.Printf("  %s\n", render.Printable(n))
		}
		return nil
	}
	a.Printf("Nothing is changed by a dry run. warp drive would:\n\n")
	rows := [][]string{
		{"Issue", fmt.Sprintf("#%s %s", p.Issue, p.Title)},
		{"Level", fmt.Sprintf("%d: %s", p.Level, p.Ends)},
		{"Branch", p.Branch},
		{"Agent", strings.Join(p.Agents, ", then ")},
		{"Tests", p.Tests},
		{"Caps", caps(p.Caps.MicroUSD, p.Caps.Tokens, p.Minutes, p.Chunks())},
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
	return nil
}

func caps(micro, tokens int64, minutes, chunks int) string {
	money := "no bound in dollars (--max-cost)"
	if micro > 0 {
		money = evidence.Dollars(micro)
	}
	if tokens > 0 {
		money += fmt.Sprintf(", %d tokens", tokens)
	}
	return fmt.Sprintf("%s, %d minutes, %d chunks", money, minutes, chunks)
}
