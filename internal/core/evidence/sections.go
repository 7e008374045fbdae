package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// Each of these functions returns the list items of one section.

// proven lists each criterion with its state and the evidence.
func proven(b *Book, s Subject) (items []string) {
	shown := b.provenBy()
	for _, c := range s.Criteria {
		item := fmt.Sprintf("**%s** %s: %s", inline(c.ID), c.status(), cmp.Or(inline(c.Text), "(nothing)"))
		if words := shown[c.ID].Words(); words != "" {
			item += "\n  - " + inline(words)
			if decided := shown[c.ID].Decided; decided != "" {
				item += "; its contract decides: " + inline(decided)
			}
		}
		if v, ok := Last(b.Verdicts, func(v Verdict) bool { return v.ID == c.ID }); ok {
			item += "\n  - " + verdict(v.Row)
		}
		var in []string
		for _, e := range b.Commits {
			if slices.Contains(e.Row.Criteria, c.ID) {
				in = append(in, hash(e.Row.Hash))
			}
		}
		if len(in) > 0 {
			item += "\n  - in " + strings.Join(in, ", ")
		}
		items = append(items, item)
	}
	return items
}

func verdict(v Verdict) string {
	text := "the verifier says it is not met"
	if v.Met {
		text = "the verifier says it is met"
	}
	if v.Reason != "" {
		text += ": " + inline(v.Reason)
	}
	return text
}

func commits(b *Book) (items []string) {
	sum := Commit{}
	for _, e := range b.Commits {
		c := e.Row
		item := fmt.Sprintf("%s %s (%s)", hash(c.Hash), code(c.Subject), c.Size())
		if c.WIP {
			item += ", work in progress"
		}
		items = append(items, item)
		sum.Insertions, sum.Deletions = sum.Insertions+c.Insertions, sum.Deletions+c.Deletions
	}
	if len(items) > 1 {
		items = append(items, "all together: "+fmt.Sprintf("+%d -%d", sum.Insertions, sum.Deletions))
	}
	return items
}

func tests(b *Book) (items []string) {
	for _, e := range b.Tests {
		t := e.Row
		item := code(t.Stage) + ": " + t.Said()
		if t.Command != "" {
			item += ", " + code(t.Command)
		}
		if !t.NotRun {
			item += ", " + text.Span(t.Seconds)
		}
		if failing := t.failing(); len(failing) > 0 {
			item += "\n  - " + codes(failing)
		}
		items = append(items, item)
	}
	return items
}

// failing returns the tests to show for a run that was not green.
func (t Tested) failing() []string {
	switch {
	case len(t.Broke) > 0:
		return t.Broke
	case t.Passed && !t.Red:
		return nil
	}
	return t.Failing
}

// lastFailure returns the failing part of the last test run, or of a later gate, if it failed.
func lastFailure(b *Book) (text string) {
	at := 0
	if n := len(b.Tests); n > 0 {
		if at = b.Tests[n-1].N; !b.Tests[n-1].Row.good() {
			text = b.Tests[n-1].Row.Excerpt
		}
	}
	if n := len(b.Gates); n > 0 && b.Gates[n-1].N >= at && b.Gates[n-1].Row.Excerpt != "" {
		text = b.Gates[n-1].Row.Excerpt
	}
	return text
}

func (t Tested) good() bool { return t.NotRun || len(t.Broke) == 0 && (t.Passed || t.Red) }

// gates lists the last answer of each gate, and how often it refused before.
func gates(b *Book) (items []string) {
	for _, s := range Settled(rows(b.Gates)) {
		g := s.Gate
		item := fmt.Sprintf("%s before %s: %s", code(g.Gate), code(g.Event), g.Said())
		if g.Reason != "" {
			item += ": " + code(g.Reason)
		}
		if s.Refused > 0 {
			item += fmt.Sprintf(" (refused %s before)", times(s.Refused))
		}
		items = append(items, item)
	}
	return items
}

// Settlement is a gate's last answer.
type Settlement struct {
	Gate
	Refused int // how often before
}

// Settled returns the last answer of each gate, in the order in which they first appeared.
func Settled(list []Gate) (out []Settlement) {
	type place struct {
		gate, event string
		chunk       int
	}
	at := map[place]int{}
	for _, g := range list {
		here := place{g.Gate, g.Event, g.Chunk}
		i, there := at[here]
		if !there {
			at[here] = len(out)
			out = append(out, Settlement{Gate: g})
			continue
		}
		if !out[i].Passed {
			out[i].Refused++
		}
		out[i].Gate = g
	}
	return out
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func runs(b *Book) (items []string) {
	for _, e := range b.Runs {
		r := e.Row
		var one Cost
		one.Add(r)
		name := r.Agent
		if r.Model != "" {
			name += " " + r.Model
		}
		item := fmt.Sprintf("%s as %s: %s; cost %s", code(name), code(r.Role), code(r.End), text.JoinNonEmpty(", ", one.Sum(), one.tokens(), text.Span(r.Seconds)))
		if r.Again {
			item += " (asked again)"
		}
		for _, words := range []string{r.Why, r.Summary, r.Unused(), objected(r)} {
			if words != "" {
				item += "\n  - " + code(words)
			}
		}
		items = append(items, item)
	}
	return items
}

func objected(r Run) string {
	if r.Objection == "" {
		return ""
	}
	return "it objects to the verdict: " + r.Objection
}

func interventions(b *Book) (items []string) {
	for _, e := range b.Interventions {
		item := code(e.Row.What) + ": " + code(e.Row.Text)
		if e.Row.Kept != "" {
			item += "; kept as " + code(e.Row.Kept)
		}
		items = append(items, item)
	}
	return items
}

func decisions(b *Book) (items []string) {
	for _, e := range b.Decisions {
		if e.Row.Question == "" {
			items = append(items, answer(e.Row))
			continue
		}
		items = append(items, code(e.Row.Question)+": "+answer(e.Row))
	}
	return items
}

func answer(d Decision) string {
	switch {
	case d.Answer == "":
		return "no answer, so what depends on it was not done"
	case d.IsDefault():
		return code(d.Answer) + ", the default: no answer came in time"
	case d.By != "":
		return code(d.Answer) + ", said " + code(d.By)
	}
	return code(d.Answer)
}

func filed(b *Book) (items []string) {
	for _, e := range b.Filed {
		f := e.Row
		item := code(f.What)
		switch {
		case f.Number > 0:
			item += fmt.Sprintf(" #%d", f.Number)
		case f.URL != "":
			item += " " + link(f.URL)
		}
		if f.Title != "" {
			item += " " + code(f.Title)
		}
		items = append(items, item)
	}
	return items
}

// spent lists the cost and the time taken.
func spent(b *Book, from, to string) []string {
	items := []string{"cost: " + b.Cost(0).String()}
	if took := between(from, to); took != "" {
		items = append(items, fmt.Sprintf("%s from %s to %s", took, code(from), code(to)))
	}
	return items
}
