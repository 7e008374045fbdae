package pipeline

import (
	"slices"
	"strconv"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

type kind int

const (
	empty kind = iota
	textKind
	number
	truth
	list
	mapping
)

func (k kind) String() string {
	return [...]string{"nothing", "a text", "a number", "true or false", "a list", "a mapping"}[k]
}

// scalarKinds are the kinds of the parser's values of one word.
var scalarKinds = map[ast.NodeType]kind{
	ast.StringType: textKind, ast.BoolType: truth,
	ast.IntegerType: number, ast.FloatType: number, ast.InfinityType: number, ast.NanType: number,
}

// node is a value of a file. Aliases share theirs.
type node struct {
	place
	kind    kind
	text    string // of scalars, as written
	items   []*node
	entries []entry
	size    int // what it holds, aliases written out
}

// entry is a key and its value.
type entry struct {
	key   string
	at    place
	value *node
}

// get is the value of a key, or nil.
func (n *node) get(key string) *node {
	i := slices.IndexFunc(n.entries, func(e entry) bool { return e.key == key })
	if i < 0 {
		return nil
	}
	return n.entries[i].value
}

// elements are those of a list; any other value stands for a list of itself.
func (n *node) elements() []*node {
	if n.kind == list {
		return n.items
	}
	return []*node{n}
}

// quoted is a value as a message quotes it.
func (n *node) quoted() string {
	if n.kind == empty || n.kind > truth {
		return n.kind.String()
	}
	if len(n.text) > 40 {
		return "a long text"
	}
	return strconv.Quote(n.text)
}

// converter makes nodes of the parser's.
type converter struct {
	*problems
	src     *source
	anchors map[string]*node
	size    int // of the aliases so far
}

func (c *converter) placeOf(n ast.Node) place {
	// A mapping's own token is the colon of its first key.
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return c.placeOf(m.Values[0].Key)
	}
	return c.tokenPlace(n.GetToken())
}

// tokenPlace is where a token is; the start of the file if there is none.
func (c *converter) tokenPlace(t *token.Token) place {
	if t == nil {
		return place{c.src, 1, 1}
	}
	return place{c.src, t.Position.Line, max(1, t.Position.Column)}
}

func (c *converter) convert(from ast.Node) *node {
	n := &node{place: c.placeOf(from)}
	switch f := from.(type) {
	case *ast.MappingNode:
		n.kind = mapping
		c.convertMapping(n, f)
	case *ast.SequenceNode:
		n.kind = list
		for _, v := range f.Values {
			n.items = append(n.items, c.convert(v))
		}
	case *ast.AnchorNode:
		n = c.convert(f.Value)
		c.anchors[f.Name.GetToken().Value] = n
	case *ast.AliasNode:
		return c.resolveAlias(n, f.Value.GetToken().Value)
	case *ast.TagNode:
		c.report(n.place, "tags such as %q are not supported", f.GetToken().Value)
		return c.convert(f.Value)
	case *ast.NullNode:
	case *ast.LiteralNode:
		n.kind, n.text = textKind, f.Value.Value
	case ast.ScalarNode:
		n.kind, n.text = scalarKinds[f.Type()], f.GetToken().Value
	default:
		c.report(n.place, "this kind of YAML is not supported")
	}
	n.size = 1 + len(n.text)
	for _, i := range n.items {
		n.size += i.size
	}
	for _, e := range n.entries {
		n.size += e.value.size
	}
	return n
}

// resolveAlias is the node that an anchor above it names. An anchor's own value is not
// above it, so nothing holds itself.
func (c *converter) resolveAlias(here *node, name string) *node {
	n, ok := c.anchors[name]
	switch {
	case !ok:
		c.report(here.place, "there is no anchor &%s above *%s", name, name)
		return here
	case c.size+n.size > mostSize:
		c.report(here.place, "with its aliases written out the file would have more than %d KiB", mostSize>>10)
		return here
	}
	c.size += n.size
	return n
}

// convertMapping takes the keys in, and then those of "<<" that it does not have.
func (c *converter) convertMapping(n *node, from *ast.MappingNode) {
	var merged []*node
	for _, v := range from.Values {
		if v.Key.IsMergeKey() {
			merged = append(merged, c.convert(v.Value).elements()...)
			continue
		}
		at, key := c.placeOf(v.Key), v.Key.GetToken().Value
		value := c.convert(v.Value)
		if _, isWord := v.Key.(ast.ScalarNode); !isWord {
			c.report(at, "a key must be a plain word")
		} else if n.get(key) != nil {
			c.report(at, "%q is given twice", key)
		} else {
			n.entries = append(n.entries, entry{key, at, value})
		}
	}
	for _, m := range merged {
		if m.kind != mapping {
			c.report(m.place, "<< needs a mapping, not %s", m.kind)
		}
		for _, e := range m.entries {
			if n.get(e.key) == nil {
				n.entries = append(n.entries, e)
			}
		}
	}
}
