package pipeline

import (
	"fmt"
	"iter"
	"slices"
)

// nameMembers names members without an id after their agent, numbered if necessary.
func (s *Stage) nameMembers() {
	ids := map[string]bool{}
	for i := range s.members() {
		m := &s.Parallel.Agents[i]
		if !m.node.Has("id") {
			m.ID = m.Agent
			for k := 2; ids[m.ID]; k++ {
				m.ID = fmt.Sprintf("%s-%d", m.Agent, k)
			}
		}
		ids[m.ID] = true
	}
}

// eachStage yields all stages, each before those of its parallel block, together with their block.
func (p *Pipeline) eachStage() iter.Seq2[*Stage, *Stage] {
	return func(yield func(stage, block *Stage) bool) {
		for i := range p.Stages {
			s := &p.Stages[i]
			isOn := yield(s, nil)
			for k := 0; isOn && k < len(s.chain()); k++ {
				isOn = yield(&s.Parallel.Stages[k], s)
			}
			if !isOn {
				return
			}
		}
	}
}

// block returns the parallel block of a stage, or an empty one.
func (s *Stage) block() *Parallel {
	if s.Parallel == nil {
		return &Parallel{}
	}
	return s.Parallel
}

// chain returns the stages that each branch of a parallel stage runs in order; nil if branches run
// the stage itself.
func (s *Stage) chain() []Stage { return s.block().Stages }

// members returns the agents of a parallel stage.
func (s *Stage) members() []Member { return s.block().Agents }

// isChain reports whether a stage consists only of its branches' stages.
func (s *Stage) isChain() bool { return len(s.chain()) > 0 }

// inChain returns the index of a stage in the chain of a parallel one, or -1.
func (s *Stage) inChain(id string) int {
	return slices.IndexFunc(s.chain(), func(sub Stage) bool { return sub.ID == id })
}

// outsideInputs returns what a stage and its branches read from other stages.
func (s *Stage) outsideInputs() []Input {
	all := slices.Clone(s.Inputs)
	for _, m := range s.members() {
		all = append(all, m.Inputs...)
	}
	for _, sub := range s.chain() {
		all = append(all, slices.DeleteFunc(slices.Clone(sub.Inputs), func(in Input) bool { return s.inChain(in.From) >= 0 })...)
	}
	return all
}
