package pipeline

import (
	"maps"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// Setting is what a flag says of a stage, or of its session: a key as in a file
// (guardrails.max_cost is one too), and the flag to name when it is wrong. Of a
// pipeline, commands.NAME is a command, and stages.ID.KEY is said of one stage.
type Setting struct{ Key, Value, Flag string }

// node is the value as a file would say it.
func (s Setting) node() *yamltree.Node {
	return &yamltree.Node{Kind: yamltree.Text, Text: s.Value, Place: yamltree.Place{Source: &yamltree.Source{File: s.Flag}}}
}

// stageFlags are the keys of stages that flags may set, by the word for each.
var stageFlags = map[string]string{
	"max": "runs", "runs": "runs", "min_iterations": "min_iterations", "until": "until", "agent": "agent", "model": "model", "delay": "delay", "commit": "commit",
	"max_cost": "guardrails.max_cost", "max_runtime_seconds": "guardrails.max_runtime_seconds", "no_progress": "guardrails.no_progress",
}

// StageFlags are the words for what a flag may set of a stage.
func StageFlags() []string { return slices.Sorted(maps.Keys(stageFlags)) }

// setFlag puts what a flag says in the place of what a file says. A model goes with its
// agent.
func setFlag(n *yamltree.Node, key string, f Setting) {
	if key == "agent" {
		n.Remove("model")
	}
	n.Put(key, f.node())
}

// applyFlag has a flag change what the file of a pipeline says.
func (r *reader) applyFlag(p *Pipeline, f Setting) {
	ofStage, isStage := strings.CutPrefix(f.Key, "stages.")
	switch {
	case f.Key == "input": // a file that the session is given to begin with
		p.Initial = append(p.Initial, f.Value)
	case isStage:
		r.applyStageFlag(p, ofStage, f)
	default:
		setFlag(p.node, f.Key, f)
		for s, block := range p.eachStage() {
			// The agents of a parallel block were named to differ.
			isApart := block != nil || s.isChain()
			agent := agentOf(s.node)
			isSame := agent == "" || agent == agentOf(p.node)
			if f.Key == "context" || !isApart && (f.Key == "agent" || f.Key == "model" && isSame) {
				setFlag(s.node, f.Key, f)
			}
		}
	}
}

// applyStageFlag reads ID.KEY; an id may have dots, a key has none.
func (r *reader) applyStageFlag(p *Pipeline, name string, f Setting) {
	at := f.node().Place
	dot := max(strings.LastIndexByte(name, '.'), 0)
	id, word := name[:dot], strings.TrimPrefix(name[dot:], ".")
	key, known := stageFlags[word]
	if !known {
		r.Report(at, "a flag cannot set %q of a stage%s; it can set %s", word, text.DidYouMean(word, StageFlags()), strings.Join(StageFlags(), ", "))
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
			r.Report(at, "a flag cannot set %q of a stage of a parallel block", word)
		default:
			setFlag(s.node, key, f)
		}
		return
	}
	r.Report(at, "there is no stage %q%s", id, text.DidYouMean(id, ids))
}
