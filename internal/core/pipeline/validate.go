package pipeline

import (
	"fmt"
	"slices"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
)

// notOnBlocks mean nothing on a stage whose parallel block has stages.
var notOnBlocks = []string{"until", "termination", "runs", "min_iterations", "agent", "output_path", "model", "judge", "delay", "guardrails", "verify"}

// rules are what a stage that is well written must also meet: each says what is wrong,
// or "", and the keys where to report it.
var rules = []struct {
	at    []string
	check func(*Stage) string
}{
	{[]string{"until"}, func(s *Stage) string {
		if _, err := sessionstate.ParseUntil(s.Until); err != nil && s.Until != "" {
			return fmt.Sprintf("until: %v", err)
		}
		return ""
	}},
	{[]string{"min_iterations"}, func(s *Stage) string {
		return when(s.MinIterations > s.Runs, "min_iterations is %d, but runs only %d", s.MinIterations, s.Runs)
	}},
	{[]string{"judge"}, func(s *Stage) string {
		return when(s.at.has("judge") && s.strategy().Kind != sessionstate.Judge, "there is a judge, but until is %q", s.Until)
	}},
	{[]string{"parallel.choose"}, func(s *Stage) string {
		return when(s.chooses() != ByJudge && s.Parallel != nil && s.Parallel.Judge != nil, "there is a judge, but choose is %q", s.chooses())
	}},
	{[]string{"parallel.choose"}, func(s *Stage) string {
		isVerified := len(s.Verify) > 0 || slices.ContainsFunc(s.chain(), func(b Stage) bool { return len(b.Verify) > 0 })
		return when(s.chooses() == Best && !isVerified, "choose: best needs verify on a stage of the block, to tell which branch is best")
	}},
	{[]string{"commit", "id"}, func(s *Stage) string {
		return when(s.Commit && s.chooses() == All, "commit: true commits the chosen branch, and none is chosen here: add a judge, or choose: best or first")
	}},
}

// when is a message where something holds, and "" otherwise.
func when(holds bool, format string, args ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// chooses is what goes downstream of a parallel stage; "" of any other.
func (s *Stage) chooses() string {
	if s.Parallel == nil {
		return ""
	}
	return s.Parallel.Choose
}

// validate reports what is well written and cannot be meant.
func (r *reader) validate(p *Pipeline) {
	r.checkAgent(p.at["agent"], p.Agent)
	for s := range p.allStages() {
		for _, rule := range rules {
			if wrong := rule.check(s); wrong != "" {
				r.say(s.at.first(rule.at...), "%s", wrong)
			}
		}
		r.checkNames(p, s)
		for _, key := range notOnBlocks {
			if s.isChain() && s.at.has(key) {
				r.say(s.at[key], "%s belongs to the stages of the parallel block", key)
			}
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
