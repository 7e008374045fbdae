package yamltree

import (
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/text"
)

// Kind is what a value is, as in messages.
type Kind string

const (
	Nothing Kind = "nothing"
	Text    Kind = "a text"
	Number  Kind = "a number"
	Truth   Kind = "true or false"
	List    Kind = "a list"
	Mapping Kind = "a mapping"
)

// Node is a value of a file or a flag, with its place. Aliases share nodes. Some methods accept a
// nil node as an empty one.
type Node struct {
	Place
	Kind    Kind
	Text    string // of scalars, as written
	Items   []*Node
	Entries []Entry
	size    int // of its content, with aliases expanded
}

type Entry struct {
	Key   string
	At    Place
	Value *Node
}

func (n *Node) index(key string) int {
	return slices.IndexFunc(n.Entries, func(e Entry) bool { return e.Key == key })
}

// Get returns the value of a key, or nil.
func (n *Node) Get(key string) *Node {
	if n == nil || !n.Has(key) {
		return nil
	}
	return n.Entries[n.index(key)].Value
}

// Has reports whether a mapping has a key.
func (n *Node) Has(key string) bool { return n.index(key) >= 0 }

// Put sets a key; with a dot, one of a nested mapping, which others may share.
func (n *Node) Put(key string, value *Node) {
	if group, inner, isInner := strings.Cut(key, "."); isInner {
		within := NewMapping(inner, value)
		if old := n.Get(group); old != nil && old.Kind == Mapping {
			*within = *old
			within.Entries = slices.Clone(old.Entries)
			within.set(inner, value)
		}
		key, value = group, within
	}
	n.set(key, value)
}

func (n *Node) set(key string, value *Node) {
	if i := n.index(key); i >= 0 {
		n.Entries[i].Value = value
	} else {
		n.Entries = append(n.Entries, Entry{key, value.Place, value})
	}
}

// Remove removes keys from a mapping.
func (n *Node) Remove(keys ...string) {
	n.Entries = slices.DeleteFunc(n.Entries, func(e Entry) bool { return slices.Contains(keys, e.Key) })
}

// Where returns the place of the first of some keys that is present, or else of the mapping.
func (n *Node) Where(keys ...string) Place {
	for _, k := range keys {
		if v := n.Get(k); v != nil {
			return v.Place
		}
	}
	return n.Place
}

// Elements returns the items of a list; any other value counts as a list of itself.
func (n *Node) Elements() []*Node {
	if n.Kind == List {
		return n.Items
	}
	return []*Node{n}
}

// NewMapping returns a mapping with one key, at the place of its value.
func NewMapping(key string, value *Node) *Node {
	return &Node{Place: value.Place, Kind: Mapping, Entries: []Entry{{key, value.Place, value}}}
}

// NewText returns a text node at a place.
func NewText(at Place, text string) *Node { return &Node{Place: at, Kind: Text, Text: text} }

// OneLine returns the text on one line.
func (n *Node) OneLine() string {
	if n == nil {
		return ""
	}
	return text.OneLine(n.Text)
}

// AsText returns a text of any length, false if it is none; a number also counts as text.
func (n *Node) AsText() (string, bool) {
	if n.Kind != Text && n.Kind != Number || strings.TrimSpace(n.Text) == "" {
		return "", false
	}
	return n.Text, true
}

// AsLine returns a text of one line, false if it is none.
func (n *Node) AsLine() (string, bool) {
	s, ok := n.AsText()
	if s = strings.TrimSpace(s); strings.Contains(s, "\n") {
		return "", false
	}
	return text.OneLine(s), ok
}

// Quoted returns the value as messages quote it.
func (n *Node) Quoted() string {
	switch {
	case n.Kind == Nothing || n.Kind == List || n.Kind == Mapping:
		return string(n.Kind)
	case n.Kind == Truth:
		return n.Text
	case len(n.Text) > 40:
		return "a long text"
	}
	return strconv.Quote(n.Text)
}
