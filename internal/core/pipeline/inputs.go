package pipeline

import (
	"cmp"
	"slices"
	"strings"
)

// branchOutputs asks for what the branches of a parallel stage left.
type branchOutputs struct {
	Stage     string   `yaml:"stage,line"`
	Block     string   `yaml:"block,line"`
	Providers []string `yaml:"providers,line"` // nil: all
	All       bool     `yaml:"select,select"`

	marks
}

// expandInputs makes an input of each thing that the inputs of a stage, and of those in
// its branches, name.
func (r *reader) expandInputs(p *Pipeline, stage int) {
	s := &p.Stages[stage]
	before := p.Stages[:stage]
	s.Inputs = r.expand(before, s.Inputs)
	for k := range s.chain() {
		sub := &s.Parallel.Stages[k]
		sub.Inputs = r.expand(before, sub.Inputs)
	}
	for k := range s.members() {
		m := &s.Parallel.Agents[k]
		m.Inputs = r.expand(before, m.Inputs)
	}
}

func (r *reader) expand(before []Stage, inputs []Input) (all []Input) {
	for _, in := range inputs {
		if in.Initial {
			all = append(all, Input{Initial: true, marks: in.marks})
		}
		if in.From != "" {
			all = append(all, Input{From: in.From, All: in.All, marks: in.marks})
		}
		for _, b := range in.Branches {
			b.All = b.All || in.All
			all = append(all, r.expandBranches(before, b)...)
		}
		if !in.at.has("from") && !in.at.has("from_initial") && !in.at.has("from_parallel") {
			r.report(in.at[""], "inputs name no stage: from is missing")
		}
	}
	return all
}

func (r *reader) expandBranches(before []Stage, of branchOutputs) (all []Input) {
	block := findBlock(before, of)
	switch {
	case of.Stage == "" && of.Block == "":
		r.report(of.at[""], "from_parallel names neither a stage nor a block")
		return nil
	case block == nil:
		r.report(of.at[""], "there is no parallel stage%s before this one that leaves %q", strings.TrimRight(" "+of.Block, " "), cmp.Or(of.Stage, of.Block))
		return nil
	}
	for _, m := range r.findMembers(block, of) {
		in := Input{From: block.ID + "." + m.ID, All: of.All, Stage: cmp.Or(of.Stage, block.ID), Provider: m.ID, marks: of.marks}
		if block.inChain(of.Stage) >= 0 {
			in.From += "." + of.Stage
		}
		all = append(all, in)
	}
	return all
}

// findBlock is the parallel stage that is meant: the one that is named, or else the
// nearest that has such a stage.
func findBlock(before []Stage, of branchOutputs) *Stage {
	for i := range slices.Backward(before) {
		s := &before[i]
		fits := of.Stage == "" || of.Stage == s.ID || s.inChain(of.Stage) >= 0
		if s.Parallel != nil && fits && (of.Block == "" || of.Block == s.ID) {
			return s
		}
	}
	return nil
}

// findMembers are the members of a block that an input asks for.
func (r *reader) findMembers(block *Stage, of branchOutputs) (all []Member) {
	if of.Providers == nil {
		return block.members()
	}
	var ids []string
	for _, m := range block.members() {
		ids = append(ids, m.ID)
	}
	for _, p := range of.Providers {
		i := slices.IndexFunc(block.members(), func(m Member) bool { return m.ID == p || m.Agent == agentName(p) })
		if i < 0 {
			r.report(of.at[""], "the stage %q has no branch %q; there are %s", block.ID, p, strings.Join(ids, ", "))
			continue
		}
		all = append(all, block.Parallel.Agents[i])
	}
	return all
}
