package pipeline

import (
	"cmp"
	"slices"
	"strings"
)

// fromParallel asks for what the branches of a parallel stage left.
type fromParallel struct {
	stage, block string
	providers    []string // nil: all
}

func readInputs(r *reader, s *Stage, n *node) { s.Inputs = r.inputs(n) }

// inputs reads what is given to a stage. One mapping may name several things.
func (r *reader) inputs(n *node) (all []Input) {
	for _, i := range r.list(n) {
		if !r.mapping(i, "inputs", []string{"from", "select", "from_initial", "from_parallel"}) {
			continue
		}
		from, initial, parallel := i.get("from"), i.get("from_initial"), i.get("from_parallel")
		every := r.selects(i.get("select"))
		if from == nil && initial == nil && parallel == nil {
			r.say(i.place, "inputs name no stage: from is missing")
		}
		if initial != nil {
			if r.dialect = true; r.truth(initial, "from_initial") {
				all = append(all, Input{Initial: true, at: initial.place})
			}
		}
		if from != nil {
			all = append(all, Input{From: r.word(from, "from"), All: every, at: from.place})
		}
		if parallel != nil {
			r.dialect = true
			for _, p := range r.list(parallel) {
				all = append(all, r.fromParallel(p, every))
			}
		}
	}
	return all
}

// selects tells whether all iterations are selected, and not only the latest.
func (r *reader) selects(n *node) bool {
	if n == nil {
		return false
	}
	switch n.text {
	case "latest":
	case "all":
		return true
	case "history":
		r.dialect = true
		return true
	default:
		r.say(n.place, "select must be latest, all or history, not %s", n.shown())
	}
	return false
}

func (r *reader) fromParallel(n *node, every bool) Input {
	in := Input{All: every, at: n.place, of: &fromParallel{}}
	if n.kind != mapping {
		in.of.stage = r.word(n, "from_parallel")
		return in
	}
	if !r.mapping(n, "from_parallel", []string{"stage", "block", "providers", "select"}) {
		return in
	}
	for _, e := range n.entries {
		switch e.key {
		case "stage":
			in.of.stage = r.word(e.value, "stage")
		case "block":
			in.of.block = r.word(e.value, "block")
		case "providers":
			for _, p := range r.list(e.value) {
				in.of.providers = append(in.of.providers, r.word(p, "providers"))
			}
		case "select":
			in.All = r.selects(e.value)
		}
	}
	if in.of.stage == "" && in.of.block == "" {
		r.say(n.place, "from_parallel names neither a stage nor a block")
	}
	return in
}

// spreadParallel makes an input for each branch of those that ask for several.
func (r *reader) spreadParallel(p *Pipeline) {
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
			continue // it was complained about
		}
		block := p.blockOf(reader, in.of)
		if block == nil {
			r.say(in.at, "there is no parallel stage%s that leaves %q", named(in.of.block), cmp.Or(in.of.stage, in.of.block))
			continue
		}
		for _, m := range r.providers(block, in) {
			one := Input{From: block.ID + "." + m.ID, All: in.All, Stage: cmp.Or(in.of.stage, block.ID), Provider: m.ID, at: in.at}
			if block.chained(in.of.stage) >= 0 {
				one.From += "." + in.of.stage
			}
			all = append(all, one)
		}
	}
	return all
}

func named(block string) string {
	if block == "" {
		return ""
	}
	return " " + block
}

// blockOf is the parallel stage that is meant: the one that is named, or else the
// nearest before the reader that has such a stage.
func (p *Pipeline) blockOf(reader int, of *fromParallel) *Stage {
	for _, s := range slices.Backward(p.Stages[:reader]) {
		fits := of.stage == "" || of.stage == s.ID || s.chained(of.stage) >= 0
		if s.Parallel != nil && fits && (of.block == "" || of.block == s.ID) {
			return &s
		}
	}
	return nil
}

// providers are the members of a block that an input asks for.
func (r *reader) providers(block *Stage, in Input) (all []Member) {
	if in.of.providers == nil {
		return block.Parallel.Agents
	}
	var ids []string
	for _, m := range block.Parallel.Agents {
		ids = append(ids, m.ID)
	}
	for _, p := range in.of.providers {
		i := slices.IndexFunc(block.Parallel.Agents, func(m Member) bool { return m.ID == p || m.Agent == cmp.Or(aliases[p], p) })
		if i < 0 {
			r.say(in.at, "the stage %q has no branch %q; there are %s", block.ID, p, strings.Join(ids, ", "))
			continue
		}
		all = append(all, block.Parallel.Agents[i])
	}
	return all
}
