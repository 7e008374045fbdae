package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"warp/internal/core/schedule"
	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// named is something that stages can name: a stage, a branch, or a stage of a branch.
type named struct {
	stage int
	at    yamltree.Place
}

// linkStages turns the names in stages into edges. If no stage names another, the stages run in
// order; in the dialect they always do, whatever they read.
func (r *reader) linkStages() {
	for i := range r.Stages {
		r.claimNames(i)
	}
	isGraph := false
	for i, s := range r.Stages {
		isGraph = isGraph || s.Node.Has("needs") || !r.isDialect && s.Node.Has("inputs")
		for k, need := range s.Needs {
			r.addEdge(i, need, s.Node.Get("needs").Elements()[k].Place)
		}
		for _, in := range r.expandAllInputs(i) {
			r.addEdge(i, in.From, in.Node.Where("from"))
			isGraph = isGraph || !r.isDialect
		}
	}
	var waits [][]int
	for i := range r.Stages {
		s := &r.Stages[i]
		if !isGraph && i > 0 {
			s.After = append(s.After, i-1)
		}
		slices.Sort(s.After)
		s.After = slices.Compact(s.After)
		waits = append(waits, s.After)
	}
	for _, ring := range schedule.FindCycles(waits) {
		ids := r.Stages[ring[0]].ID
		var at yamltree.Place // of a written edge; a plain list also has implicit ones
		for i, stage := range ring {
			before := ring[(i+1)%len(ring)]
			ids += " -> " + r.Stages[before].ID
			at = cmp.Or(r.edges[[2]int{stage, before}], at)
		}
		r.Report(at, "stages wait for each other: %s", ids)
	}
}

// claimNames registers the names of a stage, its branches, and their stages. A branch without an id
// is named after its agent, numbered if necessary.
func (r *reader) claimNames(stage int) {
	s := &r.Stages[stage]
	claim := func(prefix, id string, at yamltree.Place) bool {
		first, isTaken := r.names[prefix+id]
		switch {
		case id == "": // already reported
			return false
		case isTaken:
			r.Report(at, "%q is already used on line %d", id, first.at.Line)
			return false
		case prefix != "" && !text.ValidName(prefix+id):
			r.Report(at, "%q is not a name (%s)", prefix+id, text.NameRule)
		}
		r.names[prefix+id] = named{stage, at}
		return true
	}
	isNew, ids := claim("", s.ID, s.Node.Where("id")), map[string]bool{}
	for i := range s.block().Agents {
		m := &s.Parallel.Agents[i]
		if !m.Node.Has("id") {
			m.ID = m.Agent
			for k := 2; ids[m.ID]; k++ {
				m.ID = fmt.Sprintf("%s-%d", m.Agent, k)
			}
		}
		ids[m.ID] = true
		isClaimed := isNew && claim(s.ID+".", m.ID, m.Node.Where("id", "agent"))
		for _, sub := range s.Parallel.Stages {
			_ = isClaimed && claim(s.ID+"."+m.ID+".", sub.ID, sub.Node.Where("id"))
		}
	}
}

func (r *reader) addEdge(stage int, name string, at yamltree.Place) {
	s := &r.Stages[stage]
	before, ok := r.names[name]
	switch {
	case name == "": // already reported
	case !ok:
		r.Report(at, "there is no stage %q%s", name, text.DidYouMean(name, slices.Sorted(maps.Keys(r.names))))
	case before.stage == stage && name != s.ID:
		r.Report(at, "%q is in the same parallel stage, whose branches do not see each other; read it in a later stage", name)
	case before.stage == stage:
		r.Report(at, "the stage %q waits for itself", name)
	default:
		s.After = append(s.After, before.stage)
		r.edges[[2]int{stage, before.stage}] = at
	}
}

// expandAllInputs expands the inputs of a stage and its branches, and returns those from other
// stages. A stage of a branch may also read earlier ones of its branch.
func (r *reader) expandAllInputs(stage int) (outside []Input) {
	s, before := &r.Stages[stage], r.Stages[:stage]
	s.Inputs = r.expandInputs(before, s.Inputs)
	outside = slices.Clone(s.Inputs)
	for k := range s.block().Agents {
		m := &s.Parallel.Agents[k]
		m.Inputs = r.expandInputs(before, m.Inputs)
		outside = append(outside, m.Inputs...)
	}
	for k := range s.block().Stages {
		sub := &s.Parallel.Stages[k]
		sub.Inputs = r.expandInputs(before, sub.Inputs)
		for _, in := range sub.Inputs {
			own := s.inChain(in.From)
			r.Check(own >= k, in.Node.Where("from"), "the stage %q is not before %q in its branch", in.From, sub.ID)
			if own < 0 {
				outside = append(outside, in)
			}
		}
	}
	return outside
}

// expandInputs returns one input for each output that inputs select.
func (r *reader) expandInputs(before []Stage, inputs []Input) (all []Input) {
	for _, in := range inputs {
		r.Check(!in.Node.Has("from") && !in.Node.Has("from_initial") && !in.Node.Has("from_parallel"), in.Node.Place, "inputs name no stage: from is missing")
		if in.Initial {
			all = append(all, Input{Initial: true, written: in.written})
		}
		if in.From != "" {
			all = append(all, Input{From: in.From, All: in.All, written: in.written})
		}
		for _, b := range in.Branches {
			b.All = b.All || in.All
			all = append(all, r.expandBranches(before, b)...)
		}
	}
	return all
}

// expandBranches returns one input for each branch of an earlier stage that an input selects.
func (r *reader) expandBranches(before []Stage, of branchOutputs) (all []Input) {
	var block Stage // the named one, or else the nearest with that stage
	for _, s := range before {
		fits := of.Stage == "" && of.Block != "" || of.Stage == s.ID || s.inChain(of.Stage) >= 0
		if s.Parallel != nil && fits && (of.Block == "" || of.Block == s.ID) {
			block = s
		}
	}
	if block.Parallel == nil {
		r.Report(of.Node.Place, "there is no parallel stage%s before this one that leaves %q", strings.TrimRight(" "+of.Block, " "), cmp.Or(of.Stage, of.Block))
		return nil
	}
	chosen := block.Parallel.Agents
	if of.Providers != nil {
		chosen = nil
	}
	for _, p := range of.Providers {
		i := slices.IndexFunc(block.Parallel.Agents, func(m Member) bool { return m.ID == p || m.Agent == agentName(p) })
		if r.Check(i < 0, of.Node.Place, "the stage %q has no branch %q", block.ID, p); i >= 0 {
			chosen = append(chosen, block.Parallel.Agents[i])
		}
	}
	for _, m := range chosen {
		in := Input{From: block.ID + "." + m.ID, All: of.All, Stage: cmp.Or(of.Stage, block.ID), Provider: m.ID, written: of.written}
		if block.inChain(of.Stage) >= 0 {
			in.From += "." + of.Stage
		}
		all = append(all, in)
	}
	return all
}
