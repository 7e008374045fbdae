package yamltree

import (
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// scalarKinds are the kinds of the parser's scalars.
var scalarKinds = map[ast.NodeType]Kind{
	ast.StringType: Text, ast.BoolType: Truth,
	ast.IntegerType: Number, ast.FloatType: Number, ast.InfinityType: Number, ast.NanType: Number,
}

// converter makes nodes from the parser's.
type converter struct {
	*Problems
	src     *Source
	anchors map[string]*Node
	size    int // of all values so far, with aliases expanded
}

func (c *converter) placeOf(n ast.Node) Place {
	// A mapping's own token is the colon of its first key.
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return c.placeOf(m.Values[0].Key)
	}
	return c.tokenPlace(n.GetToken())
}

func (c *converter) tokenPlace(t *token.Token) Place {
	return Place{c.src, t.Position.Line, max(1, t.Position.Column)}
}

func (c *converter) convert(from ast.Node) *Node {
	n, before := &Node{Place: c.placeOf(from), Kind: Nothing}, c.size
	switch f := from.(type) {
	case *ast.MappingNode:
		n.Kind = Mapping
		c.convertMapping(n, f)
	case *ast.SequenceNode:
		n.Kind = List
		for _, v := range f.Values {
			n.Items = append(n.Items, c.convert(v))
		}
	case *ast.AnchorNode:
		n = c.convert(f.Value)
		c.anchors[f.Name.GetToken().Value] = n
		return n
	case *ast.AliasNode:
		return c.resolveAlias(n, f.Value.GetToken().Value)
	case *ast.TagNode:
		c.Report(n.Place, "tags such as %q are not supported", f.GetToken().Value)
		return c.convert(f.Value)
	case *ast.LiteralNode:
		n.Kind, n.Text = Text, f.Value.Value
	case *ast.NullNode:
	case ast.ScalarNode:
		n.Kind, n.Text = scalarKinds[f.Type()], f.GetToken().Value
	default:
		c.Report(n.Place, "this kind of YAML is not supported")
	}
	c.size += 1 + len(n.Text)
	n.size = c.size - before
	return n
}

// resolveAlias returns the node of an anchor above it. An anchor's own value is not above it, so
// nothing contains itself.
func (c *converter) resolveAlias(here *Node, name string) *Node {
	n, ok := c.anchors[name]
	switch {
	case !ok:
		c.Report(here.Place, "there is no anchor &%s above *%s", name, name)
		return here
	case c.size+n.size > mostSize:
		c.Report(here.Place, "with its aliases written out the file would have more than %d KiB", mostSize>>10)
		return here
	}
	c.size += n.size
	return n
}

// convertMapping adds the keys, and then those of "<<" that are missing.
func (c *converter) convertMapping(n *Node, from *ast.MappingNode) {
	var merged []*Node
	for _, v := range from.Values {
		value := c.convert(v.Value)
		if v.Key.IsMergeKey() {
			merged = append(merged, value.Elements()...)
			continue
		}
		at, key := c.placeOf(v.Key), v.Key.GetToken().Value
		if _, isWord := v.Key.(ast.ScalarNode); !isWord {
			c.Report(at, "a key must be a plain word")
		} else if n.Has(key) {
			c.Report(at, "%q is given twice", key)
		} else {
			n.Entries = append(n.Entries, Entry{key, at, value})
		}
	}
	for _, m := range merged {
		c.Check(m.Kind != Mapping, m.Place, "<< must be a mapping, not %s", m.Kind)
		for _, e := range m.Entries {
			if !n.Has(e.Key) {
				n.Entries = append(n.Entries, e)
			}
		}
	}
}
