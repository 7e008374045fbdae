package pipeline

import (
	"strings"

	"warp/internal/core/yamltree"
)

// reader reads a file and all files that it refers to.
type reader struct {
	yamltree.Decoder
	out       Outside
	isDialect bool // a file has a key that only the dialect has
}

func newReader(out Outside) *reader {
	r := &reader{out: out}
	r.Formats, r.Shapes, r.Rewrite = formats, shapes, r.rewriteDialect
	return r
}

// written is the mapping that a struct was decoded from, for the positions of its keys.
type written struct{ node *yamltree.Node }

// SetNode implements yamltree.Decoded.
func (w *written) SetNode(n *yamltree.Node) { w.node = n }

// Sources returns where keys were set, those that were; with a dot, keys of a nested mapping.
func (w *written) Sources(keys ...string) (all []yamltree.Place) {
	for _, k := range keys {
		group, inner, isInner := strings.Cut(k, ".")
		n := w.node.Get(group)
		if isInner {
			n = n.Get(inner)
		}
		if n != nil {
			all = append(all, n.Place)
		}
	}
	return all
}

// branchStage is a stage in the is tag of Parallel.
const branchStage = "a stage of a parallel block"

// shapes are the mappings that differ from their struct, by their name in messages. Synonyms are
// the dialect's names of keys.
var shapes = map[string]yamltree.Shape{
	"a pipeline": {Synonyms: map[string]string{"nodes": "stages"}},
	"a stage":    {Synonyms: stageSynonyms, IsListed: true},
	// The branch decides who runs its stages, and they run in order.
	branchStage: {Synonyms: stageSynonyms, IsListed: true, Short: "stage", Without: []string{"needs", "parallel", "agent", "model", "commit"}},
	// A loop's file does not know who runs it.
	"a loop":        {Synonyms: stageSynonyms, Without: []string{"loop", "stage", "inputs", "needs", "parallel"}},
	"parallel":      {Synonyms: map[string]string{"providers": "agents"}},
	"an agent":      {Synonyms: map[string]string{"name": "agent"}, Short: "agent", IsListed: true},
	"from_parallel": {Short: "stage"},
}

// readCommands reads the commands, whose keys are names of the file's own.
func (r *reader) readCommands(p *Pipeline) {
	n := p.node.Get("commands")
	if n == nil {
		return
	}
	if n.Kind != yamltree.Mapping {
		r.Report(n.Place, "commands must be a mapping, not %s", n.Kind)
	}
	for _, e := range n.Entries {
		line, _ := r.Read(e.Value, "a command", "text")
		p.Commands = append(p.Commands, Command{e.Key, line.(string)})
	}
}
