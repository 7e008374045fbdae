package pipeline

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// Setting is what a flag says of a stage, or of its session: a key as in a file
// (guardrails.max_cost is one too), and the flag to name when it is wrong. Of a
// pipeline, commands.NAME is a command, and stages.ID.KEY is said of one stage.
type Setting struct{ Key, Value, Flag string }

// entry is a setting as a file would say it.
func (s Setting) entry() entry {
	n := &node{kind: textKind, text: s.Value, place: place{src: &source{file: s.Flag}}}
	return entry{s.Key[strings.LastIndexByte(s.Key, '.')+1:], n.place, n}
}

const (
	commandsPrefix = "commands."
	stagesPrefix   = "stages."
	inputKey       = "input" // a file that the session is given to begin with
)

// stageFlags are the keys of stages that flags may set, by the word for each.
var stageFlags = map[string]string{
	"max": "runs", "runs": "runs", "min_iterations": "min_iterations", "until": "until", "agent": "agent", "model": "model", "delay": "delay", "commit": "commit",
	"max_cost": "guardrails.max_cost", "max_runtime_seconds": "guardrails.max_runtime_seconds", "no_progress": "guardrails.no_progress",
}

// StageFlags are the words for what a flag may set of a stage.
func StageFlags() []string { return slices.Sorted(maps.Keys(stageFlags)) }

// applyFlag puts what a flag says in the place of what the file of a pipeline says.
func (r *reader) applyFlag(p *Pipeline, f Setting) {
	command, isCommand := strings.CutPrefix(f.Key, commandsPrefix)
	ofStage, isStage := strings.CutPrefix(f.Key, stagesPrefix)
	switch {
	case f.Key == inputKey:
		p.Initial = append(p.Initial, f.Value)
	case isCommand:
		r.setCommand(p, command, f)
	case isStage:
		r.applyStageFlag(p, ofStage, f)
	case !r.setKey(p, p.at, f):
		r.report(f.entry().at, "there is no key %q", f.Key)
	default:
		for s, block := range p.eachStage() {
			// The agents of a parallel block were named to differ.
			apart := block != nil || s.isChain()
			sameAgent := s.Agent == "" || s.Agent == p.Agent
			if f.Key == "context" || !apart && (f.Key == "agent" || f.Key == "model" && sameAgent) {
				r.setKey(s, s.at, f)
			}
		}
	}
}

// setKey sets a key of a stage or a pipeline; false: it has no such key. A model goes
// with its agent.
func (d *decoder) setKey(of any, at places, f Setting) bool {
	to := reflect.ValueOf(of).Elem()
	field := findField(fieldsOf(to.Type(), ""), f.Key)
	if field == nil {
		return false
	}
	if f.Key == "agent" {
		to.FieldByName("Model").SetZero()
		delete(at, "model")
	}
	d.decodeField(f.entry(), *field, to.Field(field.index), at)
	return true
}

func (d *decoder) setCommand(p *Pipeline, name string, f Setting) {
	e := f.entry()
	e.key = name
	command := d.decodeCommand(e, p.at)
	if i := slices.IndexFunc(p.Commands, func(c Command) bool { return c.Name == name }); i >= 0 {
		p.Commands[i] = command
	} else {
		p.Commands = append(p.Commands, command)
	}
}

// applyStageFlag reads ID.KEY; an id may have dots, a key has none.
func (r *reader) applyStageFlag(p *Pipeline, name string, f Setting) {
	at := f.entry().at
	dot := max(strings.LastIndexByte(name, '.'), 0)
	id, word := name[:dot], strings.TrimPrefix(name[dot:], ".")
	key, known := stageFlags[word]
	if !known {
		r.report(at, "a flag cannot set %q of a stage%s; it can set %s", word, text.DidYouMean(word, StageFlags()), strings.Join(StageFlags(), ", "))
		return
	}
	var ids []string
	for s, block := range p.eachStage() {
		called := s.ID
		if block != nil {
			called = block.ID + "." + s.ID
		}
		ids = append(ids, called)
		switch {
		case called != id:
			continue
		case block != nil && slices.Contains(shapes[branchStage].without, key):
			r.report(at, "a flag cannot set %q of a stage of a parallel block", word)
		default:
			r.setKey(s, s.at, Setting{key, f.Value, f.Flag})
		}
		return
	}
	r.report(at, "there is no stage %q%s", id, text.DidYouMean(id, ids))
}
