package pipeline

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// field is a key that a mapping may have, from the tag `yaml:"key,format"` of a struct. A
// key with a dot is one of a mapping within: guardrails.max_cost. The format is one of
// formats, or what messages call the mappings of another struct.
type field struct {
	key, format string
	index       int          // in the struct
	of          reflect.Type // the struct of the mappings in it; nil: it has none
	isList      bool
}

// shape is what a kind of mapping has besides the fields of its struct.
type shape struct {
	synonyms map[string]string // the dialect's words for keys
	without  []string          // fields that it does not have
	short    string            // a text stands for a mapping with this key

	required, missing string // a key, and what to say without it

	least, most int    // how many there may be in a list; 0: one needs no list
	list        string // the same in words
}

// The formats that are not of one value.
const (
	commandsFormat    = "commands"
	terminationFormat = "termination"
)

// branchStage is a stage in a tag of Parallel.
const branchStage = "a stage of a parallel block"

// shapes are the kinds of mappings that differ from their struct, as messages call them.
var shapes = map[string]shape{
	"a pipeline": {
		synonyms: map[string]string{"nodes": "stages"},
		required: "stages", missing: "the pipeline has no stages",
	},
	"a stage": {
		synonyms: map[string]string{"name": "id", "provider": "agent"},
		least:    1, most: mostTokens, list: "at least one stage",
	},
	// The branch says who does its stages, and they run one after the other.
	branchStage: {
		synonyms: map[string]string{"name": "id", "provider": "agent"},
		without:  []string{"needs", "parallel", "agent", "model", "commit"},
		short:    "stage",
		least:    1, most: mostTokens, list: "at least one stage",
	},
	// The file of a loop does not know who runs it.
	"a loop": {
		synonyms: map[string]string{"name": "id", "provider": "agent"},
		without:  []string{"loop", "stage", "inputs", "needs", "parallel"},
	},
	"parallel": {
		synonyms: map[string]string{"providers": "agents"},
		required: "agents", missing: "parallel has no agents",
	},
	"an agent": {
		synonyms: map[string]string{"name": "agent"},
		short:    "agent",
		required: "agent", missing: "the agent is missing",
		least: 2, most: 16, list: "2 to 16 agents",
	},
	"from_parallel": {short: "stage"},

	"a termination of the type queue":    {without: []string{"consensus", "iterations", "min_iterations"}},
	"a termination of the type judgment": {without: []string{"iterations"}},
	"a termination of the type fixed":    {without: []string{"consensus", "min_iterations"}},
}

// dialectKeys are those that only the dialect has: a file with one of them runs its
// stages in the order in which they are written.
var dialectKeys = []string{"stage", "termination", "provider", "providers", "from_initial", "from_parallel"}

// agentAliases are other names of agents.
var agentAliases = map[string]string{"claude-code": "claude", "anthropic": "claude", "openai": "codex"}

func agentName(written string) string { return cmp.Or(agentAliases[written], written) }

// fieldsOf are the fields of a struct that a kind of mapping may have.
func fieldsOf(of reflect.Type, what string) (all []field) {
	for i := range of.NumField() {
		key, format, tagged := strings.Cut(of.Field(i).Tag.Get("yaml"), ",")
		if !tagged || slices.Contains(shapes[what].without, key) {
			continue
		}
		f := field{key: key, format: format, index: i, isList: of.Field(i).Type.Kind() == reflect.Slice}
		if formats[format] == nil && format != commandsFormat && format != terminationFormat {
			f.of = of.Field(i).Type.Elem()
		}
		all = append(all, f)
	}
	return all
}

// findField is the field of a key; nil: there is none.
func findField(fields []field, key string) *field {
	if i := slices.IndexFunc(fields, func(f field) bool { return f.key == key }); i >= 0 {
		return &fields[i]
	}
	return nil
}

// keysBelow are the keys that a mapping may have, without their prefix.
func keysBelow(fields []field, prefix string) (all []string) {
	for _, f := range fields {
		if rest, ok := strings.CutPrefix(f.key, prefix); ok {
			key, _, _ := strings.Cut(rest, ".")
			all = append(all, key)
		}
	}
	return slices.Compact(all)
}
