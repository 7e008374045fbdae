package pipeline

import (
	"maps"
	"slices"
	"strings"

	"warp/internal/core/name"
)

// Setting is what a flag says of a stage, or of its session: a key as in a file
// (guardrails.max_cost is one too), and the flag to name when it is wrong. Of a
// pipeline, commands.NAME is a command, and stages.ID.KEY is said of one stage.
type Setting struct{ Key, Value, Flag string }

func (s Setting) node() *node {
	return &node{kind: textKind, text: s.Value, place: place{src: &source{file: s.Flag}}}
}

const (
	commandsPrefix = "commands."
	stagesPrefix   = "stages."
)

// stageFlags are the keys of stages that flags may say, by the word for each.
var stageFlags = map[string]string{
	"max": "runs", "runs": "runs", "min_iterations": "min_iterations", "until": "until", "agent": "agent", "model": "model", "delay": "delay", "commit": "commit",
	"max_cost": "guardrails.max_cost", "max_runtime_seconds": "guardrails.max_runtime_seconds", "no_progress": "guardrails.no_progress",
}

// StageFlags are the words for what a flag may say of a stage.
func StageFlags() []string { return slices.Sorted(maps.Keys(stageFlags)) }

// override puts what flags say of a pipeline in the place of what its file says.
func (r *reader) override(p *Pipeline, flags []Setting) {
	for _, f := range flags {
		if strings.HasPrefix(f.Key, stagesPrefix) { // when there are stages
			continue
		}
		if !r.flag(p, f) {
			r.say(f.node().place, "there is no key %q", f.Key)
		}
	}
}

// flag reads what a flag says of a pipeline, but for its stages.
func (r *reader) flag(p *Pipeline, f Setting) bool {
	n := f.node()
	command, isCommand := strings.CutPrefix(f.Key, commandsPrefix)
	switch {
	case isCommand:
		r.overrideCommand(p, command, n)
	case f.Key == "input":
		p.Initial = append(p.Initial, f.Value)
	case f.Key == "agent": // a model goes with its agent
		p.Model = ""
		delete(p.at, "model")
		return r.about(p, f.Key, n)
	default:
		return r.about(p, f.Key, n)
	}
	return true
}

func (r *reader) overrideCommand(p *Pipeline, called string, n *node) {
	if !name.Valid(called) {
		r.say(n.place, "%q is no name of a command: %s", called, name.Rule)
		return
	}
	c := Command{called, strings.TrimSpace(r.prose(n, "a command"))}
	p.at[commandsPrefix+called] = n.place
	if i := slices.IndexFunc(p.Commands, func(o Command) bool { return o.Name == called }); i >= 0 {
		p.Commands[i] = c
	} else {
		p.Commands = append(p.Commands, c)
	}
}

// overrideStages puts what flags say of stages in the place of what the file says. An
// agent is that of all stages; those of a parallel stage were named to differ, and
// stay.
func (r *reader) overrideStages(p *Pipeline, flags []Setting) {
	for _, f := range flags {
		n := f.node()
		rest, one := strings.CutPrefix(f.Key, stagesPrefix)
		for s := range p.all() {
			switch {
			case f.Key == "context":
				r.set(s, "context", n)
			case s.isChain() || s.inBranch:
			case f.Key == "agent":
				s.forgetModel()
				r.set(s, "agent", n)
			case f.Key == "model" && (s.Agent == "" || s.Agent == p.Agent):
				r.set(s, "model", n)
			}
		}
		if one {
			r.overrideStage(p, rest, n)
		}
	}
}

// overrideStage reads ID.KEY; an id may have dots, a key has none.
func (r *reader) overrideStage(p *Pipeline, rest string, n *node) {
	dot := max(strings.LastIndexByte(rest, '.'), 0)
	id, word := rest[:dot], strings.TrimPrefix(rest[dot:], ".")
	key, known := stageFlags[word]
	if !known {
		r.say(n.place, "a flag cannot say %q of a stage%s; it can say %s", word, meant(word, StageFlags()), strings.Join(StageFlags(), ", "))
		return
	}
	s, ids := p.find(id)
	if s == nil {
		r.say(n.place, "there is no stage %q%s", id, meant(id, ids))
		return
	}
	if s.inBranch && slices.Contains(notInBranches, key) {
		r.say(n.place, "a flag cannot say %q of a stage of a parallel block", word)
		return
	}
	if key == "agent" {
		s.forgetModel()
	}
	r.set(s, key, n)
}

// find is a stage by its id, or by STAGE.SUB one that every branch of a parallel stage
// does; nil with the ids that there are.
func (p *Pipeline) find(id string) (found *Stage, ids []string) {
	for i := range p.Stages {
		s := &p.Stages[i]
		if ids = append(ids, s.ID); s.ID == id {
			return s, ids
		}
		for k, sub := range s.chain() {
			if ids = append(ids, s.ID+"."+sub.ID); s.ID+"."+sub.ID == id {
				return &s.Parallel.Stages[k], ids
			}
		}
	}
	return nil, ids
}

// forgetModel takes back the model of an agent that another takes the place of.
func (s *Stage) forgetModel() {
	s.Model = ""
	delete(s.at, "model")
}
