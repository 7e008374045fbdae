//go:build linux

package trial

import (
	"slices"
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

// mixtures are several at once; the first three are the sample of make test.
var mixtures = []misdeed{
	{"verify:destroy", nil, merged},
	{"destroy,stumble", nil, failed.but("destroyed")}, // it destroys its own work too
	{"verify:liar,stumble", nil, merged},              // the tests say no where the verifier does not
	{"liar,ticks", nil, failed},
	{"verify:commit", nil, merged},
	{"plan:destroy", nil, merged},
	{"tamper,stumble", nil, failed},
	{"commit,stumble", nil, merged.but("commit")},
}

// streamed are the misdeeds that claude's stream tells otherwise than the demo agent does.
var streamed = []string{"overspend", "limit", "quotes", "crash", "garbage", "hang"}

// TestMisbehavingAgents has the demo agent do each misdeed, and claude what it tells in
// its own way; with WARP_MATRIX, claude does each, too, and the demo agent each mixture.
func TestMisbehavingAgents(t *testing.T) {
	claude, mixtures := slices.Clone(misdeeds), mixtures
	if !whole() {
		mixtures = mixtures[:3]
		claude = slices.DeleteFunc(claude, func(m misdeed) bool { return !slices.Contains(streamed, m.switches) })
	}
	for agent, list := range map[string][]misdeed{"demo": append(misdeeds, mixtures...), "claude": claude} {
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
