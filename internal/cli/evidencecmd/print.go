package evidencecmd

import (
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/mind"
)

// labelWidth is the width of labels.
const labelWidth = 8

func print(s Sheet, a evidence.Account) {
	s.Line(0, Bold, "#"+a.Issue, 0, a.Title)
	s.Line(0, "", "", 0, fmt.Sprintf("%d of %s met", a.Good(), criteria(len(a.Criteria))))
	told := map[string]bool{}
	for _, p := range a.Criteria {
		fmt.Fprintln(s.W)
		printProof(s, p, told)
		told[p.ID] = true
	}
	s.Heading("TOTAL")
	total(s, a)
}

func criteria(n int) string {
	if n == 1 {
		return "1 criterion is"
	}
	return fmt.Sprintf("%d criteria are", n)
}

// printProof prints a criterion. It omits what its chunk shares with one printed before.
func printProof(s Sheet, p evidence.Proof, told map[string]bool) {
	colour := Red
	if p.Met {
		colour = Green
	}
	s.Line(0, colour, p.ID+" "+p.Status.String(), 0, p.Text)
	if p.Why != "" {
		s.Line(2, "", "why", labelWidth, p.Why)
	}
	if p.Kept != "" {
		s.Line(2, "", "kept", labelWidth, p.Kept)
	}
	before := slices.IndexFunc(p.With, func(id string) bool { return told[id] })
	if before < 0 {
		for _, c := range p.Commits {
			s.Line(2, "", "commit", labelWidth, commit(c))
		}
	}
	if v := p.Verdict; v != nil {
		said, colour := "not met", Red
		if v.Met {
			said, colour = "met", Green
		}
		if v.Agent == mind.Name {
			said += " (by a subagent of the session that wrote it)"
		}
		s.Line(2, colour, "verdict", labelWidth, text.JoinNonEmpty(": ", said, v.Reason))
	}
	if before >= 0 {
		s.Line(2, "", "chunk", labelWidth, "commits, gates, tests and cost are those of "+p.With[before])
		return
	}
	gates(s, p.Gates)
	for _, t := range p.Tests {
		tested(s, t)
	}
	if p.Cost.Runs > 0 {
		with := ""
		if len(p.With) > 0 {
			with = "shared with " + strings.Join(p.With, ", ")
		}
		s.Line(2, "", "cost", labelWidth, text.JoinNonEmpty("; ", p.Cost.String(), with))
	}
}

func commit(c evidence.Commit) string {
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

func gates(s Sheet, list []evidence.Gate) {
	for _, g := range evidence.Settled(list) {
		colour := Green
		if !g.Passed {
			colour = Red
		}
		refused := ""
		if g.Refused > 0 {
			refused = fmt.Sprintf("%d× refused before", g.Refused)
		}
		s.Line(2, colour, "gate", labelWidth, text.JoinNonEmpty(", ", g.Gate.Gate+" before "+g.Event+": "+text.JoinNonEmpty(": ", g.Said(), g.Reason), refused, g.Log))
		for line := range strings.Lines(g.Excerpt) {
			s.Line(2+labelWidth+1, "", "|", 0, line)
		}
	}
}

func tested(s Sheet, t evidence.Tested) {
	colour, took := Green, ""
	switch {
	case t.NotRun || t.Red:
		colour = Yellow
	case !t.Passed || len(t.Broke) > 0:
		colour = Red
	}
	if !t.NotRun {
		took = text.Span(t.Seconds)
	}
	failing := t.Broke
	if len(failing) == 0 && (t.Red || !t.Passed) {
		failing = t.Failing
	}
	s.Line(2, colour, "tests", labelWidth, text.JoinNonEmpty(", ", t.Stage+": "+t.Said(), strings.Join(failing, ", "), t.Command, took, t.Log))
}

func total(s Sheet, a evidence.Account) {
	if o := a.Outcome; o != nil {
		colour := Red
		if o.Result.Good() {
			colour = Green
		}
		s.Line(2, colour, "outcome", labelWidth, text.JoinNonEmpty(", ", o.Result.Words(), text.Hash(o.Commit), o.Pull, o.Branch))
		if o.Why != "" {
			s.Line(2, "", "why", labelWidth, o.Why)
		}
		if o.Do != "" {
			s.Line(2, "", "to do", labelWidth, o.Do)
		}
	} else {
		s.Line(2, "", "outcome", labelWidth, "none is recorded")
	}
	for _, c := range a.Commits {
		if len(c.Criteria) == 0 {
			s.Line(2, "", "commit", labelWidth, commit(c))
		}
	}
	gates(s, gatesWithoutCriterion(a))
	for _, t := range a.Tests {
		if !t.OfChunk() {
			tested(s, t)
		}
	}
	s.Line(2, "", "cost", labelWidth, a.Cost.String())
	if a.Contained != "" {
		s.Line(2, "", "sandbox", labelWidth, a.Contained)
	}
	for _, i := range a.Interventions {
		kept := ""
		if i.Kept != "" {
			kept = "kept as " + i.Kept
		}
		s.Line(2, Yellow, "undone", labelWidth, text.JoinNonEmpty(", ", i.What+": "+i.Text, kept))
	}
	for _, d := range a.Decisions {
		s.Line(2, "", "decided", labelWidth, d.Question+" "+answer(d))
	}
	for _, f := range a.Filed {
		number := ""
		if f.Number > 0 {
			number = fmt.Sprintf("#%d", f.Number)
		}
		s.Line(2, "", "filed", labelWidth, text.JoinNonEmpty(" ", f.What, number, f.Title, f.URL))
	}
}

// gatesWithoutCriterion returns the gates of no criterion.
func gatesWithoutCriterion(a evidence.Account) (list []evidence.Gate) {
	shown := map[evidence.Gate]bool{}
	for _, p := range a.Criteria {
		for _, g := range p.Gates {
			shown[g] = true
		}
	}
	for _, g := range a.Gates {
		if !shown[g] {
			list = append(list, g)
		}
	}
	return list
}

func answer(d evidence.Decision) string {
	switch {
	case d.Answer != "" && d.By != "":
		return fmt.Sprintf("→ %s (%s)", d.Answer, d.By)
	case d.Answer != "":
		return "→ " + d.Answer
	}
	return "→ no answer, so what depends on it was not done"
}
