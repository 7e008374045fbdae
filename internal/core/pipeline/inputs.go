package pipeline

import (
	"cmp"
	"slices"
	"strings"
)

// branchOutputs selects the outputs of a parallel stage's branches.
type branchOutputs struct {
	Stage     string   `yaml:"stage" is:"line"`
	Block     string   `yaml:"block" is:"line"`
	Providers []string `yaml:"providers" is:"line"` // nil: all
	All       bool     `yaml:"select" is:"select"`

	written
}

// expandAllInputs expands the inputs of a stage and its branches. A branch may also read its own
// earlier stages.
func (l *linker) expandAllInputs(stage int) {
	s, before := &l.Stages[stage], l.Stages[:stage]
	s.Inputs = l.expandInputs(before, s.Inputs)
	for k := range s.members() {
		m := &s.Parallel.Agents[k]
		m.Inputs = l.expandInputs(before, m.Inputs)
	}
	for k := range s.chain() {
		sub := &s.Parallel.Stages[k]
		sub.Inputs = l.expandInputs(before, sub.Inputs)
		for _, in := range sub.Inputs {
			if s.inChain(in.From) >= k {
				l.Report(in.node.Where("from"), "the stage %q is not before %q in its branch", in.From, sub.ID)
			}
		}
	}
}

// expandInputs returns one input for each output that inputs select. They may select branches of
// earlier stages.
func (l *linker) expandInputs(before []Stage, inputs []Input) (all []Input) {
	for _, in := range inputs {
		if in.Initial {
			all = append(all, Input{Initial: true, written: in.written})
		}
		if in.From != "" {
			all = append(all, Input{From: in.From, All: in.All, written: in.written})
		}
		for _, b := range in.Branches {
			b.All = b.All || in.All
			all = append(all, l.expandBranches(before, b)...)
		}
		if !in.node.Has("from") && !in.node.Has("from_initial") && !in.node.Has("from_parallel") {
			l.Report(in.node.Place, "inputs name no stage: from is missing")
		}
	}
	return all
}

func (l *linker) expandBranches(before []Stage, of branchOutputs) (all []Input) {
	var block *Stage // the named one, or else the nearest with that stage
	for i := range before {
		s := &before[i]
		fits := of.Stage == "" && of.Block != "" || of.Stage == s.ID || s.inChain(of.Stage) >= 0
		if s.Parallel != nil && fits && (of.Block == "" || of.Block == s.ID) {
			block = s
		}
	}
	if block == nil {
		l.Report(of.node.Place, "there is no parallel stage%s before this one that leaves %q", strings.TrimRight(" "+of.Block, " "), cmp.Or(of.Stage, of.Block))
		return nil
	}
	for _, m := range l.findMembers(block, of) {
		in := Input{From: block.ID + "." + m.ID, All: of.All, Stage: cmp.Or(of.Stage, block.ID), Provider: m.ID, written: of.written}
		if block.inChain(of.Stage) >= 0 {
			in.From += "." + of.Stage
		}
		all = append(all, in)
	}
	return all
}

// findMembers returns the members of a block that an input selects.
func (l *linker) findMembers(block *Stage, of branchOutputs) (all []Member) {
	if of.Providers == nil {
		return block.members()
	}
	for _, p := range of.Providers {
		i := slices.IndexFunc(block.members(), func(m Member) bool { return m.ID == p || m.Agent == agentName(p) })
		if i < 0 {
			l.Report(of.node.Place, "the stage %q has no branch %q", block.ID, p)
			continue
		}
		all = append(all, block.members()[i])
	}
	return all
}
