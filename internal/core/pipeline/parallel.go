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
			j.agentAt, j.Agent = e.value.place, r.word(e.value, "agent")
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
	if !r.mapping(n, "parallel", []string{"agents", "judge"}) {
		return p
	}
	if j := n.get("judge"); j != nil {
		p.Judge = r.judge(j, "judge")
	}
	agents := n.get("agents")
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

// member reads one agent of a parallel block. Without an id it has its agent's
// name, numbered where there are several.
func (r *reader) member(n *node, others []Member) Member {
	taken := func(id string) bool {
		return slices.ContainsFunc(others, func(o Member) bool { return o.ID == id })
	}
	m := Member{at: n.place}
	if n.kind != mapping {
		m.Agent = r.word(n, "an agent")
	} else if r.mapping(n, "an agent", []string{"agent", "model", "id"}) {
		for _, e := range n.entries {
			switch e.key {
			case "agent":
				m.at, m.Agent = e.value.place, r.word(e.value, "agent")
			case "model":
				m.Model = r.word(e.value, "model")
			case "id":
				m.ID = r.id(e.value, "id")
				if m.ID != "" && taken(m.ID) {
					r.say(e.value.place, "two agents have the id %q", m.ID)
				}
			}
		}
		if n.get("agent") == nil {
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
