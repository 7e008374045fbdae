package lossless

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Encode returns x as a tree, merged onto src, the tree that x was decoded from (nil if none). It
// keeps what x does not know in place and reuses src's unchanged nodes, so that versions compare
// cheaply. A nil, also in an interface, becomes null.
func Encode(x any, src *Value) *Value {
	if x == nil {
		return null(src)
	}
	return encode(reflect.ValueOf(x), src)
}

func encode(x reflect.Value, src *Value) *Value {
	if x.Type() == valueType {
		if v := x.Interface().(*Value); v != nil {
			return v
		}
		return null(src)
	}
	if src != nil && src.Kind == Null {
		if x.IsZero() {
			return src
		}
		src = nil
	}
	switch x.Kind() {
	case reflect.Pointer:
		if x.IsNil() {
			return null(src)
		}
		return encode(x.Elem(), src)
	case reflect.String:
		if src != nil && src.Kind == String && src.Is(x.String()) {
			return src
		}
		return NewString(x.String())
	case reflect.Bool:
		return scalar(Bool, strconv.FormatBool(x.Bool()), src)
	case reflect.Int, reflect.Int64:
		if n, ok := src.Int(); ok && n == x.Int() {
			return src
		}
		return NewInt(x.Int())
	case reflect.Float64:
		if src != nil && src.Kind == Number {
			if f, err := strconv.ParseFloat(src.Raw, 64); err == nil && f == x.Float() {
				return src
			}
		}
		return &Value{Kind: Number, Raw: strconv.FormatFloat(x.Float(), 'f', -1, 64)}
	case reflect.Slice:
		return encodeSlice(x, src)
	case reflect.Map:
		return encodeMap(x, src)
	case reflect.Struct:
		return encodeStruct(x, src)
	}
	panic("lossless: a document type must not use " + x.Type().String())
}

func null(src *Value) *Value { return scalar(Null, "null", src) }

func scalar(k Kind, raw string, src *Value) *Value {
	if src != nil && src.Kind == k && src.Raw == raw {
		return src
	}
	return &Value{Kind: k, Raw: raw}
}

func encodeSlice(x reflect.Value, src *Value) *Value {
	var old []*Value
	if src != nil && src.Kind == Array {
		old = src.Elems
	}
	elems := make([]*Value, x.Len())
	for i := range elems {
		var hint *Value
		if i < len(old) {
			hint = old[i]
		}
		elems[i] = encode(x.Index(i), hint)
	}
	if src != nil && src.Kind == Array && slices.Equal(elems, old) {
		return src
	}
	return &Value{Kind: Array, Elems: elems}
}

func encodeMap(x reflect.Value, src *Value) *Value {
	if src != nil && src.Kind != Object {
		src = nil
	}
	var ms []Member
	if src != nil {
		for _, m := range src.Members { // surviving keys keep their order
			if e := x.MapIndex(reflect.ValueOf(m.Key)); e.IsValid() {
				ms = append(ms, Member{m.Key, encode(e, m.Value)})
			}
		}
	}
	added := make([]string, 0, x.Len())
	for it := x.MapRange(); it.Next(); {
		if src.Get(it.Key().String()) == nil {
			added = append(added, it.Key().String())
		}
	}
	slices.Sort(added)
	for _, k := range added {
		ms = append(ms, Member{k, encode(x.MapIndex(reflect.ValueOf(k)), nil)})
	}
	return Reuse(ms, src)
}

func encodeStruct(x reflect.Value, src *Value) *Value {
	s := shapeOf(x.Type())
	if s.origin >= 0 {
		// An element remembers its source; its place in the array is no guide.
		src = x.Field(s.origin).Interface().(Origin).src
	}
	if src != nil && src.Kind != Object {
		src = nil
	}
	if src != nil && unchanged(x, s, src) {
		return src
	}
	ms := make([]Member, 0, len(s.fields)+4)
	next := 0
	if src != nil {
		for _, m := range src.Members {
			f := s.find(m.Key, &next)
			if f == nil {
				ms = append(ms, m)
				continue
			}
			// Keep an empty member that was already there.
			e := encodeField(x, *f, m.Value)
			if e == m.Value || !f.omit || !empty(x.Field(f.index)) {
				ms = append(ms, Member{m.Key, e})
			}
		}
	}
	ms = addMissing(ms, s, x)
	return Reuse(ms, src)
}

func encodeField(x reflect.Value, f field, src *Value) *Value {
	if f.codec {
		return x.Field(f.index).Interface().(fieldWriter).ToJSON(src)
	}
	return encode(x.Field(f.index), src)
}

// unchanged is a cheap test whether a struct of plain members still equals its source, as most
// elements of a long array do.
func unchanged(x reflect.Value, s *shape, src *Value) bool {
	next, found := 0, 0
	for i := range src.Members {
		f := s.find(src.Members[i].Key, &next)
		if f == nil {
			continue
		}
		found++
		v, field := src.Members[i].Value, x.Field(f.index)
		if field.Kind() != reflect.String || v.Kind != String || !v.Is(field.String()) {
			return false
		}
	}
	for _, f := range s.fields {
		if found == len(s.fields) {
			break
		}
		if src.Get(f.name) == nil && (!f.omit || !empty(x.Field(f.index))) {
			return false
		}
	}
	return true
}

// Is reports whether a string value has this content; false if absent.
func (v *Value) Is(s string) bool {
	if v == nil || v.Kind != String {
		return false
	}
	if len(v.Raw) == len(s)+2 && strings.IndexByte(v.Raw, '\\') < 0 {
		return v.Raw[1:len(v.Raw)-1] == s
	}
	return unquote(v.Raw) == s
}

// addMissing inserts the fields that the source lacked, each after its predecessor in the type.
func addMissing(ms []Member, s *shape, x reflect.Value) []Member {
	pos := 0
	for _, f := range s.fields {
		at := slices.IndexFunc(ms, func(m Member) bool { return m.Key == f.name })
		if at < 0 {
			if f.omit && empty(x.Field(f.index)) {
				continue
			}
			ms = slices.Insert(ms, pos, Member{f.name, encodeField(x, f, nil)})
			at = pos
		}
		pos = at + 1
	}
	return ms
}

func empty(x reflect.Value) bool {
	switch x.Kind() {
	case reflect.Slice, reflect.Map:
		return x.Len() == 0
	default:
		return x.IsZero()
	}
}

// Reuse returns an object with these members: src if it is that already.
func Reuse(ms []Member, src *Value) *Value {
	if src.Type() == Object && slices.Equal(ms, src.Members) {
		return src
	}
	return NewObject(ms...)
}
