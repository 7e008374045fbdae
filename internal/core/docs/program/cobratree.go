package program

import (
	"go/ast"
	"path"
	"slices"
	"strings"
)

// join makes a tree of the commands.
func (c *cobraReader) join() {
	for _, call := range c.calls {
		parent := c.find(call.pkg, call.function, call.parent)
		for _, arg := range call.args {
			child := c.meant(call, arg)
			if parent == nil || child == nil || child == parent || child.parent != nil || descends(parent.Command, child.Command) {
				continue
			}
			child.parent = parent.Command
			parent.Subs = append(parent.Subs, child.Command)
		}
	}
	root := c.root()
	if root != nil {
		c.program.Root = root.Command
		root.Name = c.program.Name
	}
	for _, m := range c.made {
		m.Args = m.Args || len(m.Subs) == 0 && m.Name != "" && m != root && c.leaf(m)
		if m.parent == nil && m != root && m.Name != "" {
			c.program.Loose = append(c.program.Loose, m.Command)
		}
	}
}

func descends(c, from *Command) bool {
	for ; c != nil; c = c.parent {
		if c == from {
			return true
		}
	}
	return false
}

// leaf tells whether nothing is ever added to a command.
func (c *cobraReader) leaf(m *made) bool {
	return !slices.ContainsFunc(c.calls, func(p parented) bool {
		return p.pkg == m.pkg && (p.parent == m.variable || p.parent == "") && (p.function == m.function || m.function == "")
	})
}

// meant is the command that an argument of AddCommand stands for.
func (c *cobraReader) meant(at parented, e ast.Expr) *made {
	switch e := e.(type) {
	case *ast.Ident:
		return c.find(at.pkg, at.function, e.Name)
	case *ast.CallExpr:
		name := c.function(at.pkg, at.file, e.Fun)
		i := slices.IndexFunc(c.made, func(m *made) bool { return m.function != "" && m.pkg+"."+m.function == name && m.parent == nil })
		if i >= 0 {
			return c.made[i]
		}
	case *ast.SelectorExpr:
		x, sel := selector(e)
		i := slices.IndexFunc(c.made, func(m *made) bool { return m.variable == sel && m.function == "" && path.Base(m.pkg) == x })
		if i >= 0 {
			return c.made[i]
		}
	default:
		if lit := composite(e); lit != nil {
			for _, el := range lit.Elts {
				if kv, ok := el.(*ast.KeyValueExpr); ok && keyOf(kv) == "Use" {
					if b, ok := kv.Value.(*ast.BasicLit); ok {
						use, _, _ := strings.Cut(unquote(b), " ")
						i := slices.IndexFunc(c.made, func(m *made) bool { return m.Name == use && m.pkg == at.pkg && m.function == at.function })
						if i >= 0 {
							return c.made[i]
						}
					}
				}
			}
		}
	}
	return nil
}

// root is the command of the program's own name, or the one with the most
// subcommands.
func (c *cobraReader) root() *made {
	var best *made
	for _, m := range c.made {
		if m.parent != nil {
			continue
		}
		if m.Name == c.program.Name {
			return m
		}
		if len(m.Subs) > 0 && (best == nil || len(m.Subs) > len(best.Subs)) {
			best = m
		}
	}
	return best
}
