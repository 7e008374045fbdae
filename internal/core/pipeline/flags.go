package pipeline

import (
	"maps"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// Setting is what a flag sets on a stage or its session: a key as in a file (also
// guardrails.max_cost), and the flag to name if it is invalid. For a pipeline, commands.NAME is a
// command, and stages.ID.KEY applies to one stage.
type Setting struct{ Key, Value, Flag string }

// node returns the value as if a file held it.
func (s Setting) node() *yamltree.Node {
	return &yamltree.Node{Kind: yamltree.Text, Text: s.Value, Place: yamltree.Place{Source: &yamltree.Source{File: s.Flag}}}
}

// stageFlags are the stage keys that flags may set, by the name used in the flag.
var stageFlags = map[string]string{
	"max": "runs", "runs": "runs", "min_iterations": "min_iterations", "until": "until", "agent": "agent", "model": "model", "delay": "delay", "commit": "commit",
	"max_cost": "guardrails.max_cost", "max_runtime_seconds": "guardrails.max_runtime_seconds", "no_progress": "guardrails.no_progress",
}

// StageFlags returns the names that a flag may set on a stage.
func StageFlags() []string { return slices.Sorted(maps.Keys(stageFlags)) }

// setFlag overrides a file's value by a flag's. A new agent drops the model, which belongs to the
// old one.
func setFlag(n *yamltree.Node, key string, f Setting) {
	if key == "agent" {
		n.Remove("model")
	}
	n.Put(key, f.node())
}

// overrideSession puts the flags about the whole session into its file.
func (p *Pipeline) overrideSession(n *yamltree.Node, flags []Setting) {
	for _, f := range flags {
		switch {
		case f.Key == "input": // an initial file of the session
			p.Initial = append(p.Initial, f.Value)
		case !strings.HasPrefix(f.Key, "stages."):
			setFlag(n, f.Key, f)
		}
	}
}

// overrideStages applies a flag to the stages that it is about.
func (r *reader) overrideStages(p *Pipeline, f Setting) {
	if one, isOne := strings.CutPrefix(f.Key, "stages."); isOne {
		r.overrideStage(p, one, f)
		return
	}
	for s, block := range p.eachStage() {
		// A parallel block names different agents on purpose.
		isApart := block != nil || s.isChain()
		agent := agentOf(s.node)
		isSame := agent == "" || agent == agentOf(p.node)
		if f.Key == "context" || !isApart && (f.Key == "agent" || f.Key == "model" && isSame) {
			setFlag(s.node, f.Key, f)
		}
	}
}

// overrideStage reads ID.KEY; an id may contain dots, a key may not.
func (r *reader) overrideStage(p *Pipeline, name string, f Setting) {
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
		case block != nil && slices.Contains(shapes[branchStage].Without, key):
			r.Report(at, "a flag cannot set %q of a stage of a parallel block", word)
		default:
			setFlag(s.node, key, f)
		}
		return
	}
	r.Report(at, "there is no stage %q%s", id, text.DidYouMean(id, ids))
}
