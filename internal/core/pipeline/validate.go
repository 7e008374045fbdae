package pipeline

import (
	"fmt"
	"math"
	"slices"

	"warp/internal/core/sessionstate"
	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// notOnBlocks are keys without meaning on a stage whose parallel block has stages.
var notOnBlocks = []string{"until", "runs", "min_iterations", "agent", "output_path", "model", "judge", "delay", "guardrails", "verify"}

// rule is a condition that must not hold, and its message.
type rule struct {
	isBroken bool
	at       yamltree.Place
	message  string
}

func (r *reader) checkRules(rules []rule) {
	for _, rule := range rules {
		if rule.isBroken {
			r.Report(rule.at, "%s", rule.message)
		}
	}
}

// sourceRules check that a stage, as written, has exactly one thing to do, and an id.
func sourceRules(s *Stage) []rule {
	n := s.node
	hasPrompt, hasLoop := n.Has("prompt"), n.Has("loop") || n.Has("stage")
	return []rule{
		{n.Has("loop") && n.Has("stage"), n.Where("stage"), "there are both a loop and a stage folder; give one of them"},
		{s.isChain() && (hasPrompt || hasLoop), n.Where("prompt", "loop", "stage"), "there is a prompt or a loop, and the parallel block has stages; give one of them"},
		{!s.isChain() && !hasLoop && !hasPrompt, n.Place, "there is neither a loop nor a prompt"},
		{!s.isChain() && hasLoop && hasPrompt, n.Where("prompt"), "there are both a loop and a prompt; give one of them"},
		{!n.Has("id"), n.Place, "the stage has no id"},
	}
}

// validate reports what is well formed but cannot be meant.
func (r *reader) validate(p *Pipeline) {
	rules := []rule{
		{!p.node.Get("stages").IsListOf(1, math.MaxInt), p.node.Where("stages"), "stages must be a list of at least one stage"},
		r.agentRule(p.node, p.Agent),
	}
	for i, c := range p.Commands {
		rules = append(rules, rule{!text.ValidName(c.Name), p.node.Get("commands").Entries[i].At, fmt.Sprintf("%q is not the name of a command: %s", c.Name, text.NameRule)})
	}
	for s := range p.eachStage() {
		rules = append(rules, r.stageRules(p, s)...)
		if s.Parallel != nil {
			rules = append(rules, r.parallelRules(s, s.Parallel)...)
		}
	}
	r.checkRules(rules)
}

func (r *reader) stageRules(p *Pipeline, s *Stage) []rule {
	_, err := sessionstate.ParseUntil(s.Until)
	rules := []rule{
		{err != nil && s.Until != "", s.node.Where("until"), fmt.Sprintf("until: %v", err)},
		{s.MinIterations > s.Runs, s.node.Where("min_iterations"), fmt.Sprintf("min_iterations is %d, but runs only %d", s.MinIterations, s.Runs)},
		{s.Judge != nil && s.strategy().Kind != sessionstate.Judge, s.node.Where("judge"), fmt.Sprintf("there is a judge, but until is %q", s.Until)},
		r.agentRule(s.node, s.Agent),
	}
	if s.Judge != nil {
		rules = append(rules, r.agentRule(s.Judge.node, s.Judge.Agent))
	}
	for i, v := range s.Verify {
		isKnown := v == "" || slices.ContainsFunc(p.Commands, func(c Command) bool { return c.Name == v })
		rules = append(rules, rule{!isKnown, s.node.Get("verify").Elements()[i].Place, fmt.Sprintf("there is no command %q among the pipeline's commands", v)})
	}
	for _, key := range notOnBlocks {
		rules = append(rules, rule{s.isChain() && s.node.Has(key), s.node.Where(key), key + " belongs to the stages of the parallel block"})
	}
	return rules
}

func (r *reader) parallelRules(s *Stage, p *Parallel) []rule {
	isVerified := len(s.Verify) > 0 || slices.ContainsFunc(p.Stages, func(b Stage) bool { return len(b.Verify) > 0 })
	rules := []rule{
		{!p.node.Get("agents").IsListOf(2, 16), p.node.Where("agents"), "agents must be a list of 2 to 16 agents"},
		{p.node.Has("stages") && !p.node.Get("stages").IsListOf(1, math.MaxInt), p.node.Where("stages"), "stages must be a list of at least one stage"},
		{p.Judge != nil && p.Choose != ByJudge, p.node.Where("choose"), fmt.Sprintf("there is a judge, but choose is %q", p.Choose)},
		{p.Choose == Best && !isVerified, p.node.Where("choose"), "choose: best needs verify on a stage of the block, to tell which branch is best"},
		{s.Commit && p.Choose == All, s.node.Where("commit", "id"), "commit: true commits the chosen branch, and none is chosen here: add a judge, or choose: best or first"},
	}
	if p.Judge != nil {
		rules = append(rules, r.agentRule(p.Judge.node, p.Judge.Agent))
	}
	for _, m := range p.Agents {
		rules = append(rules, rule{!m.node.Has("agent"), m.node.Place, "the agent is missing"}, r.agentRule(m.node, m.Agent))
	}
	return rules
}

// agentRule checks that an agent is known.
func (r *reader) agentRule(n *yamltree.Node, agent string) rule {
	isKnown := agent == "" || r.out.Agents == nil || slices.Contains(r.out.Agents, agent)
	return rule{!isKnown, n.Where("agent"), fmt.Sprintf("there is no agent %q%s", agent, text.DidYouMean(agent, r.out.Agents))}
}
