package pipeline

import (
	"fmt"
	"slices"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
)

// notOnBlocks mean nothing on a stage whose parallel block has stages.
var notOnBlocks = []string{"until", "termination", "runs", "min_iterations", "agent", "output_path", "model", "judge", "delay", "guardrails", "verify"}

// validate reports what is well written and cannot be meant.
func (r *reader) validate(p *Pipeline) {
	r.checkAgent(p.at["agent"], p.Agent)
	for _, s := range p.allStages() {
		r.checkRules(s)
		r.checkNames(p, s)
	}
}

func (r *reader) checkRules(s *Stage) {
	_, err := sessionstate.ParseUntil(s.Until)
	parallel := Parallel{}
	if s.Parallel != nil {
		parallel = *s.Parallel
	}
	isVerified := len(s.Verify) > 0 || slices.ContainsFunc(parallel.Stages, func(b Stage) bool { return len(b.Verify) > 0 })
	for _, rule := range []struct {
		isBroken bool
		at       place
		message  string
	}{
		{err != nil && s.Until != "", s.at["until"], fmt.Sprintf("until: %v", err)},
		{s.MinIterations > s.Runs, s.at.first("min_iterations"), fmt.Sprintf("min_iterations is %d, but runs only %d", s.MinIterations, s.Runs)},
		{s.at.has("judge") && s.strategy().Kind != sessionstate.Judge, s.at["judge"], fmt.Sprintf("there is a judge, but until is %q", s.Until)},
		{parallel.Judge != nil && parallel.Choose != ByJudge, parallel.at["choose"], fmt.Sprintf("there is a judge, but choose is %q", parallel.Choose)},
		{parallel.Choose == Best && !isVerified, parallel.at["choose"], "choose: best needs verify on a stage of the block, to tell which branch is best"},
		{s.Commit && parallel.Choose == All, s.at.first("commit", "id"), "commit: true commits the chosen branch, and none is chosen here: add a judge, or choose: best or first"},
	} {
		if rule.isBroken {
			r.say(rule.at, "%s", rule.message)
		}
	}
	for _, key := range notOnBlocks {
		if s.isChain() && s.at.has(key) {
			r.say(s.at[key], "%s belongs to the stages of the parallel block", key)
		}
	}
}

// checkNames reports agents and commands that there are not.
func (r *reader) checkNames(p *Pipeline, s *Stage) {
	for i, v := range s.Verify {
		if v != "" && !slices.ContainsFunc(p.Commands, func(c Command) bool { return c.Name == v }) {
			r.say(s.at[fmt.Sprint("verify.", i)], "there is no command %q among the pipeline's commands", v)
		}
	}
	r.checkAgent(s.at["agent"], s.Agent)
	judges := []*Judge{s.Judge}
	if s.Parallel != nil {
		judges = append(judges, s.Parallel.Judge)
	}
	for _, j := range judges {
		if j != nil {
			r.checkAgent(j.at["agent"], j.Agent)
		}
	}
	for _, m := range s.members() {
		r.checkAgent(m.at.first("agent"), m.Agent)
	}
}

func (r *reader) checkAgent(at place, agent string) {
	if agent != "" && r.out.Agents != nil && !slices.Contains(r.out.Agents, agent) {
		r.say(at, "there is no agent %q%s", agent, text.DidYouMean(agent, r.out.Agents))
	}
}
