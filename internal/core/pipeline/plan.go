package pipeline

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// row is a line of a plan; one without a value is left out.
type row struct{ name, value string }

// Plan prints what a loaded pipeline would do, for people.
func Plan(p *Pipeline) string {
	var b strings.Builder
	b.WriteString(text.VisibleLine(cmp.Or(p.Name, p.File)))
	if p.Description != "" {
		b.WriteString(": " + text.VisibleLine(text.FirstLine(p.Description)))
	}
	b.WriteString("\n")
	if most := bounds(p.MaxTime, p.MaxCost, 0); most != "" {
		fmt.Fprintf(&b, "bounds: %s%s\n", most, p.at.named("", "max_time", "max_cost"))
	}
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "command %s: %s%s\n", c.Name, text.VisibleLine(c.Line), p.at.named("", commandsPrefix+c.Name))
	}
	for _, file := range p.Initial {
		fmt.Fprintf(&b, "input %s\n", text.VisibleLine(file))
	}
	for _, i := range p.Order() {
		s := &p.Stages[i]
		fmt.Fprintf(&b, "\n%d %s\n", i, s.ID)
		printRows(&b, "", p.start(s))
		if !s.isChain() {
			printRows(&b, "", s.work())
		}
		for k := range s.chain() {
			sub := &s.Parallel.Stages[k]
			fmt.Fprintf(&b, "  then %s, in each branch\n", sub.ID)
			printRows(&b, "  ", []row{{"reads", reads(sub.Inputs)}, {"loop", sub.Loop}})
			printRows(&b, "  ", sub.work())
		}
	}
	return b.String()
}

func printRows(b *strings.Builder, indent string, rows []row) {
	for _, r := range rows {
		if r.value != "" {
			fmt.Fprintf(b, "  %-9s%s\n", indent+r.name, text.VisibleLine(r.value))
		}
	}
}

// start says when a stage starts, with what, and who does it.
func (p *Pipeline) start(s *Stage) []row {
	starts := "at once"
	if len(s.After) > 0 {
		var ids []string
		for _, a := range s.After {
			ids = append(ids, p.Stages[a].ID)
		}
		starts = "after " + strings.Join(ids, ", ")
	}
	rows := []row{{"starts", starts}, {"reads", reads(s.Inputs)}, {"loop", s.Loop}}
	if s.Parallel == nil {
		return append(rows, row{"agent", whom(s.Agent, s.Model) + s.at.named("", "agent", "model")})
	}
	var all []string
	for _, m := range s.members() {
		one := m.ID + " (" + whom(m.Agent, m.Model) + ")"
		if len(m.Inputs) > 0 {
			one += " reads " + reads(m.Inputs)
		}
		all = append(all, one)
	}
	rows = append(rows, row{"agents", strings.Join(all, ", ")})
	switch j := s.Parallel.Judge; {
	case j != nil:
		rows = append(rows, row{"choice", "by " + whom(j.Agent, j.Model)})
	case s.Parallel.Choose != All:
		rows = append(rows, row{"choice", s.Parallel.Choose})
	}
	return rows
}

// work says what is done in a stage.
func (s *Stage) work() []row {
	when := func(isSaid bool, value string) string {
		if !isSaid {
			return ""
		}
		return value
	}
	most := "at most " + text.Count(s.Runs, "iteration")
	if s.MinIterations > 0 {
		most = fmt.Sprintf("%d to %d iterations", s.MinIterations, s.Runs)
	}
	judge := ""
	if s.Judge != nil {
		judge = whom(s.Judge.Agent, s.Judge.Model)
	}
	limits := bounds(s.MaxTime, s.MaxCost, s.NoProgress)
	return []row{
		{"until", s.Until + s.at.named(" (default)", "until") + "; " + most + s.at.named(" (default)", "runs", "min_iterations")},
		{"judge", judge},
		{"bounds", when(limits != "", limits+s.at.named("", "guardrails.max_runtime_seconds", "guardrails.max_cost", "guardrails.no_progress"))},
		{"delay", when(s.Delay > 0, s.Delay.String())},
		{"context", when(s.Context != "", text.FirstLine(s.Context)+s.at.named("", "context"))},
		{"output", when(s.OutputPath != "", "also in "+s.OutputPath+s.at.named("", "output_path"))},
		{"verify", strings.Join(s.Verify, ", ")},
		{"commit", when(s.Commit, "what each iteration changed")},
		{"output", when(s.MayBeEmpty, "may be empty")},
		{"prompt", text.VisibleLine(text.FirstLine(s.Prompt))},
	}
}

func reads(inputs []Input) string {
	var all []string
	for _, in := range inputs {
		which, what := " (latest)", in.From
		switch {
		case in.Initial:
			which, what = "", "the files given with --input"
		case in.Provider != "":
			what = in.Stage + " of " + in.Provider
		}
		if in.All {
			which = " (all)"
		}
		all = append(all, what+which)
	}
	return strings.Join(all, ", ")
}

func whom(agent, model string) string {
	agent = cmp.Or(agent, "the settings' agent")
	if model != "" {
		agent += ", " + model
	}
	return agent
}

func bounds(time time.Duration, cost int64, noProgress int) string {
	var all []string
	if time > 0 {
		all = append(all, time.String())
	}
	if cost > 0 {
		all = append(all, evidence.Dollars(cost))
	}
	if noProgress > 0 {
		all = append(all, text.Count(noProgress, "iteration")+" without a change")
	}
	return strings.Join(all, ", ")
}
