package yamltree

import (
	"cmp"
	"maps"
	"reflect"
	"slices"

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

// Decoded is a struct that a Decoder fills. It keeps its mapping, for the places of its keys.
type Decoded interface{ SetNode(*Node) }

// Format describes how a single value is written, and reads it.
type Format struct {
	mustBe string
	read   func(*Node) (value any, ok bool)
}

// NewFormat returns a format. Of an invalid value it reads what it can.
func NewFormat[T any](mustBe string, read func(*Node) (T, bool)) Format {
	return Format{mustBe, func(n *Node) (any, bool) { return read(n) }}
}

// Shape describes a kind of mapping beyond the fields of its struct.
type Shape struct {
	Synonyms map[string]string // other names of keys
	Without  []string          // keys of the struct that it does not have
	Short    string            // a single value is short for a mapping with this key
	IsListed bool              // a single value is not accepted for a list
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
	to.SetNode(n)
	value := reflect.ValueOf(to).Elem()
	fields := d.Shapes[shape].Fields(value.Type())
	n.Entries = slices.DeleteFunc(n.Entries, func(e Entry) bool {
		f, ok := fields[e.Key]
		if !ok {
			d.Report(e.At, "%s has no key %q%s", shape, e.Key, text.DidYouMean(e.Key, slices.Sorted(maps.Keys(fields))))
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
		if d.Shapes[is].IsListed && n.Kind != List {
			return true // the caller reports it, with how many there must be
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
		written = &Node{Place: written.Place, Kind: Mapping, Entries: []Entry{{s.Short, written.Place, written}}}
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
	if d.Rewrite != nil {
		d.Rewrite(&own, written, shape)
	}
	return &own
}
