package sessions

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"warp/internal/core/evidence"
	"warp/internal/core/pipeline"
	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

type planWriter struct {
	strings.Builder
	indent string // of rows
}

// row writes one line about a stage, if wanted and not empty.
func (w *planWriter) row(isSaid bool, name, value string) {
	if isSaid && value != "" {
		fmt.Fprintf(w, "  %-9s%s\n", w.indent+name, text.VisibleLine(value))
	}
}

// DescribePlan describes what a pipeline would do, for people.
func DescribePlan(p *pipeline.Pipeline) string {
	w := &planWriter{}
	title := cmp.Or(p.Name, p.File)
	if p.Description != "" {
		title += ": " + text.FirstLine(p.Description)
	}
	fmt.Fprintln(w, text.VisibleLine(title))
	if most := describeBounds(p.MaxTime, p.MaxCost, 0); most != "" {
		fmt.Fprintf(w, "bounds: %s%s\n", most, listSources(p.Sources("max_time", "max_cost"), ""))
	}
	for _, c := range p.Commands {
		fmt.Fprintf(w, "command %s: %s%s\n", c.Name, text.VisibleLine(c.Line), listSources(p.Sources("commands."+c.Name), ""))
	}
	for _, file := range p.Initial {
		fmt.Fprintf(w, "input %s\n", text.VisibleLine(file))
	}
	for _, i := range p.Order() {
		s := &p.Stages[i]
		fmt.Fprintf(w, "\n%d %s\n", i, s.ID)
		w.indent = ""
		w.row(true, "starts", describeStart(p, s))
		w.row(true, "reads", describeInputs(s.Inputs))
		w.row(true, "loop", s.Loop)
		w.writeAgents(s)
		if s.Parallel == nil || len(s.Parallel.Stages) == 0 {
			w.writeWork(s)
			continue
		}
		w.indent = "  "
		for _, sub := range s.Parallel.Stages {
			fmt.Fprintf(w, "  then %s, in each branch\n", sub.ID)
			w.row(true, "reads", describeInputs(sub.Inputs))
			w.row(true, "loop", sub.Loop)
			w.writeWork(&sub)
		}
	}
	return w.String()
}

func describeStart(p *pipeline.Pipeline, s *pipeline.Stage) string {
	if len(s.After) == 0 {
		return "at once"
	}
	var ids []string
	for _, a := range s.After {
		ids = append(ids, p.Stages[a].ID)
	}
	return "after " + strings.Join(ids, ", ")
}

// writeAgents writes who runs a stage, and who chooses.
func (w *planWriter) writeAgents(s *pipeline.Stage) {
	if s.Parallel == nil {
		w.row(true, "agent", describeAgent(s.Agent, s.Model)+listSources(s.Sources("agent", "model"), ""))
		return
	}
	var all []string
	for _, m := range s.Parallel.Agents {
		one := m.ID + " (" + describeAgent(m.Agent, m.Model) + ")"
		if len(m.Inputs) > 0 {
			one += " reads " + describeInputs(m.Inputs)
		}
		all = append(all, one)
	}
	w.row(true, "agents", strings.Join(all, ", "))
	if j := s.Parallel.Judge; j != nil {
		w.row(true, "choice", "by "+describeAgent(j.Agent, j.Model))
	} else if s.Parallel.Choose != pipeline.All {
		w.row(true, "choice", s.Parallel.Choose)
	}
}

func (w *planWriter) writeWork(s *pipeline.Stage) {
	most := "at most " + text.Count(s.Runs, "iteration")
	if s.MinIterations > 0 {
		most = fmt.Sprintf("%d to %d iterations", s.MinIterations, s.Runs)
	}
	w.row(true, "until", s.Until+listSources(s.Sources("until"), " (default)")+"; "+most+listSources(s.Sources("runs", "min_iterations"), " (default)"))
	if s.Judge != nil {
		w.row(true, "judge", describeAgent(s.Judge.Agent, s.Judge.Model))
	}
	limits := describeBounds(s.MaxTime, s.MaxCost, s.NoProgress)
	w.row(limits != "", "bounds", limits+listSources(s.Sources("guardrails.max_runtime_seconds", "guardrails.max_cost", "guardrails.no_progress"), ""))
	w.row(s.Delay > 0, "delay", s.Delay.String())
	w.row(s.Context != "", "context", text.FirstLine(s.Context)+listSources(s.Sources("context"), ""))
	w.row(s.OutputPath != "", "output", "also in "+s.OutputPath+listSources(s.Sources("output_path"), ""))
	w.row(true, "verify", strings.Join(s.Verify, ", "))
	w.row(s.Commit, "commit", "what each iteration changed")
	w.row(s.MayBeEmpty, "output", "may be empty")
	w.row(true, "prompt", text.FirstLine(s.Prompt))
}

func describeInputs(inputs []pipeline.Input) string {
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

func describeAgent(agent, model string) string {
	agent = cmp.Or(agent, "the settings' agent")
	if model != "" {
		agent += ", " + model
	}
	return agent
}

func describeBounds(time time.Duration, cost int64, noProgress int) string {
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

// listSources lists where values were set, or returns otherwise if nowhere: flags and variables by
// name, files with the line. The files of all stage folders have the same name, so it adds the
// folder.
func listSources(places []yamltree.Place, otherwise string) string {
	var all []string
	for _, at := range places {
		source := at.Source.File
		if at.Line > 0 {
			file, dir := path.Base(source), path.Base(path.Dir(source))
			if file == pipeline.FolderFile || dir == "built-in" {
				file = dir + "/" + file
			}
			source = fmt.Sprintf("%s:%d", file, at.Line)
		}
		if !slices.Contains(all, source) {
			all = append(all, source)
		}
	}
	if len(all) == 0 {
		return otherwise
	}
	return " (" + strings.Join(all, ", ") + ")"
}
