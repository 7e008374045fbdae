package report

import (
	"fmt"
	"strings"
	"time"

	"warp/internal/cli/evidencecmd"
	"warp/internal/core/drivestate"
	core "warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/ui/render"
)

func budget(s *drivestate.State) (why, do string) {
	return fmt.Sprintf("a budget is spent: %s, in phase %s", strings.Join(s.Budgets.ExceededReasons, ", "), s.Budgets.ExceededFromPhase), core.WayOn(s)
}

func print(s evidencecmd.Sheet, d core.Digest, from time.Time) {
	when := from.Format("2006-01-02 15:04 MST")
	if d.Empty() {
		fmt.Fprintf(s.W, "Nothing has happened since %s.\n", when)
		return
	}
	fmt.Fprintf(s.W, "Since %s: %d done, %d not done, %d waiting for a person.\n", when, len(d.Done), len(d.NotDone), len(d.Waiting))
	if len(d.Done) > 0 {
		s.Heading("DONE")
	}
	for _, i := range d.Done {
		item(s, evidencecmd.Green, i)
		if i.Red != "" {
			fmt.Fprintf(s.W, "  %s\n", render.Printable(strings.ReplaceAll(i.Red, "**", "")))
		}
	}
	if len(d.NotDone) > 0 {
		s.Heading("NOT DONE")
	}
	for _, i := range d.NotDone {
		item(s, evidencecmd.Red, i)
	}
	if len(d.Waiting) > 0 {
		s.Heading("WAITING FOR A PERSON")
	}
	for _, w := range d.Waiting {
		waiting(s, w)
	}
	if len(d.Interventions) > 0 {
		s.Heading("TAKEN BACK")
	}
	for _, i := range d.Interventions {
		text := i.What + ": " + i.Text
		if i.Kept != "" {
			text += ", kept as " + i.Kept
		}
		s.Line(2, "", "#"+i.Issue, 0, text)
	}
	s.Heading("TOTAL")
	s.Line(2, "", "cost", 0, d.Cost.String())
	if d.Contained != "" && d.Contained != "contained" {
		s.Line(2, "", "sandbox", 0, d.Contained+"; warp doctor says how to get a sandbox")
	}
	if d.NoWork != "" {
		s.Line(2, "", "work", 0, "no approved work was found at "+render.Seconds(d.NoWork))
	}
}

func item(s evidencecmd.Sheet, colour string, i core.Item) {
	s.Line(2, colour, "#"+i.Issue, 0, i.Title)
	words := []string{i.Result.Words(), fmt.Sprintf("%d of %d criteria", i.Met, i.Criteria)}
	if i.Commit != "" {
		words = append(words, text.Hash(i.Commit))
	}
	if i.Pull != "" {
		words = append(words, i.Pull)
	}
	if i.Cost.Runs > 0 {
		words = append(words, i.Cost.Money())
	}
	s.Line(4, "", "", 0, strings.Join(words, ", "))
	if i.Why != "" {
		s.Line(4, "", "why:", 0, i.Why)
	}
	if i.Do != "" {
		s.Line(4, "", "do:", 4, i.Do)
	}
}

func waiting(s evidencecmd.Sheet, w core.Waiting) {
	head := map[string]string{"todo": "a decision", "default": "a default was taken", "bug": "given up", "pull": "a pull request", "drive": "a drive"}[w.What]
	if w.Issue != "" {
		head += " for #" + w.Issue
	}
	words := []string{}
	if w.Number > 0 {
		words = append(words, fmt.Sprintf("#%d", w.Number))
	}
	for _, x := range []string{w.Text, w.URL} {
		if x != "" {
			words = append(words, x)
		}
	}
	s.Line(2, evidencecmd.Yellow, head+":", 0, strings.Join(words, " "))
	s.Line(4, "", "do:", 0, w.Do)
}
