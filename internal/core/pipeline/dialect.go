package pipeline

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"warp/internal/core/yamltree"
)

// dialectKeys are those that only the dialect has: a file with one of them runs its
// stages in the order in which they are written.
var dialectKeys = []string{"stage", "termination", "provider", "providers", "from_initial", "from_parallel"}

var stageSynonyms = map[string]string{"name": "id", "provider": "agent"}

// agentAliases are other names of agents.
var agentAliases = map[string]string{"claude-code": "claude", "anthropic": "claude", "openai": "codex"}

func agentName(written string) string { return cmp.Or(agentAliases[written], written) }

// translate says a mapping in our own words, so that nothing after it knows the dialect.
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

// termination is how the dialect says until, runs and min_iterations of a stage.
type termination struct {
	Type          string `yaml:"type" is:"line"`
	Consensus     int    `yaml:"consensus" is:"count"`
	Iterations    int    `yaml:"iterations" is:"count"`
	MinIterations int    `yaml:"min_iterations" is:"count"`
	Max           int    `yaml:"max" is:"count"`

	written
}

// terminations are the types, and until for each.
var terminations = map[string]string{"queue": "queue", "judgment": "plateau", "fixed": "fixed"}

// translateTermination says it as stages do. A bound that the stage has itself stays.
func (d *decoder) translateTermination(stage, n *yamltree.Node) {
	kind := n.Get("type").OneLine()
	until, isKnown := terminations[kind]
	if !isKnown {
		d.Report(n.Where("type"), "termination must have a type: queue, judgment or fixed")
		return
	}
	var t termination
	d.decode(n, "a termination of the type "+kind, reflect.ValueOf(&t).Elem())
	if number := cmp.Or(t.Consensus, t.Iterations); number > 0 {
		until += fmt.Sprint(" ", number)
	}
	stage.Put("until", yamltree.NewText(n.Place, until))
	for own, theirs := range map[string]string{"min_iterations": "min_iterations", "runs": "max"} {
		if t.node.Has(theirs) && !stage.Has(own) {
			stage.Put(own, t.node.Get(theirs))
		}
	}
}

// efforts are what may stand behind a model's name and a colon. Other colons belong to
// the name.
var efforts = []string{"minimal", "low", "medium", "standard", "high", "xhigh", "max"}

// SplitModel takes the effort from a model as it is written: gpt-5:high.
func SplitModel(written string) (model, effort string) {
	if i := strings.LastIndexByte(written, ':'); i > 0 && slices.Contains(efforts, written[i+1:]) {
		return written[:i], written[i+1:]
	}
	return written, ""
}
