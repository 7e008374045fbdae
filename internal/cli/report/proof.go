package report

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/mind"
)

const labelWidth = 8

func printEvidence(s sheet, a evidence.Account) {
	s.line(0, bold, "#"+a.Issue, 0, a.Title)
	s.line(0, "", "", 0, fmt.Sprintf("%d of %s met", a.Good(), countCriteria(len(a.Criteria))))
	told := map[string]bool{}
	for _, p := range a.Criteria {
		fmt.Fprintln(s.W)
		printProof(s, p, told)
		told[p.ID] = true
	}
	s.heading("TOTAL")
	printEvidenceTotal(s, a)
}

func countCriteria(n int) string {
	if n == 1 {
		return "1 criterion is"
	}
	return fmt.Sprintf("%d criteria are", n)
}

// printProof prints a criterion. It omits what its chunk shares with one printed before.
func printProof(s sheet, p evidence.Proof, told map[string]bool) {
	colour := red
	if p.Met {
		colour = green
	}
	s.line(0, colour, p.ID+" "+p.Status.String(), 0, p.Text)
	s.fact("why", p.Why)
	s.fact("kept", p.Kept)
	before := slices.IndexFunc(p.With, func(id string) bool { return told[id] })
	if before < 0 {
		for _, c := range p.Commits {
			s.line(2, "", "commit", labelWidth, commitText(c))
		}
	}
	for _, v := range p.Earlier {
		said, _ := verdictText(v)
		s.line(2, "", "before", labelWidth, said)
	}
	if before < 0 {
		for _, words := range p.Objections {
			s.line(2, "", "objects", labelWidth, words)
		}
	}
	if p.Verdict != nil {
		said, colour := verdictText(*p.Verdict)
		s.line(2, colour, "verdict", labelWidth, said)
	}
	printProven(s, p.Proven)
	if before >= 0 {
		s.line(2, "", "chunk", labelWidth, "commits, gates, tests and cost are those of "+p.With[before])
		return
	}
	printGates(s, p.Gates)
	for i, t := range p.Tests {
		if t.Reused && i > 0 && len(p.Tests[i-1].With) > 0 {
			continue // the same run, of the commit that has the checks
		}
		printTested(s, t)
	}
	if p.Cost.Runs > 0 {
		with := ""
		if len(p.With) > 0 {
			with = "shared with " + strings.Join(p.With, ", ")
		}
		s.line(2, "", "cost", labelWidth, text.JoinNonEmpty("; ", p.Cost.String(), with))
	}
}

// printProven prints how far a test that somebody else wrote proves a criterion.
func printProven(s sheet, p *evidence.Proven) {
	if p == nil {
		return
	}
	colour := ""
	switch p.How {
	case evidence.ByCheck, evidence.ByKeeping, evidence.BeforeWork:
		colour = green
	case evidence.NotMet:
		colour = red
	}
	s.line(2, colour, "proof", labelWidth, p.Words())
	s.fact("test", p.File)
	s.fact("contract", p.Contract)
	s.fact("decides", p.Decided)
}

func verdictText(v evidence.Verdict) (said, colour string) {
	said, colour = "not met", red
	if v.Met {
		said, colour = "met", green
	}
	if v.Agent == mind.Name {
		said += " (by a subagent of the session that wrote it)"
	}
	return text.JoinNonEmpty(": ", said, v.Reason), colour
}

// fact prints a property unless it is empty.
func (s sheet) fact(label, words string) {
	if words != "" {
		s.line(2, "", label, labelWidth, words)
	}
}

func commitText(c evidence.Commit) string {
	hash := text.Hash(c.Hash)
	if c.Subject == "" {
		return hash
	}
	text := fmt.Sprintf("%s %s (%s)", hash, c.Subject, c.Size())
	if c.WIP {
		text += ", work in progress"
	}
	return text
}

func printGates(s sheet, list []evidence.Gate) {
	for _, g := range evidence.Settled(list) {
		colour := green
		if !g.Passed {
			colour = red
		}
		refused := ""
		if g.Refused > 0 {
			refused = fmt.Sprintf("%d× refused before", g.Refused)
		}
		s.line(2, colour, "gate", labelWidth, text.JoinNonEmpty(", ", g.Gate.Gate+" before "+g.Event+": "+text.JoinNonEmpty(": ", g.Said(), g.Reason), refused, g.Log))
		for line := range strings.Lines(g.Excerpt) {
			s.line(2+labelWidth+1, "", "|", 0, line)
		}
	}
}

func printTested(s sheet, t evidence.Tested) {
	colour, took := green, ""
	switch {
	case t.NotRun || t.Red:
		colour = yellow
	case !t.Passed || len(t.Broke) > 0:
		colour = red
	}
	if !t.NotRun {
		took = text.Span(t.Seconds)
	}
	failing := t.Broke
	if len(failing) == 0 && (t.Red || !t.Passed) {
		failing = t.Failing
	}
	s.line(2, colour, "tests", labelWidth, text.JoinNonEmpty(", ", t.Stage+": "+t.Said(), strings.Join(failing, ", "), t.Command, took, t.Log))
}

func printEvidenceTotal(s sheet, a evidence.Account) {
	if o := a.Outcome; o != nil {
		colour := red
		if o.Result.Good() {
			colour = green
		}
		s.line(2, colour, "outcome", labelWidth, text.JoinNonEmpty(", ", o.Result.Words(), text.Hash(o.Commit), o.Pull, o.Branch))
		s.fact("why", o.Why)
		s.fact("to do", o.Do)
	} else {
		s.line(2, "", "outcome", labelWidth, "none is recorded")
	}
	for _, c := range a.Commits {
		if len(c.Criteria) == 0 {
			s.line(2, "", "commit", labelWidth, commitText(c))
		}
	}
	printGates(s, gatesWithoutCriterion(a))
	for _, t := range a.Tests {
		if !t.OfChunk() {
			printTested(s, t)
		}
	}
	s.line(2, "", "cost", labelWidth, a.Cost.String())
	s.fact("sandbox", a.Contained)
	for _, i := range a.Interventions {
		kept := ""
		if i.Kept != "" {
			kept = "kept as " + i.Kept
		}
		s.line(2, yellow, "undone", labelWidth, text.JoinNonEmpty(", ", i.What+": "+i.Text, kept))
	}
	for _, u := range a.Unasked {
		s.line(2, yellow, "unasked", labelWidth, u.Words())
	}
	for _, words := range a.Unused {
		s.line(2, yellow, "unused", labelWidth, "the answer of "+words)
	}
	for _, d := range a.Decisions {
		s.line(2, "", "decided", labelWidth, d.Question+" "+answerText(d))
	}
	for _, f := range a.Filed {
		number := ""
		if f.Number > 0 {
			number = fmt.Sprintf("#%d", f.Number)
		}
		s.line(2, "", "filed", labelWidth, text.JoinNonEmpty(" ", f.What, number, f.Title, f.URL))
	}
}

func gatesWithoutCriterion(a evidence.Account) []evidence.Gate {
	return slices.DeleteFunc(slices.Clone(a.Gates), func(g evidence.Gate) bool {
		return slices.ContainsFunc(a.Criteria, func(p evidence.Proof) bool { return slices.Contains(p.Gates, g) })
	})
}

func answerText(d evidence.Decision) string {
	switch {
	case d.Answer != "" && d.By != "":
		return fmt.Sprintf("→ %s (%s)", d.Answer, d.By)
	case d.Answer != "":
		return "→ " + d.Answer
	}
	return "→ no answer, so what depends on it was not done"
}
