package pipeline

import (
	"slices"
	"strings"

	"warp/internal/core/name"
)

// Parse reads a pipeline file and names everything that is wrong within it. What
// it refers to is looked at by Load. The pipeline is nil when the text is no YAML
// mapping at all.
func Parse(file string, text []byte) (*Pipeline, []Problem) {
	r := &reader{}
	p := r.pipeline(file, text, nil)
	return p, r.sorted()
}

// documentKeys are those of the file itself.
var documentKeys = []string{"name", "description", "commands", "stages", "nodes", "agent", "model", "context", "max_cost", "max_time"}

func (r *reader) pipeline(file string, text []byte, flags []Setting) *Pipeline {
	n := r.open(file, text, "a pipeline", documentKeys)
	if n == nil {
		return nil
	}
	p := &Pipeline{File: file, at: map[string]place{}}
	for _, e := range n.entries {
		r.about(p, e.key, e.value)
	}
	r.override(p, flags)
	stages := n.get("stages")
	if nodes := n.get("nodes"); stages == nil {
		stages = nodes
	} else if nodes != nil {
		r.say(nodes.place, "stages and nodes are the same; give one of them")
	}
	switch {
	case stages == nil:
		r.say(n.place, "the pipeline has no stages")
	case stages.kind != list || len(stages.items) == 0:
		r.say(stages.place, "stages must be a list of at least one stage")
	default:
		for _, i := range stages.items {
			p.Stages = append(p.Stages, r.stage(i))
		}
	}
	r.overrideStages(p, flags)
	r.link(p)
	for s := range p.all() {
		if s.Prompt != "" {
			r.template(s.at["prompt"], s.Prompt, inPrompts, p.Commands)
		}
		r.judges(s, p.Commands)
	}
	return p
}

// open reads the one mapping that a file must be.
func (r *reader) open(file string, text []byte, what string, known []string) *node {
	src, ok := r.clean(file, text)
	if !ok {
		return nil
	}
	n := r.document(src)
	if n == nil || !r.mapping(n, what, known) {
		return nil
	}
	return n
}

// about reads what is said of a pipeline under a key, but for its stages.
func (r *reader) about(p *Pipeline, key string, n *node) bool {
	p.at[key] = n.place
	switch key {
	case "name":
		p.Name = r.id(n, "name")
	case "description":
		p.Description = r.prose(n, "description")
	case "agent":
		p.Agent = r.agentName(n, "agent")
	case "model":
		p.Model = r.word(n, "model")
	case "context":
		p.Context = strings.TrimSpace(r.prose(n, "context"))
	case "max_cost":
		p.MaxCost = r.dollars(n, "max_cost")
	case "max_time":
		p.MaxTime = r.span(n, "max_time")
	case "commands":
		p.Commands = r.commands(n)
	default:
		return false
	}
	return true
}

func (r *reader) commands(n *node) []Command {
	if n.kind != mapping {
		r.say(n.place, "commands must be a mapping of names to command lines, not %s", n.kind)
	}
	var all []Command
	for _, e := range n.entries {
		if !name.Valid(e.key) {
			r.say(e.at, "%q is no name of a command: %s", e.key, name.Rule)
		}
		all = append(all, Command{e.key, strings.TrimSpace(r.prose(e.value, "a command"))})
	}
	return all
}

func (r *reader) stage(n *node) Stage {
	return r.stageOf(n, "a stage", names("", false))
}

// stageOf reads a stage that may say some keys.
func (r *reader) stageOf(n *node, what string, known []string) Stage {
	s := Stage{at: map[string]place{"": n.place}}
	if !r.mapping(n, what, known) {
		return s
	}
	r.entries(&s, n)
	loop, folder, prompt := n.get("loop"), n.get("stage"), n.get("prompt")
	if loop != nil && folder != nil {
		r.say(folder.place, "the stage has both a loop and a stage folder; give one of them")
	} else if loop == nil {
		loop = folder
	}
	switch {
	case s.isChain() && (loop != nil || prompt != nil):
		r.say(s.where("prompt", "loop"), "the stage has a loop or a prompt, and its parallel block stages of its own; give one of them")
	case s.isChain():
	case loop == nil && prompt == nil:
		r.say(n.place, "the stage has neither a loop nor a prompt")
	case loop != nil && prompt != nil:
		r.say(prompt.place, "the stage has both a loop and a prompt; give one of them")
	}
	switch id, also := n.get("id"), n.get("name"); {
	case id != nil && also != nil:
		r.say(also.place, "id and name are the same; give one of them")
	case id == nil && also == nil && loop != nil && name.Valid(s.Loop) && !isLoopFile(s.Loop):
		s.ID, s.at["id"] = s.Loop, loop.place
	case id == nil && also == nil:
		r.say(n.place, "the stage has no id")
	}
	return s
}

// entries reads all that is said of a stage. Dotted names are not for files.
func (r *reader) entries(s *Stage, n *node) {
	known := names("", false)
	for _, e := range n.entries {
		if slices.Contains(known, e.key) {
			r.set(s, e.key, e.value)
		}
	}
}
