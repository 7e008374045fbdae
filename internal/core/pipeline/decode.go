package pipeline

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"warp/internal/core/text"
)

// decoder makes structs of the nodes of files.
type decoder struct {
	problems
	isDialect bool // a file has a key that only the dialect has
}

// decode fills the tagged fields of a struct from a mapping, and marks it with the places
// of its keys. What is wrong is reported and left out; false: it is no mapping.
func (d *decoder) decode(n *node, what string, to reflect.Value) bool {
	shape := shapes[what]
	if shape.short != "" && n.kind < list {
		n = &node{place: n.place, kind: mapping, entries: []entry{{shape.short, n.place, n}}}
	}
	if n.kind != mapping {
		d.report(n.place, "%s must be a mapping, not %s", what, n.kind)
		return false
	}
	at := places{"": n.place}
	to.Addr().Interface().(interface{ mark(places) }).mark(at)
	d.decodeKeys(n, what, "", fieldsOf(to.Type(), what), to, at)
	if shape.required != "" && !at.has(shape.required) {
		d.report(n.place, "%s", shape.missing)
	}
	if s, isStage := to.Addr().Interface().(*Stage); isStage && at.has("termination") {
		d.translateTermination(n.get("termination"), s)
	}
	return true
}

// decodeKeys decodes the keys of a mapping, or, with a prefix, of one within it.
func (d *decoder) decodeKeys(n *node, what, prefix string, fields []field, to reflect.Value, at places) {
	known := keysBelow(fields, prefix)
	for _, e := range n.entries {
		key := cmp.Or(shapes[what].synonyms[e.key], e.key)
		f := findField(fields, prefix+key)
		switch {
		case key != e.key && n.get(key) != nil:
			d.report(e.value.place, "%s and %s are the same; give one of them", key, e.key)
		case !slices.Contains(known, key):
			d.report(e.at, "%s has no key %q%s", what, e.key, text.DidYouMean(e.key, known))
		case f != nil:
			d.isDialect = d.isDialect || slices.Contains(dialectKeys, e.key) || e.key == "select" && e.value.text == "history"
			d.decodeField(e, *f, to.Field(f.index), at)
		case e.value.kind != mapping:
			d.report(e.value.place, "%s must be a mapping, not %s", e.key, e.value.kind)
		default:
			at[key] = e.value.place
			d.decodeKeys(e.value, e.key, key+".", fields, to, at)
		}
	}
}

// decodeField decodes the value of a key in the place of the one that the field has.
func (d *decoder) decodeField(e entry, f field, to reflect.Value, at places) {
	isMapping := true
	switch {
	case f.format == terminationFormat:
	case f.format == commandsFormat:
		to.Set(reflect.ValueOf(d.decodeCommands(e.value, at)))
	case f.of != nil && f.isList:
		to.Set(d.decodeList(e, f))
	case f.of != nil:
		decoded := reflect.New(f.of)
		if isMapping = d.decode(e.value, f.format, decoded.Elem()); isMapping {
			to.Set(decoded)
		}
	case f.isList:
		to.SetZero()
		for i, item := range e.value.elements() {
			at[fmt.Sprint(f.key, ".", i)] = item.place
			to.Set(reflect.Append(to, reflect.ValueOf(d.value(item, e.key, f.format))))
		}
	default:
		to.Set(reflect.ValueOf(d.value(e.value, e.key, f.format)))
	}
	if isMapping {
		at[f.key] = e.value.place
	}
}

// decodeList decodes the mappings of a list. Where one needs no list, it stands for one.
func (d *decoder) decodeList(e entry, f field) reflect.Value {
	all := reflect.New(reflect.SliceOf(f.of)).Elem()
	if s := shapes[f.format]; s.least > 0 && (e.value.kind != list || len(e.value.items) < s.least || len(e.value.items) > s.most) {
		d.report(e.value.place, "%s must be a list of %s", e.key, s.list)
		return all
	}
	for _, item := range e.value.elements() {
		if one := reflect.New(f.of).Elem(); d.decode(item, f.format, one) {
			all.Set(reflect.Append(all, one))
		}
	}
	return all
}

func (d *decoder) decodeCommands(n *node, at places) (all []Command) {
	if n.kind != mapping {
		d.report(n.place, "commands must be a mapping of names to command lines, not %s", n.kind)
	}
	for _, e := range n.entries {
		all = append(all, d.decodeCommand(e, at))
	}
	return all
}

func (d *decoder) decodeCommand(e entry, at places) Command {
	at[commandsPrefix+e.key] = e.value.place
	if !text.ValidName(e.key) {
		d.report(e.at, "%q is not a valid name of a command: %s", e.key, text.NameRule)
	}
	return Command{e.key, d.value(e.value, "a command", "text").(string)}
}
