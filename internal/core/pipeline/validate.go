package pipeline

import (
	"fmt"
	"slices"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
)

// notOnBlocks mean nothing on a stage whose parallel block has stages.
var notOnBlocks = []string{"until", "termination", "runs", "min_iterations", "agent", "output_path", "model", "judge", "delay", "guardrails", "verify"}

// rule is what must not be, and what to say about it.
type rule struct {
	isBroken bool
	at       place
	message  string
}

func (p *problems) checkRules(rules []rule) {
	for _, rule := range rules {
		if rule.isBroken {
			p.report(rule.at, "%s", rule.message)
		}
	}
}

// checkSource checks that a stage has one thing to do, and an id: that of its loop, where
// it names none.
func (r *reader) checkSource(s *Stage) {
	loop, hasLoop := s.at["loop"]
	folder, hasFolder := s.at["stage"]
	prompt, hasPrompt := s.at["prompt"]
	called := s.Loop
	if hasFolder && !hasLoop {
		loop, called = folder, s.Folder
	}
	hasSource := hasLoop || hasFolder
	if !s.at.has("id") && text.ValidName(called) && !isLoopFile(called) {
		s.ID, s.at["id"] = called, loop
	}
	r.checkRules([]rule{
		{hasLoop && hasFolder, folder, "there are both a loop and a stage folder; give one of them"},
		{s.isChain() && hasPrompt, prompt, "there is a prompt, and the parallel block has stages; give one of them"},
		{s.isChain() && hasSource && !hasPrompt, loop, "there is a loop, and the parallel block has stages; give one of them"},
		{!s.isChain() && !hasSource && !hasPrompt, s.at[""], "there is neither a loop nor a prompt"},
		{!s.isChain() && hasSource && hasPrompt, prompt, "there are both a loop and a prompt; give one of them"},
		{!s.at.has("id"), s.at[""], "the stage has no id"},
	})
}

// validate reports what is well written and cannot be meant.
func (r *reader) validate(p *Pipeline) {
	r.checkAgent(p.at["agent"], p.Agent)
	for s := range p.eachStage() {
		r.checkStage(s)
		r.checkNames(p, s)
	}
}

func (r *reader) checkStage(s *Stage) {
	_, err := sessionstate.ParseUntil(s.Until)
	parallel := Parallel{}
	if s.Parallel != nil {
		parallel = *s.Parallel
	}
	isVerified := len(s.Verify) > 0 || slices.ContainsFunc(parallel.Stages, func(b Stage) bool { return len(b.Verify) > 0 })
	r.checkRules([]rule{
		{err != nil && s.Until != "", s.at["until"], fmt.Sprintf("until: %v", err)},
		{s.MinIterations > s.Runs, s.at.first("min_iterations"), fmt.Sprintf("min_iterations is %d, but runs only %d", s.MinIterations, s.Runs)},
		{s.at.has("judge") && s.strategy().Kind != sessionstate.Judge, s.at["judge"], fmt.Sprintf("there is a judge, but until is %q", s.Until)},
		{parallel.Judge != nil && parallel.Choose != ByJudge, parallel.at["choose"], fmt.Sprintf("there is a judge, but choose is %q", parallel.Choose)},
		{parallel.Choose == Best && !isVerified, parallel.at["choose"], "choose: best needs verify on a stage of the block, to tell which branch is best"},
		{s.Commit && parallel.Choose == All, s.at.first("commit", "id"), "commit: true commits the chosen branch, and none is chosen here: add a judge, or choose: best or first"},
	})
	for _, key := range notOnBlocks {
		if s.isChain() && s.at.has(key) {
			r.report(s.at[key], "%s belongs to the stages of the parallel block", key)
		}
	}
}

// checkNames reports agents and commands that there are not.
func (r *reader) checkNames(p *Pipeline, s *Stage) {
	for i, v := range s.Verify {
		if v != "" && !slices.ContainsFunc(p.Commands, func(c Command) bool { return c.Name == v }) {
			r.report(s.at[fmt.Sprint("verify.", i)], "there is no command %q among the pipeline's commands", v)
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
		r.report(at, "there is no agent %q%s", agent, text.DidYouMean(agent, r.out.Agents))
	}
}
