package pipeline

import (
	"slices"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
)

// validate reports what is well written and cannot be meant.
func (r *reader) validate(p *Pipeline) {
	r.checkAgent(p.at["agent"], p.Agent)
	for s := range p.allStages() {
		r.validateStage(p, s)
	}
}

func (r *reader) validateStage(p *Pipeline, s *Stage) {
	if s.isChain() {
		for _, k := range notOnBlocks {
			if s.at.has(k) {
				r.say(s.at[k], "%s belongs to the stages of the parallel block", k)
			}
		}
	}
	if _, err := sessionstate.ParseUntil(s.Until); err != nil && s.at.has("until") && s.Until != "" {
		r.say(s.at["until"], "until: %v", err)
	}
	if s.MinIterations > s.Runs {
		r.say(s.at.first("min_iterations"), "min_iterations is %d, but runs only %d", s.MinIterations, s.Runs)
	}
	if s.at.has("judge") && s.strategy().Kind != sessionstate.Judge {
		r.say(s.at["judge"], "there is a judge, but until is %q", s.Until)
	}
	for _, v := range s.Verify {
		if v != "" && !slices.ContainsFunc(p.Commands, func(c Command) bool { return c.Name == v }) {
			r.say(s.at["verify"], "there is no command %q among the pipeline's commands", v)
		}
	}
	r.checkAgent(s.at["agent"], s.Agent)
	r.checkJudge(s.Judge)
	if s.Parallel == nil {
		return
	}
	for _, m := range s.Parallel.Agents {
		r.checkAgent(m.at.first("agent"), m.Agent)
	}
	r.checkJudge(s.Parallel.Judge)
	r.checkChoice(s)
}

func (r *reader) checkChoice(s *Stage) {
	p := s.Parallel
	isVerified := s.anyInBranch(func(b Stage) bool { return len(b.Verify) > 0 })
	switch {
	case p.Choose != ByJudge && p.Judge != nil:
		r.say(p.at["choose"], "there is a judge, but choose is %q", p.Choose)
	case p.Choose == Best && !isVerified:
		r.say(p.at["choose"], "choose: best needs verify on a stage of the block, to tell which branch is best")
	}
	if s.Commit && p.Choose == All {
		r.say(s.at.first("commit", "id"), "commit: true commits the chosen branch, and none is chosen here: add a judge, or choose: best or first")
	}
}

func (r *reader) checkJudge(j *Judge) {
	if j != nil {
		r.checkAgent(j.at["agent"], j.Agent)
	}
}

func (r *reader) checkAgent(at place, agent string) {
	if agent != "" && r.out.Agents != nil && !slices.Contains(r.out.Agents, agent) {
		r.say(at, "there is no agent %q%s", agent, text.DidYouMean(agent, r.out.Agents))
	}
}
