package pipeline

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/name"
)

// DefaultRuns bounds a stage that has no bound of its own, as core/session does.
const DefaultRuns = 50

// Load reads a pipeline file and all that it refers to, and fills in what its
// stages leave out. What flags say comes before what the file says. The pipeline is
// nil when there is a problem.
func Load(file string, text []byte, out Outside, flags ...Setting) (*Pipeline, []Problem) {
	r := &reader{}
	p := r.pipeline(file, text, flags)
	if p != nil {
		r.resolve(p, out)
	}
	return settled(p, r)
}

// Single makes the pipeline of one stage that a loop is, from flags.
func Single(id string, settings []Setting, out Outside) (*Pipeline, []Problem) {
	r := &reader{}
	p := &Pipeline{Name: id, at: map[string]place{}}
	s := Stage{ID: id, at: map[string]place{"": {src: &source{file: id}}}}
	if !name.Valid(id) {
		r.say(s.at[""], "%q is no name: %s", id, name.Rule)
	}
	for _, set := range settings {
		if set.Key == "agent" { // a model goes with its agent
			s.forgetModel()
		}
		if n := set.node(); !r.set(&s, set.Key, n) && !r.flag(p, set) {
			r.say(n.place, "there is no key %q", set.Key)
		}
	}
	switch {
	case s.Loop == "" && !s.says("prompt"):
		r.say(s.at[""], "there is neither a loop nor a prompt")
	case s.Loop != "" && s.says("prompt"):
		r.say(s.at["prompt"], "there are both a loop and a prompt; give one of them")
	}
	p.Stages = []Stage{s}
	if s.Prompt != "" {
		r.template(s.at["prompt"], s.Prompt, inPrompts, p.Commands)
	}
	r.resolve(p, out)
	return settled(p, r)
}

func settled(p *Pipeline, r *reader) (*Pipeline, []Problem) {
	if len(r.problems) > 0 {
		return nil, r.sorted()
	}
	return p, nil
}

// resolve is the one way from what was written to what runs.
func (r *reader) resolve(p *Pipeline, out Outside) {
	session := Stage{Agent: p.Agent, Model: p.Model, Context: p.Context, at: p.at}
	var block *Stage
	r.agent(p.at["agent"], p.Agent, out)
	for s := range p.all() {
		s.fix()
		if s.Loop != "" && !s.says("prompt") {
			r.loop(s, p.Commands, out)
		}
		switch {
		case s.isChain():
			block = s
			s.inherit(session.onlyContext())
		case s.inBranch:
			s.inherit(block.onlyContext())
		default:
			s.inherit(&session)
		}
		s.complete()
		r.files(s, p.Commands, out)
		r.sense(p, s, out)
	}
}

// onlyContext is a stage of which others take nothing but its context.
func (s *Stage) onlyContext() *Stage {
	only := &Stage{Context: s.Context, at: map[string]place{}}
	if s.says("context") {
		only.at["context"] = s.at["context"]
	}
	return only
}

// fix lets a fixed number of iterations be its own bound, so that a bound of the
// loop does not cut it short.
func (s *Stage) fix() {
	if word, n := strategy(s.Until); word == "fixed" && n != "" && !s.says("runs") {
		s.Runs, _ = strconv.Atoi(n)
		s.at["runs"] = s.at["until"]
	}
}

// complete fills in what nobody said: as many iterations as are wanted, or until
// a plateau.
func (s *Stage) complete() {
	if p := s.Parallel; p != nil && p.Choose == ByJudge && p.Judge == nil {
		p.Judge = &Judge{at: p.chooseAt}
	}
	if s.isChain() { // its stages say all that
		return
	}
	switch word, n := strategy(s.Until); {
	case s.Until == "" && s.Runs == 0:
		s.Until = "plateau"
	case s.Until == "" || word == "fixed" && n == "" && s.Runs > 0:
		s.Until = fmt.Sprint("fixed ", s.Runs)
		s.at["until"] = s.where("runs")
	}
	if s.Runs == 0 {
		s.Runs = DefaultRuns
	}
	if s.Judge == nil && s.judged() {
		s.Judge = &Judge{at: s.at["until"]}
	}
}

// strategy is the name of one, and the first thing that is said of it.
func strategy(until string) (word, arg string) {
	words := append(strings.FieldsFunc(until, func(c rune) bool { return c == ' ' || c == ':' || c == '=' }), "", "")
	return strings.ToLower(words[0]), words[1]
}

func (s *Stage) judged() bool { word, _ := strategy(s.Until); return word == "judge" }

// sense complains about what is well written and cannot be meant.
func (r *reader) sense(p *Pipeline, s *Stage, out Outside) {
	if s.isChain() {
		for _, k := range inBranchesOnly {
			if s.says(k) {
				r.say(s.at[k], "%s is for the stages of the parallel block to say", k)
			}
		}
	}
	if out.Until != nil && s.says("until") {
		if err := out.Until(s.Until); err != nil {
			r.say(s.at["until"], "until: %v", err)
		}
	}
	if s.MinIterations > s.Runs {
		r.say(s.where("min_iterations"), "min_iterations is %d, but runs only %d", s.MinIterations, s.Runs)
	}
	if s.says("judge") && !s.judged() {
		r.say(s.at["judge"], "there is a judge, but until is %q", s.Until)
	}
	for _, v := range s.Verify {
		if v != "" && !slices.ContainsFunc(p.Commands, func(c Command) bool { return c.Name == v }) {
			r.say(s.at["verify"], "there is no command %q among the pipeline's commands", v)
		}
	}
	r.agent(s.at["agent"], s.Agent, out)
	if s.Judge != nil {
		r.agent(s.Judge.agentAt, s.Judge.Agent, out)
	}
	if s.Parallel == nil {
		return
	}
	for _, m := range s.Parallel.Agents {
		r.agent(m.at, m.Agent, out)
	}
	if j := s.Parallel.Judge; j != nil {
		r.agent(j.agentAt, j.Agent, out)
	}
	r.choice(s)
}

func (r *reader) agent(at place, agent string, out Outside) {
	if agent != "" && out.Agents != nil && !slices.Contains(out.Agents, agent) {
		r.say(at, "there is no agent %q%s", agent, meant(agent, out.Agents))
	}
}
