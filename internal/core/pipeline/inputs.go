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

// expandInputs makes an input of each thing that inputs name. They may name the branches
// of the stages before theirs.
func (l *linker) expandInputs(before []Stage, inputs []Input) (all []Input) {
	for _, in := range inputs {
		if in.Initial {
			all = append(all, Input{Initial: true, marks: in.marks})
		}
		if in.From != "" {
			all = append(all, Input{From: in.From, All: in.All, marks: in.marks})
		}
		for _, b := range in.Branches {
			b.All = b.All || in.All
			all = append(all, l.expandBranches(before, b)...)
		}
		if !in.at.has("from") && !in.at.has("from_initial") && !in.at.has("from_parallel") {
			l.report(in.at[""], "inputs name no stage: from is missing")
		}
	}
	return all
}

func (l *linker) expandBranches(before []Stage, of branchOutputs) (all []Input) {
	block := findBlock(before, of)
	switch {
	case of.Stage == "" && of.Block == "":
		l.report(of.at[""], "from_parallel names neither a stage nor a block")
		return nil
	case block == nil:
		l.report(of.at[""], "there is no parallel stage%s before this one that leaves %q", strings.TrimRight(" "+of.Block, " "), cmp.Or(of.Stage, of.Block))
		return nil
	}
	for _, m := range l.findMembers(block, of) {
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
func (l *linker) findMembers(block *Stage, of branchOutputs) (all []Member) {
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
			l.report(of.at[""], "the stage %q has no branch %q; there are %s", block.ID, p, strings.Join(ids, ", "))
			continue
		}
		all = append(all, block.Parallel.Agents[i])
	}
	return all
}
