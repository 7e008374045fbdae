package pipeline

import (
	"cmp"
	"slices"
	"strings"
)

// branchOutputs asks for what the branches of a parallel stage left.
type branchOutputs struct {
	stage, block string
	providers    []string // nil: all
}

// inputs reads what is given to a stage. One mapping may name several things.
func (r *reader) inputs(n *node, what string) (all []Input) {
	for _, i := range n.elements() {
		var from string
		var initial, every bool
		var branches []Input
		at := places{}
		if !r.fill(i, what, []field{
			into("from", &from, (*reader).line),
			into("select", &every, (*reader).selectsAll),
			into("from_initial", &initial, (*reader).truth),
			into("from_parallel", &branches, (*reader).fromParallel),
		}, at) {
			continue
		}
		if initial {
			all = append(all, Input{Initial: true, at: at["from_initial"]})
		}
		if at.has("from") {
			all = append(all, Input{From: from, All: every, at: at["from"]})
		}
		for _, in := range branches {
			in.All = in.All || every
			all = append(all, in)
		}
		if !at.has("from") && !at.has("from_initial") && !at.has("from_parallel") {
			r.say(i.place, "inputs name no stage: from is missing")
		}
	}
	return all
}

// selectsAll tells whether all iterations are selected, and not only the latest.
func (r *reader) selectsAll(n *node, what string) bool {
	switch n.text {
	case "latest":
		return false
	case "all":
		return true
	case "history":
		r.dialect = true
		return true
	}
	r.say(n.place, "%s must be latest, all or history, not %s", what, n.quoted())
	return false
}

func (r *reader) fromParallel(n *node, what string) (all []Input) {
	for _, i := range n.elements() {
		in := Input{at: i.place, of: &branchOutputs{}}
		switch {
		case i.kind != mapping:
			in.of.stage = r.line(i, what)
		case r.fill(i, what, []field{
			into("stage", &in.of.stage, (*reader).line),
			into("block", &in.of.block, (*reader).line),
			into("providers", &in.of.providers, (*reader).lines),
			into("select", &in.All, (*reader).selectsAll),
		}, places{}) && in.of.stage == "" && in.of.block == "":
			r.say(i.place, "from_parallel names neither a stage nor a block")
		}
		all = append(all, in)
	}
	return all
}

// spreadInputs makes an input for each branch of those that ask for several.
func (r *reader) spreadInputs(p *Pipeline) {
	for i := range p.Stages {
		s := &p.Stages[i]
		s.Inputs = r.spread(p, i, s.Inputs)
		if s.Parallel == nil {
			continue
		}
		for k := range s.Parallel.Agents {
			s.Parallel.Agents[k].Inputs = r.spread(p, i, s.Parallel.Agents[k].Inputs)
		}
		for k := range s.Parallel.Stages {
			s.Parallel.Stages[k].Inputs = r.spread(p, i, s.Parallel.Stages[k].Inputs)
		}
	}
}

func (r *reader) spread(p *Pipeline, reader int, inputs []Input) (all []Input) {
	for _, in := range inputs {
		if in.of == nil {
			all = append(all, in)
			continue
		}
		if in.of.stage == "" && in.of.block == "" {
			continue // reported already
		}
		block := p.findBlock(reader, in.of)
		if block == nil {
			r.say(in.at, "there is no parallel stage%s before this one that leaves %q", strings.TrimRight(" "+in.of.block, " "), cmp.Or(in.of.stage, in.of.block))
			continue
		}
		for _, m := range r.findMembers(block, in) {
			one := Input{From: block.ID + "." + m.ID, All: in.All, Stage: cmp.Or(in.of.stage, block.ID), Provider: m.ID, at: in.at}
			if block.inChain(in.of.stage) >= 0 {
				one.From += "." + in.of.stage
			}
			all = append(all, one)
		}
	}
	return all
}

// findBlock is the parallel stage that is meant: the one that is named, or else the
// nearest before the reader that has such a stage.
func (p *Pipeline) findBlock(reader int, of *branchOutputs) *Stage {
	for _, s := range slices.Backward(p.Stages[:reader]) {
		fits := of.stage == "" || of.stage == s.ID || s.inChain(of.stage) >= 0
		if s.Parallel != nil && fits && (of.block == "" || of.block == s.ID) {
			return &s
		}
	}
	return nil
}

// findMembers are the members of a block that an input asks for.
func (r *reader) findMembers(block *Stage, in Input) (all []Member) {
	if in.of.providers == nil {
		return block.Parallel.Agents
	}
	var ids []string
	for _, m := range block.Parallel.Agents {
		ids = append(ids, m.ID)
	}
	for _, p := range in.of.providers {
		i := slices.IndexFunc(block.Parallel.Agents, func(m Member) bool { return m.ID == p || m.Agent == cmp.Or(agentAliases[p], p) })
		if i < 0 {
			r.say(in.at, "the stage %q has no branch %q; there are %s", block.ID, p, strings.Join(ids, ", "))
			continue
		}
		all = append(all, block.Parallel.Agents[i])
	}
	return all
}
