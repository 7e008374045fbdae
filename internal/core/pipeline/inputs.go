package pipeline

import (
	"cmp"
	"slices"
	"strings"
)

// branchOutputs asks for what the branches of a parallel stage left.
type branchOutputs struct {
	Stage     string   `yaml:"stage" is:"line"`
	Block     string   `yaml:"block" is:"line"`
	Providers []string `yaml:"providers" is:"line"` // nil: all
	All       bool     `yaml:"select" is:"select"`

	written
}

// expandInputs makes an input of each thing that inputs name. They may name the branches
// of the stages before theirs.
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
	var block *Stage // that is named, or else the nearest that has such a stage
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
	members := block.members()
	if of.Providers != nil {
		members = l.findMembers(block, of)
	}
	for _, m := range members {
		in := Input{From: block.ID + "." + m.ID, All: of.All, Stage: cmp.Or(of.Stage, block.ID), Provider: m.ID, written: of.written}
		if block.inChain(of.Stage) >= 0 {
			in.From += "." + of.Stage
		}
		all = append(all, in)
	}
	return all
}

// findMembers are the members of a block that an input asks for.
func (l *linker) findMembers(block *Stage, of branchOutputs) (all []Member) {
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
