//go:build linux

package trial

import (
	"testing"

	"warp/internal/core/evidence"
)

type misdeed struct {
	switches string
	args     []string
	want     end
}

// misdeeds are the ways in which an agent misbehaves, and how it is to end.
var misdeeds = []misdeed{
	{"liar", nil, failed},
	{"ticks", nil, merged},
	{"tamper", nil, failed},
	{"commit", nil, merged.but("commit", "destroyed")},
	{"destroy", nil, merged.but("commit", "destroyed")},
	{"overspend", []string{"--max-cost", "5"}, end{exit: 12, result: evidence.Budget, phase: "budget_exceeded"}},
	{"limit", nil, merged},
	{"quotes", nil, merged},
	{"loop", nil, failed},
	{"crash", nil, failed},
	{"garbage", nil, failed},
	{"hang", nil, failed},
	{"orphan", nil, merged.but("orphans")},
}

// mixtures are several at once.
var mixtures = []misdeed{
	{"liar,ticks", nil, failed},
	{"verify:commit", nil, merged},
	{"verify:destroy", nil, merged},
	{"plan:destroy", nil, merged},
	{"tamper,stumble", nil, failed},
	{"commit,stumble", nil, merged.but("commit")},
	{"destroy,stumble", nil, failed.but("destroyed")}, // it destroys its own work too
	{"verify:liar,stumble", nil, merged},              // the tests say no where the verifier does not
}

func TestMisbehavingAgents(t *testing.T) {
	for agent, list := range map[string][]misdeed{"demo": append(misdeeds, mixtures...), "claude": misdeeds} {
		for _, m := range list {
			t.Run(agent+" "+m.switches, func(t *testing.T) {
				t.Parallel()
				p := newProject(t)
				p.env = []string{"WARP_DEMO=" + m.switches}
				exit, said := p.drive(append([]string{"--agent", agent}, m.args...)...)
				want := m.want
				if agent == "claude" && m.switches == "hang" { // its stream says that it waits for the model: no failure of the agent's
					want = end{exit: 13, result: evidence.Person, phase: "coding"}
				}
				p.judge(exit, said, want)
			})
		}
	}
}
