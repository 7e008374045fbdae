package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// dialectKeys exist only in the dialect: a file with one of them runs its stages in the written
// order.
var dialectKeys = []string{"stage", "termination", "provider", "providers", "from_initial", "from_parallel"}

var stageSynonyms = map[string]string{"name": "id", "provider": "agent"}

var agentAliases = map[string]string{"claude-code": "claude", "anthropic": "claude", "openai": "codex"}

func agentName(written string) string { return cmp.Or(agentAliases[written], written) }

// rewriteDialect rewrites a mapping in our own terms, so that nothing after it knows the dialect.
func (r *reader) rewriteDialect(n, written *yamltree.Node, shape string) {
	for _, e := range written.Entries {
		r.isDialect = r.isDialect || slices.Contains(dialectKeys, e.Key) || e.Key == "select" && e.Value.Text == "history"
	}
	if t := n.Get("termination"); t != nil && shape != resolvedStage {
		r.rewriteTermination(n, t)
	}
}

// terminations are the termination types: the strategy of each, and the stage keys that its keys
// set; "" is the strategy's number.
var terminations = map[string]struct {
	until string
	keys  map[string]string
}{
	"queue":    {"queue", map[string]string{"max": "runs"}},
	"judgment": {"plateau", map[string]string{"consensus": "", "min_iterations": "min_iterations", "max": "runs"}},
	"fixed":    {"fixed", map[string]string{"iterations": "", "max": "runs"}},
}

// rewriteTermination rewrites a termination as stage keys. It keeps a limit that the stage already
// has.
func (r *reader) rewriteTermination(stage, n *yamltree.Node) {
	kind := n.Get("type").OneLine()
	t, isKnown := terminations[kind]
	if !isKnown {
		r.Report(n.Where("type"), "termination must have a type: queue, judgment or fixed")
		return
	}
	for _, e := range n.Entries {
		ours, isKey := t.keys[e.Key]
		if !isKey && e.Key != "type" {
			r.Report(e.At, "a termination of the type %s has no key %q%s", kind, e.Key, text.DidYouMean(e.Key, append(slices.Sorted(maps.Keys(t.keys)), "type")))
		}
		if !isKey {
			continue
		}
		count, isCount := r.Read(e.Value, e.Key, "count")
		switch {
		case !isCount:
		case ours == "":
			t.until += fmt.Sprint(" ", count)
		case !stage.Has(ours):
			stage.Put(ours, e.Value)
		}
	}
	stage.Put("until", yamltree.NewText(n.Place, t.until))
}
