package pipeline

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

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
		fmt.Fprintf(&b, "command %s: %s%s\n", c.Name, text.VisibleLine(c.Line), p.at.named(p.at.named("", "commands"), commandsPrefix+c.Name))
	}
	for _, file := range p.Initial {
		fmt.Fprintf(&b, "input %s\n", text.VisibleLine(file))
	}
	for _, i := range p.Order() {
		p.stage(&b, i)
	}
	return b.String()
}

func (p *Pipeline) stage(b *strings.Builder, i int) {
	s := &p.Stages[i]
	fmt.Fprintf(b, "\n%d %s\n", i, s.ID)
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(b, "  %-9s%s\n", name, text.VisibleLine(value))
		}
	}
	row("starts", p.starts(s))
	row("reads", reads(s.Inputs))
	row("loop", s.Loop)
	if s.Parallel == nil {
		row("agent", whom(s.Agent, s.Model)+s.at.named("", "agent", "model"))
	} else {
		s.branches(row)
	}
	if s.isChain() {
		for k := range s.Parallel.Stages {
			sub := &s.Parallel.Stages[k]
			fmt.Fprintf(b, "  then %s, in each branch\n", sub.ID)
			sub.does(func(name, value string) { row("  "+name, value) })
		}
		return
	}
	s.does(row)
}

// branches prints who does a parallel stage, and what goes downstream.
func (s *Stage) branches(row func(name, value string)) {
	var all []string
	for _, m := range s.Parallel.Agents {
		one := m.ID + " (" + whom(m.Agent, m.Model) + ")"
		if len(m.Inputs) > 0 {
			one += " reads " + reads(m.Inputs)
		}
		all = append(all, one)
	}
	row("agents", strings.Join(all, ", "))
	switch j := s.Parallel.Judge; {
	case j != nil:
		row("choice", "by "+whom(j.Agent, j.Model))
	case s.Parallel.Choose != All:
		row("choice", s.Parallel.Choose)
	}
}

// does prints what is done in a stage.
func (s *Stage) does(row func(name, value string)) {
	if s.inBranch {
		row("reads", reads(s.Inputs))
		row("loop", s.Loop)
	}
	row("until", fmt.Sprintf("%s%s; %s%s", s.Until, s.at.named(" (default)", "until"), iterations(s), s.at.named(" (default)", "runs", "min_iterations")))
	if s.Judge != nil {
		row("judge", whom(s.Judge.Agent, s.Judge.Model))
	}
	if most := bounds(s.MaxTime, s.MaxCost, s.NoProgress); most != "" {
		row("bounds", most+s.at.named("", "guardrails.max_runtime_seconds", "guardrails.max_cost", "guardrails.no_progress"))
	}
	if s.Delay > 0 {
		row("delay", s.Delay.String())
	}
	if s.Context != "" {
		row("context", text.FirstLine(s.Context)+s.at.named("", "context"))
	}
	if s.OutputPath != "" {
		row("output", "also in "+s.OutputPath+s.at.named("", "output_path"))
	}
	row("verify", strings.Join(s.Verify, ", "))
	if s.Commit {
		row("commit", "what each iteration changed")
	}
	if s.MayBeEmpty {
		row("output", "may be empty")
	}
	row("prompt", text.VisibleLine(text.FirstLine(s.Prompt)))
}

func (p *Pipeline) starts(s *Stage) string {
	var ids []string
	for _, a := range s.After {
		ids = append(ids, p.Stages[a].ID)
	}
	if len(ids) == 0 {
		return "at once"
	}
	return "after " + strings.Join(ids, ", ")
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

func iterations(s *Stage) string {
	if s.MinIterations > 0 {
		return fmt.Sprintf("%d to %d iterations", s.MinIterations, s.Runs)
	}
	return "at most " + text.Count(s.Runs, "iteration")
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
