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

// translate rewrites a mapping in our own terms, so that nothing after it knows the dialect.
func (d *decoder) translate(n *yamltree.Node, what string) *yamltree.Node {
	shape := shapes[what]
	if shape.short != "" && n.Kind != yamltree.List && n.Kind != yamltree.Mapping {
		n = &yamltree.Node{Place: n.Place, Kind: yamltree.Mapping, Entries: []yamltree.Entry{{Key: shape.short, At: n.Place, Value: n}}}
	}
	own := *n
	own.Entries = nil
	for _, e := range n.Entries {
		d.isDialect = d.isDialect || slices.Contains(dialectKeys, e.Key) || e.Key == "select" && e.Value.Text == "history"
		ours, isSynonym := shape.synonyms[e.Key]
		if isSynonym && n.Has(ours) {
			d.Report(e.Value.Place, "%s and %s are the same; give one of them", ours, e.Key)
		} else {
			e.Key = cmp.Or(ours, e.Key)
			own.Entries = append(own.Entries, e)
		}
	}
	if t := n.Get("termination"); t != nil && shape.isStage {
		d.translateTermination(&own, t)
	}
	return &own
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

// translateTermination rewrites a termination as stage keys. It keeps a limit that the stage
// already has.
func (d *decoder) translateTermination(stage, n *yamltree.Node) {
	kind := n.Get("type").OneLine()
	t, isKnown := terminations[kind]
	if !isKnown {
		d.Report(n.Where("type"), "termination must have a type: queue, judgment or fixed")
		return
	}
	for _, e := range n.Entries {
		ours, isKey := t.keys[e.Key]
		count, isCount := readCount(e.Value)
		switch {
		case e.Key == "type":
		case !isKey:
			d.Report(e.At, "a termination of the type %s has no key %q%s", kind, e.Key, text.DidYouMean(e.Key, append(slices.Sorted(maps.Keys(t.keys)), "type")))
		case !isCount:
			d.reportFormat(e.Value, e.Key, "count")
		case ours == "":
			t.until += fmt.Sprint(" ", count)
		case !stage.Has(ours):
			stage.Put(ours, e.Value)
		}
	}
	stage.Put("until", yamltree.NewText(n.Place, t.until))
}
