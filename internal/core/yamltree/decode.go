package yamltree

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// Decoder fills structs from mappings, and reports everything that does not fit. A field's tag yaml
// is its key; its tag is names the format of a value or the shape of a mapping, for a slice those
// of its items. A key without is stays in the node, for the caller.
type Decoder struct {
	Problems
	Formats map[string]Format
	Shapes  map[string]Shape // of mappings that differ from their struct, by their name in messages
	// Rewrite changes a mapping before it is decoded, if not nil; written still has the synonyms.
	Rewrite func(n, written *Node, shape string)
}

// Decoded is a struct that a Decoder fills: one with a Written.
type Decoded interface{ keep(*Node) }

// Written is the mapping that a struct was decoded from, for the places of its keys.
type Written struct{ Node *Node }

func (w *Written) keep(n *Node) { w.Node = n }

// Sources returns where keys were set, those that were; with a dot, keys of a nested mapping.
func (w *Written) Sources(keys ...string) (all []Place) {
	for _, k := range keys {
		group, inner, isInner := strings.Cut(k, ".")
		n := w.Node.Get(group)
		if isInner {
			n = n.Get(inner)
		}
		if n != nil {
			all = append(all, n.Place)
		}
	}
	return all
}

// Format describes how a single value is written, and reads it.
type Format struct {
	mustBe string
	read   func(*Node) (value any, ok bool)
}

// NewFormat returns a format. Of an invalid value it reads what it can.
func NewFormat[T any](mustBe string, read func(*Node) (T, bool)) Format {
	return Format{mustBe, func(n *Node) (any, bool) { return read(n) }}
}

// NewRange returns the format of a value between two others.
func NewRange[T cmp.Ordered](mustBe string, read func(string) (T, error), least, most T) Format {
	return NewFormat(mustBe, func(n *Node) (T, bool) {
		v, err := read(n.Text)
		return v, n.Kind != Truth && err == nil && v >= least && v <= most
	})
}

// Shape describes a kind of mapping beyond the fields of its struct.
type Shape struct {
	Synonyms    map[string]string // other names of keys
	Without     []string          // keys of the struct that it does not have
	Needs       string            // a key that it must have; "": none
	Short       string            // a single value is short for a mapping with this key
	ListOf      string            // how many a list must have, as in messages; "": any, and one alone is a list, too
	Least, Most int               // items of such a list; Least 0: one; Most 0: any number
}

// Fields returns the fields of a struct, by the keys that the shape has.
func (s Shape) Fields(of reflect.Type) map[string]reflect.StructField {
	all := map[string]reflect.StructField{}
	for i := range of.NumField() {
		key, isKey := of.Field(i).Tag.Lookup("yaml")
		if isKey && !slices.Contains(s.Without, key) {
			all[key] = of.Field(i)
		}
	}
	return all
}

// Decode fills a struct from a mapping of a shape; what the mapping omits keeps its value. It
// returns false if the node is no mapping.
func (d *Decoder) Decode(n *Node, shape string, to Decoded) bool {
	if n = d.rewrite(n, shape); n.Kind != Mapping {
		d.Report(n.Place, "%s must be a mapping, not %s", shape, n.Kind)
		return false
	}
	to.keep(n)
	needs := d.Shapes[shape].Needs
	d.Check(needs != "" && !n.Has(needs), n.Place, "%s must have the key %q", shape, needs)
	value := reflect.ValueOf(to).Elem()
	fields := d.Shapes[shape].Fields(value.Type())
	known := slices.Sorted(maps.Keys(fields))
	for synonym, key := range d.Shapes[shape].Synonyms {
		if slices.Contains(known, key) {
			known = append(known, synonym)
		}
	}
	n.Entries = slices.DeleteFunc(n.Entries, func(e Entry) bool {
		f, ok := fields[e.Key]
		if !ok {
			d.Report(e.At, "%s has no key %q%s", shape, e.Key, text.DidYouMean(e.Key, known))
			return true
		}
		if is, isValue := f.Tag.Lookup("is"); isValue {
			d.decodeValue(e.Value, e.Key, is, value.FieldByIndex(f.Index))
		}
		return false
	})
	return true
}

// decodeValue decodes the value of a key. It returns false for a mapping that is none.
func (d *Decoder) decodeValue(n *Node, key, is string, to reflect.Value) bool {
	to.SetZero()
	switch to.Kind() {
	case reflect.Slice:
		s := d.Shapes[is]
		isList := n.Kind == List && len(n.Items) >= max(1, s.Least) && (s.Most == 0 || len(n.Items) <= s.Most)
		d.Check(s.ListOf != "" && !isList, n.Place, "%s must be a list of %s", key, s.ListOf)
		if s.ListOf != "" && n.Kind != List {
			return true
		}
		for _, item := range n.Elements() {
			if one := reflect.New(to.Type().Elem()).Elem(); d.decodeValue(item, key, is, one) {
				to.Set(reflect.Append(to, one))
			}
		}
	case reflect.Pointer:
		if one := reflect.New(to.Type().Elem()); d.Decode(n, is, one.Interface().(Decoded)) {
			to.Set(one)
		}
	case reflect.Struct:
		return d.Decode(n, is, to.Addr().Interface().(Decoded))
	default:
		value, _ := d.Read(n, key, is)
		to.Set(reflect.ValueOf(value))
	}
	return true
}

// Read reads a single value, and reports one that is not written as its format says.
func (d *Decoder) Read(n *Node, key, format string) (value any, ok bool) {
	value, ok = d.Formats[format].read(n)
	if !ok {
		d.Report(n.Place, "%s must be %s, not %s", key, d.Formats[format].mustBe, n.Quoted())
	}
	return value, ok
}

// rewrite returns a copy of a mapping without short forms and synonyms.
func (d *Decoder) rewrite(written *Node, shape string) *Node {
	s := d.Shapes[shape]
	if s.Short != "" && written.Kind != List && written.Kind != Mapping {
		written = NewMapping(s.Short, written)
	}
	own := *written
	own.Entries = nil
	for _, e := range written.Entries {
		key, isSynonym := s.Synonyms[e.Key]
		if isSynonym && written.Has(key) {
			d.Report(e.Value.Place, "%s and %s are the same; give one of them", key, e.Key)
			continue
		}
		e.Key = cmp.Or(key, e.Key)
		own.Entries = append(own.Entries, e)
	}
	if d.Rewrite != nil && own.Kind == Mapping {
		d.Rewrite(&own, written, shape)
	}
	return &own
}
