package pipeline

import (
	"maps"
	"slices"
	"strings"

	"warp/internal/core/text"
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

// stageFlags are the keys of stages that flags may set, by the word for each.
var stageFlags = map[string]string{
	"max": "runs", "runs": "runs", "min_iterations": "min_iterations", "until": "until", "agent": "agent", "model": "model", "delay": "delay", "commit": "commit",
	"max_cost": "guardrails.max_cost", "max_runtime_seconds": "guardrails.max_runtime_seconds", "no_progress": "guardrails.no_progress",
}

// StageFlags are the words for what a flag may set of a stage.
func StageFlags() []string { return slices.Sorted(maps.Keys(stageFlags)) }

// applyFlag puts what a flag says of a pipeline in the place of what its file says.
func (r *reader) applyFlag(p *Pipeline, f Setting) {
	n := f.node()
	command, isCommand := strings.CutPrefix(f.Key, commandsPrefix)
	ofStage, isStage := strings.CutPrefix(f.Key, stagesPrefix)
	switch {
	case isCommand:
		p.setCommand(r.command(command, n.place, n), n.place)
		return
	case isStage:
		r.applyStageFlag(p, ofStage, n)
		return
	case f.Key == "input":
		p.Initial = append(p.Initial, f.Value)
		return
	case f.Key == "agent": // a model goes with its agent
		p.Model = ""
		delete(p.at, "model")
	}
	if !r.set(n, f.Key, f.Key, withoutKeys(p.fields(), []string{"stages"}), p.at) {
		r.say(n.place, "there is no key %q", f.Key)
		return
	}
	// An agent is that of all stages, but for those of a parallel stage, which were
	// named to differ.
	for s := range p.allStages() {
		apart := s.isChain() || s.inBranch
		switch {
		case f.Key == "context", f.Key == "agent" && !apart, f.Key == "model" && !apart && (s.Agent == "" || s.Agent == p.Agent):
			r.setStage(s, f.Key, n)
		}
	}
}

// setStage reads what a flag says of a stage; false when there is no such key.
func (r *reader) setStage(s *Stage, key string, n *node) bool {
	if key == "agent" { // a model goes with its agent
		s.Model = ""
		delete(s.at, "model")
	}
	return r.set(n, key, key[strings.LastIndexByte(key, '.')+1:], s.fields(), s.at)
}

func (p *Pipeline) setCommand(c Command, at place) {
	p.at[commandsPrefix+c.Name] = at
	if i := slices.IndexFunc(p.Commands, func(o Command) bool { return o.Name == c.Name }); i >= 0 {
		p.Commands[i] = c
	} else {
		p.Commands = append(p.Commands, c)
	}
}

// applyStageFlag reads ID.KEY; an id may have dots, a key has none.
func (r *reader) applyStageFlag(p *Pipeline, flag string, n *node) {
	dot := max(strings.LastIndexByte(flag, '.'), 0)
	id, word := flag[:dot], strings.TrimPrefix(flag[dot:], ".")
	key, known := stageFlags[word]
	if !known {
		r.say(n.place, "a flag cannot set %q of a stage%s; it can set %s", word, text.DidYouMean(word, StageFlags()), strings.Join(StageFlags(), ", "))
		return
	}
	s, ids := p.findStage(id)
	switch {
	case s == nil:
		r.say(n.place, "there is no stage %q%s", id, text.DidYouMean(id, ids))
	case s.inBranch && slices.Contains(notInBranches, key):
		r.say(n.place, "a flag cannot set %q of a stage of a parallel block", word)
	default:
		r.setStage(s, key, n)
	}
}

// findStage is a stage by its id, or by STAGE.SUB one that every branch of a parallel
// stage does; nil with the ids that there are.
func (p *Pipeline) findStage(id string) (found *Stage, ids []string) {
	block := ""
	for s := range p.allStages() {
		called := s.ID
		if s.inBranch {
			called = block + "." + s.ID
		} else {
			block = s.ID
		}
		if called == id {
			return s, ids
		}
		ids = append(ids, called)
	}
	return nil, ids
}
