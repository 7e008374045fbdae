package pipeline

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// mostMembers are enough to compare, and few enough to pay.
const mostMembers = 16

func (r *reader) judge(n *node, what string) *Judge {
	j := &Judge{at: places{}}
	r.fill(n, what, []field{
		into("agent", &j.Agent, (*reader).agentName),
		into("model", &j.Model, (*reader).line),
		into("prompt", &j.Prompt, (*reader).prose),
	}, j.at)
	return j
}

func (r *reader) parallel(n *node, what string) *Parallel {
	p := &Parallel{at: places{}}
	ok := r.fill(n, what, []field{
		into("agents", &p.Agents, (*reader).members),
		into("stages", &p.Stages, (*reader).branchStages),
		into("choose", &p.Choose, (*reader).choice),
		into("judge", &p.Judge, (*reader).judge),
	}, p.at)
	if ok && !p.at.has("agents") {
		r.members(n, what)
	}
	return p
}

func (r *reader) choice(n *node, what string) string {
	s := r.line(n, what)
	if s != "" && !slices.Contains(choices, s) {
		r.say(n.place, "%s must be one of %s, not %s", what, strings.Join(choices, ", "), n.quoted())
	}
	return s
}

func (r *reader) members(n *node, _ string) (all []Member) {
	if n.kind != list || len(n.items) < 2 || len(n.items) > mostMembers {
		r.say(n.place, "parallel needs a list of 2 to %d agents", mostMembers)
		return nil
	}
	for _, i := range n.items {
		all = append(all, r.member(i, all))
	}
	return all
}

// member reads one agent of a parallel block. Without an id it has its agent's
// name, numbered where there are several.
func (r *reader) member(n *node, others []Member) Member {
	taken := func(id string) bool {
		return slices.ContainsFunc(others, func(o Member) bool { return o.ID == id })
	}
	m := Member{at: places{"": n.place}}
	switch {
	case n.kind != mapping:
		m.Agent = r.agentName(n, "an agent")
	case r.fill(n, "an agent", []field{
		into("agent", &m.Agent, (*reader).agentName),
		into("model", &m.Model, (*reader).line),
		into("id", &m.ID, (*reader).name),
		into("inputs", &m.Inputs, (*reader).inputs),
	}, m.at) && !m.at.has("agent"):
		r.say(n.place, "the agent is missing")
	}
	if m.ID != "" && taken(m.ID) {
		r.say(m.at["id"], "two agents have the id %q", m.ID)
	}
	if m.ID == "" {
		m.ID = m.Agent
		for i := 2; taken(m.ID); i++ {
			m.ID = fmt.Sprintf("%s-%d", m.Agent, i)
		}
	}
	return m
}

// allStages are the stages of a pipeline, each before those of its parallel block.
func (p *Pipeline) allStages() iter.Seq[*Stage] {
	return func(yield func(*Stage) bool) {
		for i := range p.Stages {
			s := &p.Stages[i]
			if !yield(s) {
				return
			}
			for k := range s.chain() {
				if !yield(&s.Parallel.Stages[k]) {
					return
				}
			}
		}
	}
}

// chain are the stages that each branch of a parallel stage does one after the other;
// nil: it does the stage itself.
func (s *Stage) chain() []Stage {
	if s.Parallel == nil {
		return nil
	}
	return s.Parallel.Stages
}

// isChain tells whether a stage is nothing but what its branches do.
func (s *Stage) isChain() bool { return len(s.chain()) > 0 }

// inChain is the index of a stage in the chain of a parallel one; -1: it has none.
func (s *Stage) inChain(id string) int {
	return slices.IndexFunc(s.chain(), func(sub Stage) bool { return sub.ID == id })
}

// anyInBranch tells whether something holds of a stage that a branch does.
func (s *Stage) anyInBranch(holds func(Stage) bool) bool {
	if s.isChain() {
		return slices.ContainsFunc(s.chain(), holds)
	}
	return holds(*s)
}

// branchInputs are what the branches of a parallel stage read of other stages.
func (s *Stage) branchInputs() (all []Input) {
	if s.Parallel == nil {
		return nil
	}
	for _, m := range s.Parallel.Agents {
		all = append(all, m.Inputs...)
	}
	for _, sub := range s.chain() {
		for _, in := range sub.Inputs {
			if s.inChain(in.From) < 0 {
				all = append(all, in)
			}
		}
	}
	return all
}
