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

func (s Setting) node() *node {
	return &node{kind: textKind, text: s.Value, place: place{src: &source{file: s.Flag}}}
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

func isKeyOf[T any](key string) bool {
	return slices.ContainsFunc(fieldsOf(reflect.TypeFor[T](), ""), func(f field) bool { return f.key == key })
}

// applyFlag puts what a flag says in the place of what the file of a pipeline says.
func (r *reader) applyFlag(root *node, f Setting) {
	n := f.node()
	command, isCommand := strings.CutPrefix(f.Key, commandsPrefix)
	ofStage, isStage := strings.CutPrefix(f.Key, stagesPrefix)
	switch {
	case f.Key == inputKey:
	case isCommand:
		if !root.has("commands") {
			root.set("commands", "commands", newMapping(n.place))
		}
		root.get("commands").set(command, command, n)
	case isStage:
		r.applyStageFlag(root, ofStage, n)
	case !isKeyOf[Pipeline](f.Key) || f.Key == "stages":
		r.say(n.place, "there is no key %q", f.Key)
	default:
		root.setFlag(f.Key, n)
		for _, s := range root.stages() {
			// The agents of a parallel block were named to differ.
			apart := s.block != nil || s.isChain()
			sameAgent := s.word("agent") == "" || agentName(s.word("agent")) == agentName(root.word("agent"))
			if f.Key == "context" || !apart && (f.Key == "agent" || f.Key == "model" && sameAgent) {
				s.setFlag(f.Key, n)
			}
		}
	}
}

// setFlag sets a key of a stage or a pipeline. A model goes with its agent.
func (n *node) setFlag(key string, value *node) {
	if key == "agent" {
		n.remove("model")
	}
	n.set(key, key[strings.LastIndexByte(key, '.')+1:], value)
}

// applyStageFlag reads ID.KEY; an id may have dots, a key has none.
func (r *reader) applyStageFlag(root *node, flag string, n *node) {
	dot := max(strings.LastIndexByte(flag, '.'), 0)
	id, word := flag[:dot], strings.TrimPrefix(flag[dot:], ".")
	key, known := stageFlags[word]
	if !known {
		r.say(n.place, "a flag cannot set %q of a stage%s; it can set %s", word, text.DidYouMean(word, StageFlags()), strings.Join(StageFlags(), ", "))
		return
	}
	var ids []string
	for _, s := range root.stages() {
		called := s.word("id")
		if s.block != nil {
			called = s.block.word("id") + "." + called
		}
		ids = append(ids, called)
		switch {
		case called != id:
			continue
		case s.block != nil && slices.Contains(shapes[branchStage].without, key):
			r.say(n.place, "a flag cannot set %q of a stage of a parallel block", word)
		default:
			s.setFlag(key, n)
		}
		return
	}
	r.say(n.place, "there is no stage %q%s", id, text.DidYouMean(id, ids))
}

// stageNode is a stage of a canonical pipeline, and the parallel stage that it is of.
type stageNode struct {
	*node
	block *node
}

// stages are all of them, each before those of its parallel block.
func (n *node) stages() (all []stageNode) {
	for _, s := range n.itemsOf("stages") {
		all = append(all, stageNode{s, nil})
		for _, sub := range s.chain() {
			all = append(all, stageNode{sub, s})
		}
	}
	return all
}

func (n *node) chain() []*node {
	if p := n.get("parallel"); p != nil {
		return p.itemsOf("stages")
	}
	return nil
}

func (n *node) isChain() bool { return len(n.chain()) > 0 }
