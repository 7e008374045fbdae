// Package lossless reads and writes JSON documents without losing anything: members that the
// program does not know keep their place, and numbers keep their spelling, at every depth, even
// when an array around them grows, shrinks or shifts.
//
// Parse builds a tree, Decode fills Go structs from it, Encode merges structs back onto the tree
// they came from. Set edits one member of a text and leaves every other byte alone. Reading is
// strict: a duplicate key, a byte after the document, invalid UTF-8 and nesting beyond maxDepth are
// errors with a line and a column. What a document means is up to the package that owns it.
package lossless

import (
	"slices"
	"strconv"
	"strings"
)

// Kind is the type of a JSON value.
type Kind uint8

const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

var kindNames = [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}

func (k Kind) String() string { return kindNames[k] }

// absent replaces a nil value, so that its methods are safe: most documents lack something they are
// asked for (a nil once broke warp telemetry).
var absent = &Value{Kind: Null, Raw: "null"}

// present returns the value itself, or null if it is nil.
func (v *Value) present() *Value {
	if v == nil {
		return absent
	}
	return v
}

// Type returns the value's kind; Null if it is nil.
func (v *Value) Type() Kind { return v.present().Kind }

// Value is one node of a document. Versions of a document share values, so they never change.
type Value struct {
	Kind    Kind
	Raw     string // a scalar's literal, including quotes and escapes
	Members []Member
	Elems   []*Value

	start, end int32 // position in the source text
}

// Member is one name and value of an object.
type Member struct {
	Key   string
	Value *Value
}

// Get returns the member of an object, or nil.
func (v *Value) Get(key string) *Value {
	if v == nil {
		return nil
	}
	for i := range v.Members {
		if v.Members[i].Key == key {
			return v.Members[i].Value
		}
	}
	return nil
}

// List returns the elements of an array, none for anything else.
func (v *Value) List() []*Value { return v.present().Elems }

// Text returns the decoded content of a string, "" for anything else.
func (v *Value) Text() string {
	if v == nil || v.Kind != String {
		return ""
	}
	return unquote(v.Raw)
}

// Int returns an integral number; ok is false for anything else.
func (v *Value) Int() (n int64, ok bool) {
	if v == nil || v.Kind != Number {
		return 0, false
	}
	return integral(v.Raw)
}

// With returns a copy of an object with one member replaced, or added at the end. A nil value gives
// an object with that member alone.
func (v *Value) With(key string, val *Value) *Value {
	members := slices.Clone(v.present().Members)
	if at := slices.IndexFunc(members, func(m Member) bool { return m.Key == key }); at >= 0 {
		members[at].Value = val
	} else {
		members = append(members, Member{key, val})
	}
	return NewObject(members...)
}

// Without returns a copy of an object without one member.
func (v *Value) Without(key string) *Value {
	if v.Get(key) == nil {
		return v
	}
	return NewObject(slices.DeleteFunc(slices.Clone(v.Members), func(m Member) bool { return m.Key == key })...)
}

// Equal reports whether two values have the same literals in the same order.
func Equal(a, b *Value) bool {
	if a == nil || b == nil || a == b {
		return a == b
	}
	return a.Kind == b.Kind && a.Raw == b.Raw && slices.EqualFunc(a.Elems, b.Elems, Equal) &&
		slices.EqualFunc(a.Members, b.Members, func(x, y Member) bool { return x.Key == y.Key && Equal(x.Value, y.Value) })
}

// NewString returns a string value.
func NewString(s string) *Value { return &Value{Kind: String, Raw: quote(s)} }

// NewInt returns a number.
func NewInt(n int64) *Value { return &Value{Kind: Number, Raw: strconv.FormatInt(n, 10)} }

// NewObject returns an object with its members in order.
func NewObject(members ...Member) *Value { return &Value{Kind: Object, Members: members} }

// Record returns an object of names and values in turn.
func Record(pairs ...any) *Value {
	v := NewObject()
	for pair := range slices.Chunk(pairs, 2) {
		v.Members = append(v.Members, Member{pair[0].(string), Encode(pair[1], nil)})
	}
	return v
}

// NewMember returns a member with anything that Encode takes as its value.
func NewMember(key string, x any) Member { return Member{key, Encode(x, nil)} }

// integral reads a number literal with an integer value, however spelled.
func integral(raw string) (int64, bool) {
	if n, err := strconv.ParseInt(raw, 10, 64); err == nil {
		return n, true
	}
	if !strings.ContainsAny(raw, ".eE") {
		return 0, false
	}
	f, err := strconv.ParseFloat(raw, 64)
	if err != nil || f != float64(int64(f)) || f >= 1<<53 || f <= -(1<<53) {
		return 0, false
	}
	return int64(f), true
}
