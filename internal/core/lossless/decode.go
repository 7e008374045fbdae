package lossless

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Origin is embedded in a struct to remember the object it was decoded from. Array elements need it
// because they can move; elsewhere the position in the document is enough.
type Origin struct{ src *Value }

// Source returns the object that the struct was decoded from, or nil.
func (r *Origin) Source() *Value { return r.src }

// Remember sets the source.
func (r *Origin) Remember(v *Value) { r.src = v }

// fieldCodec is a field that reads and prints itself: for long arrays that are read often, where
// reflection would be too slow.
type fieldCodec interface {
	FromJSON(*Value) *TypeError // on the pointer
	fieldWriter                 // on the value
}

type fieldWriter interface {
	ToJSON(src *Value) *Value
}

// TypeError names a member of a document with a value of the wrong type.
type TypeError struct {
	Path string
	Want string
	Have string
}

func (e *TypeError) Error() string {
	at := e.Path
	if at == "" {
		at = "the document"
	}
	return fmt.Sprintf("%s must be %s, not %s", at, e.Want, e.Have)
}

// Decode fills what into points at. It skips members that the type does not have; Encode finds them
// again. An absent value is null.
func Decode(v *Value, into any) error {
	if err := decode(v.present(), reflect.ValueOf(into).Elem()); err != nil {
		return err
	}
	return nil
}

// Wrong returns the error for a value of the wrong type.
func Wrong(v *Value, want string) *TypeError { return &TypeError{Want: want, Have: v.Type().String()} }

// Under prepends a step to an error's path: the path is only built if there is an error.
func (e *TypeError) Under(step string) *TypeError {
	if step == "" {
		step = `""`
	}
	if e.Path != "" && e.Path[0] != '[' {
		step += "."
	}
	e.Path = step + e.Path
	return e
}

var (
	valueType  = reflect.TypeFor[*Value]()
	originType = reflect.TypeFor[Origin]()
	writerType = reflect.TypeFor[fieldWriter]()
)

func decode(v *Value, to reflect.Value) *TypeError {
	if to.Type() == valueType {
		to.Set(reflect.ValueOf(v))
		return nil
	}
	if v.Kind == Null && slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Slice, reflect.Map}, to.Kind()) {
		to.SetZero()
		return nil
	}
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return decode(v, to.Elem())
	case reflect.String:
		if v.Kind != String {
			return Wrong(v, "a string")
		}
		to.SetString(unquote(v.Raw))
	case reflect.Bool:
		if v.Kind != Bool {
			return Wrong(v, "a boolean")
		}
		to.SetBool(v.Raw == "true")
	case reflect.Int, reflect.Int64:
		n, ok := v.Int()
		if !ok {
			return Wrong(v, "a whole number")
		}
		to.SetInt(n)
	case reflect.Float64:
		f, err := strconv.ParseFloat(v.Raw, 64)
		if v.Kind != Number || err != nil {
			return Wrong(v, "a number")
		}
		to.SetFloat(f)
	case reflect.Slice:
		return decodeSlice(v, to)
	case reflect.Map:
		return decodeMap(v, to)
	case reflect.Struct:
		return decodeStruct(v, to)
	default:
		panic("lossless: a document type must not use " + to.Type().String())
	}
	return nil
}

func decodeSlice(v *Value, to reflect.Value) *TypeError {
	if v.Kind != Array {
		return Wrong(v, "an array")
	}
	to.Set(reflect.MakeSlice(to.Type(), len(v.Elems), len(v.Elems)+1))
	// Lists of texts are the most common and grow with the document.
	if texts, is := to.Addr().Interface().(*[]string); is {
		for i, e := range v.Elems {
			if e.Kind != String {
				return Wrong(e, "a string").Under("[" + strconv.Itoa(i) + "]")
			}
			(*texts)[i] = unquote(e.Raw)
		}
		return nil
	}
	for i, e := range v.Elems {
		if err := decode(e, to.Index(i)); err != nil {
			return err.Under("[" + strconv.Itoa(i) + "]")
		}
	}
	return nil
}

func decodeMap(v *Value, to reflect.Value) *TypeError {
	if v.Kind != Object {
		return Wrong(v, "an object")
	}
	to.Set(reflect.MakeMapWithSize(to.Type(), len(v.Members)))
	for _, m := range v.Members {
		e := reflect.New(to.Type().Elem()).Elem()
		if err := decode(m.Value, e); err != nil {
			return err.Under(m.Key)
		}
		to.SetMapIndex(reflect.ValueOf(m.Key), e)
	}
	return nil
}

func decodeStruct(v *Value, to reflect.Value) *TypeError {
	if v.Kind != Object {
		return Wrong(v, "an object")
	}
	s := shapeOf(to.Type())
	if s.origin >= 0 {
		to.Field(s.origin).Addr().Interface().(*Origin).src = v
	}
	next := 0
	for _, m := range v.Members {
		f := s.find(m.Key, &next)
		if f == nil {
			continue
		}
		field := to.Field(f.index)
		if m.Value.Kind == Null && field.Type() != valueType {
			field.SetZero() // other tools write null for unset members
			continue
		}
		read := decode
		if f.codec {
			read = func(v *Value, to reflect.Value) *TypeError { return to.Addr().Interface().(fieldCodec).FromJSON(v) }
		}
		if err := read(m.Value, field); err != nil {
			return err.Under(m.Key)
		}
	}
	return nil
}

// shape is what the codec needs to know about a struct type.
type shape struct {
	fields []field
	origin int // index of the embedded Origin, or -1
}

type field struct {
	name  string
	index int
	omit  bool
	codec bool // the field is a fieldCodec
}

// find returns the field with that name. Documents mostly keep our order, so the search starts
// after the previous match.
func (s *shape) find(name string, next *int) *field {
	for range s.fields {
		if *next >= len(s.fields) {
			*next = 0
		}
		f := &s.fields[*next]
		*next++
		if f.name == name {
			return f
		}
	}
	return nil
}

var shapes sync.Map // reflect.Type → *shape; a cache, filled on demand

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{origin: -1, fields: make([]field, 0, t.NumField())}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == originType {
			s.origin = i
			continue
		}
		if name, opts, _ := strings.Cut(tagOf(f), ","); name != "" && name != "-" {
			s.fields = append(s.fields, field{name, i, strings.HasPrefix(opts, "omit"), f.Type.Implements(writerType)})
		}
	}
	shapes.Store(t, s)
	return s
}

// tagOf returns a field's json tag. Member names need no unescaping, which makes StructTag.Get
// slow.
func tagOf(f reflect.StructField) string {
	_, tag, _ := strings.Cut(string(f.Tag), `json:"`)
	tag, _, _ = strings.Cut(tag, `"`)
	return tag
}
