package pipeline

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"warp/internal/core/text"
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
	also     []string          // keys that are gone when it is decoded
	without  []string          // fields that it does not have
	short    string            // a text stands for a mapping with this key

	required, missing string // a key, and what to say without it

	least, most int    // how many there may be in a list; 0: one needs no list
	list        string // the same in words
}

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
		also:     []string{"stage", "termination"},
		least:    1, most: mostTokens, list: "at least one stage",
	},
	// The branch says who does its stages, and they run one after the other.
	branchStage: {
		synonyms: map[string]string{"name": "id", "provider": "agent"},
		also:     []string{"stage", "termination"},
		without:  []string{"needs", "parallel", "agent", "model", "commit"},
		short:    "stage",
		least:    1, most: mostTokens, list: "at least one stage",
	},
	// The file of a loop does not know who runs it.
	"a loop": {
		synonyms: map[string]string{"name": "id", "provider": "agent"},
		also:     []string{"termination"},
		without:  []string{"loop", "inputs", "needs", "parallel"},
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
		if formats[format] == nil && format != commandsFormat {
			f.of = of.Field(i).Type.Elem()
		}
		all = append(all, f)
	}
	for _, key := range shapes[what].also {
		all = append(all, field{key: key})
	}
	return all
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

// canonical is a mapping, and all within it, with the keys of its fields alone. What is
// wrong is reported and left out; nil: it is no mapping.
func (r *reader) canonical(n *node, what string, of reflect.Type) *node {
	if short := shapes[what].short; short != "" && n.kind != list && n.kind != mapping {
		n = newMapping(n.place, entry{key: short, at: n.place, value: n})
	}
	if n.kind != mapping {
		r.say(n.place, "%s must be a mapping, not %s", what, n.kind)
		return nil
	}
	out := newMapping(n.place)
	r.addKeys(out, n, what, "", fieldsOf(of, what))
	if key := shapes[what].required; key != "" && !out.has(key) {
		r.say(n.place, "%s", shapes[what].missing)
	}
	if t := out.get("termination"); t != nil {
		r.translateTermination(out, t)
	}
	return out
}

func (r *reader) addKeys(out, n *node, what, prefix string, fields []field) {
	known := keysBelow(fields, prefix)
	for _, e := range n.entries {
		key := cmp.Or(shapes[what].synonyms[e.key], e.key)
		i := slices.IndexFunc(fields, func(f field) bool { return f.key == prefix+key })
		switch {
		case key != e.key && n.has(key):
			r.say(e.value.place, "%s and %s are the same; give one of them", key, e.key)
		case !slices.Contains(known, key):
			r.say(e.at, "%s has no key %q%s", what, e.key, text.DidYouMean(e.key, known))
		case i >= 0:
			r.dialect = r.dialect || slices.Contains(dialectKeys, e.key) || e.key == "select" && e.value.text == "history"
			if v := r.canonicalValue(e, fields[i]); v != nil {
				out.set(prefix+key, e.key, v)
			}
		case e.value.kind != mapping:
			r.say(e.value.place, "%s must be a mapping, not %s", e.key, e.value.kind)
		default:
			out.set(key, e.key, &node{place: e.value.place})
			r.addKeys(out, e.value, e.key, key+".", fields)
		}
	}
}

func (r *reader) canonicalValue(e entry, f field) *node {
	switch {
	case f.of == nil:
		return e.value
	case !f.isList:
		return r.canonical(e.value, f.format, f.of)
	}
	all := &node{place: e.value.place, kind: list}
	if s := shapes[f.format]; s.least > 0 && (e.value.kind != list || len(e.value.items) < s.least || len(e.value.items) > s.most) {
		r.say(e.value.place, "%s must be a list of %s", e.key, s.list)
		return all
	}
	for _, i := range e.value.elements() {
		if c := r.canonical(i, f.format, f.of); c != nil {
			all.items = append(all.items, c)
		}
	}
	return all
}
