package pipeline

import (
	"fmt"
	"slices"
	"strings"
)

// mostMembers are enough to compare, and few enough to pay.
const mostMembers = 16

func (r *reader) judge(n *node, what string) *Judge {
	j := &Judge{at: n.place}
	if !r.mapping(n, what, []string{"agent", "model", "prompt"}) {
		return j
	}
	for _, e := range n.entries {
		switch e.key {
		case "agent":
			j.agentAt, j.Agent = e.value.place, r.agentName(e.value, "agent")
		case "model":
			j.Model = r.word(e.value, "model")
		case "prompt":
			j.at, j.Prompt = e.value.place, r.prose(e.value, "prompt")
			if isFile(j.Prompt, ".md", ".txt") {
				j.Prompt, j.file = "", strings.TrimSpace(j.Prompt)
			}
		}
	}
	return j
}

func (r *reader) parallel(n *node) *Parallel {
	p := &Parallel{}
	if !r.mapping(n, "parallel", []string{"agents", "providers", "stages", "choose", "judge"}) {
		return p
	}
	if j := n.get("judge"); j != nil {
		p.Judge = r.judge(j, "judge")
	}
	if c := n.get("choose"); c != nil {
		p.Choose, p.chooseAt = r.word(c, "choose"), c.place
		if p.Choose != "" && !slices.Contains(Choices, p.Choose) {
			r.say(c.place, "choose must be one of %s, not %s", strings.Join(Choices, ", "), c.shown())
		}
	}
	if stages := n.get("stages"); stages != nil {
		p.Stages = r.branch(stages)
	}
	agents := n.get("agents")
	if providers := n.get("providers"); providers != nil {
		if r.dialect = true; agents != nil {
			r.say(providers.place, "agents and providers are the same; give one of them")
		}
		agents = providers
	}
	if agents == nil || agents.kind != list || len(agents.items) < 2 || len(agents.items) > mostMembers {
		where := n.place
		if agents != nil {
			where = agents.place
		}
		r.say(where, "parallel wants a list of 2 to %d agents", mostMembers)
		return p
	}
	for _, i := range agents.items {
		p.Agents = append(p.Agents, r.member(i, p.Agents))
	}
	return p
}

// notInBranches are the keys of stages that those of a branch do not have: who does
// them is said of the branch, and they are done one after the other.
var notInBranches = []string{"needs", "parallel", "agent", "provider", "model", "commit"}

// inBranchesOnly are the keys that mean nothing on a stage whose block has stages.
var inBranchesOnly = []string{"until", "termination", "runs", "min_iterations", "agent", "output_path", "model", "judge", "delay", "guardrails", "verify"}

// branch reads the stages that each branch of a parallel block does.
func (r *reader) branch(n *node) (all []Stage) {
	if n.kind != list || len(n.items) == 0 {
		r.say(n.place, "the stages of a parallel block must be a list of at least one stage")
		return nil
	}
	known := slices.DeleteFunc(names("", false), func(k string) bool { return slices.Contains(notInBranches, k) })
	for _, i := range n.items {
		if i.kind == textKind { // the name of a stage folder
			i = &node{place: i.place, kind: mapping, entries: []entry{{"stage", i.place, i}}}
		}
		s := r.stageOf(i, "a stage of a parallel block", known)
		s.inBranch = true
		all = append(all, s)
	}
	return all
}

// member reads one agent of a parallel block. Without an id it has its agent's
// name, numbered where there are several.
func (r *reader) member(n *node, others []Member) Member {
	taken := func(id string) bool {
		return slices.ContainsFunc(others, func(o Member) bool { return o.ID == id })
	}
	m := Member{at: n.place}
	if n.kind != mapping {
		m.Agent = r.agentName(n, "an agent")
	} else if r.mapping(n, "an agent", []string{"agent", "name", "model", "id", "inputs"}) {
		for _, e := range n.entries {
			switch e.key {
			case "agent", "name":
				m.at, m.Agent = e.value.place, r.agentName(e.value, "agent")
			case "model":
				m.Model = r.word(e.value, "model")
			case "inputs":
				m.Inputs = r.inputs(e.value)
			case "id":
				m.ID = r.id(e.value, "id")
				if m.ID != "" && taken(m.ID) {
					r.say(e.value.place, "two agents have the id %q", m.ID)
				}
			}
		}
		if n.get("agent") == nil && n.get("name") == nil {
			r.say(n.place, "this names no agent")
		}
	}
	if m.ID == "" {
		m.ID = m.Agent
		for i := 2; taken(m.ID); i++ {
			m.ID = fmt.Sprintf("%s-%d", m.Agent, i)
		}
	}
	return m
}
