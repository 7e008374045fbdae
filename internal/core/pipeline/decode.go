package pipeline

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"warp/internal/core/text"
	"warp/internal/core/yamltree"
)

// decoder turns the nodes of files into structs.
type decoder struct {
	yamltree.Problems
	isDialect bool // a file has a key that only the dialect has
}

// written is the mapping that a struct was decoded from, for the positions of its keys.
type written struct{ node *yamltree.Node }

func (w *written) setNode(n *yamltree.Node) { w.node = n }

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

// shape describes a kind of mapping beyond the fields of its struct.
type shape struct {
	synonyms map[string]string // the dialect's names of keys
	without  []string          // excluded fields
	short    string            // a plain text is short for a mapping with this key
	isStage  bool
	isListed bool // a single value is not accepted for a list
}

// branchStage is a stage in the is tag of Parallel.
const branchStage = "a stage of a parallel block"

// shapes are the kinds of mappings that differ from their struct, by their name in messages.
var shapes = map[string]shape{
	"a pipeline": {synonyms: map[string]string{"nodes": "stages"}},
	"a stage":    {synonyms: stageSynonyms, isStage: true, isListed: true},
	// The branch decides who runs its stages, and they run in order.
	branchStage: {synonyms: stageSynonyms, isStage: true, isListed: true, short: "stage", without: []string{"needs", "parallel", "agent", "model", "commit"}},
	// A loop's file does not know who runs it.
	"a loop":        {synonyms: stageSynonyms, isStage: true, without: []string{"loop", "stage", "inputs", "needs", "parallel"}},
	"parallel":      {synonyms: map[string]string{"providers": "agents"}},
	"an agent":      {synonyms: map[string]string{"name": "agent"}, short: "agent", isListed: true},
	"from_parallel": {short: "stage"},
}

// fieldsOf returns the fields of a struct, by the keys that a kind of mapping may have.
func fieldsOf(of reflect.Type, what string) map[string]reflect.StructField {
	all := map[string]reflect.StructField{}
	for i := range of.NumField() {
		key, isKey := of.Field(i).Tag.Lookup("yaml")
		if isKey && !slices.Contains(shapes[what].without, key) {
			all[key] = of.Field(i)
		}
	}
	return all
}

// decode fills the tagged fields of a struct from a mapping, which it keeps for positions. It
// reports and omits errors, and returns false if the node is no mapping.
func (d *decoder) decode(n *yamltree.Node, what string, to reflect.Value) bool {
	if n = d.translate(n, what); n.Kind != yamltree.Mapping {
		d.Report(n.Place, "%s must be a mapping, not %s", what, n.Kind)
		return false
	}
	to.Addr().Interface().(interface{ setNode(*yamltree.Node) }).setNode(n)
	fields := fieldsOf(to.Type(), what)
	n.Entries = slices.DeleteFunc(n.Entries, func(e yamltree.Entry) bool {
		f, ok := fields[e.Key]
		if !ok {
			d.Report(e.At, "%s has no key %q%s", what, e.Key, text.DidYouMean(e.Key, slices.Sorted(maps.Keys(fields))))
			return true
		}
		if is, isValue := f.Tag.Lookup("is"); isValue {
			d.decodeValue(e.Value, e.Key, is, to.FieldByIndex(f.Index))
		}
		return false
	})
	return true
}

// decodeValue decodes the value of a key: a format, a mapping of a shape, or a list of either. A
// single value is accepted as a list.
func (d *decoder) decodeValue(n *yamltree.Node, word, is string, to reflect.Value) bool {
	to.SetZero()
	switch {
	case is == "commands":
		to.Set(reflect.ValueOf(d.decodeCommands(n)))
	case shapes[is].isListed && to.Kind() == reflect.Slice && n.Kind != yamltree.List: // validate reports it
	case to.Kind() == reflect.Slice:
		for _, item := range n.Elements() {
			if one := reflect.New(to.Type().Elem()).Elem(); d.decodeValue(item, word, is, one) {
				to.Set(reflect.Append(to, one))
			}
		}
	case to.Kind() == reflect.Pointer:
		if one := reflect.New(to.Type().Elem()); d.decode(n, is, one.Elem()) {
			to.Set(one)
		}
	case to.Kind() == reflect.Struct:
		return d.decode(n, is, to)
	default:
		value, ok := formats[is].read(n)
		if !ok {
			d.reportFormat(n, word, is)
		}
		to.Set(reflect.ValueOf(value))
	}
	return true
}

func (d *decoder) reportFormat(n *yamltree.Node, word, is string) {
	d.Report(n.Place, "%s must be %s, not %s", word, formats[is].mustBe, n.Quoted())
}

func (d *decoder) decodeCommands(n *yamltree.Node) (all []Command) {
	if n.Kind != yamltree.Mapping {
		d.Report(n.Place, "commands must be a mapping, not %s", n.Kind)
	}
	for _, e := range n.Entries {
		var c Command
		d.decodeValue(e.Value, "a command", "text", reflect.ValueOf(&c.Line).Elem())
		all = append(all, Command{e.Key, c.Line})
	}
	return all
}
