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

// mixtures are several at once; the first one is the sample of make test.
var mixtures = []misdeed{
	{"verify:liar,stumble", nil, merged}, // the tests say no where the verifier does not
	{"verify:destroy", nil, merged},
	{"destroy,stumble", nil, failed.but("destroyed")}, // it destroys its own work too
	{"liar,ticks", nil, failed},
	{"verify:commit", nil, merged},
	{"plan:destroy", nil, merged},
	{"tamper,stumble", nil, failed},
	{"commit,stumble", nil, merged.but("commit")},
}

// streamed are the misdeeds that claude's stream tells otherwise than the demo agent does.
var streamed = []string{"overspend", "limit", "quotes", "crash", "garbage", "hang"}

// TestMisbehavingAgents has each misdeed done once: by claude what it tells in its own way,
// by the demo agent the rest. With WARP_MATRIX each does all, and the demo agent each mixture.
func TestMisbehavingAgents(t *testing.T) {
	claude, demo := misdeeds, slices.Concat(misdeeds, mixtures)
	if !whole() {
		isStreamed := func(m misdeed) bool { return slices.Contains(streamed, m.switches) }
		claude = slices.DeleteFunc(slices.Clone(misdeeds), func(m misdeed) bool { return !isStreamed(m) })
		demo = slices.DeleteFunc(slices.Concat(misdeeds, mixtures[:1]), isStreamed)
	}
	for agent, list := range map[string][]misdeed{"demo": demo, "claude": claude} {
		for _, m := range list {
			t.Run(agent+" "+m.switches, func(t *testing.T) {
				t.Parallel()
				p := newProject(t)
				p.env = []string{"WARP_DEMO=" + m.switches}
				exit, said := p.drive(append([]string{"--agent", agent}, m.args...)...)
				want := m.want
				// Its stream says that it waits for the model, or that it did nothing at all: no failure of the work.
				if agent == "claude" && m.switches == "hang" || m.switches == "crash" {
					want = end{exit: 13, result: evidence.Person, phase: "coding"}
				}
				p.judge(exit, said, want)
			})
		}
	}
}
