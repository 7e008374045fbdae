package program

import (
	"go/ast"
	"strings"
)

// definers are how the methods that define flags begin.
var definers = []string{"Bool", "String", "Int", "Uint", "Float", "Duration", "Count", "IP", "Var", "TextVar", "Bytes", "Func", "Time"}

// definition is the flag that a call of a method defines.
func (p *goPackage) definition(call *ast.CallExpr) (names []string, takes Value, ok, open bool) {
	s, isSel := call.Fun.(*ast.SelectorExpr)
	if !isSel || len(call.Args) < 2 {
		return nil, 0, false, false
	}
	method := s.Sel.Name
	if method == "VarPF" {
		method = "VarP"
	}
	known := false
	for _, d := range definers {
		known = known || strings.HasPrefix(method, d)
	}
	if !known {
		return nil, 0, false, false
	}
	at := 0
	bare := strings.TrimSuffix(method, "P")
	if strings.HasSuffix(bare, "Var") {
		at = 1
	}
	if at >= len(call.Args) {
		return nil, 0, false, false
	}
	name, ok := p.text(call.Args[at])
	if !ok {
		return nil, 0, true, true
	}
	names = []string{name}
	if bare != method && at+1 < len(call.Args) {
		if short, ok := p.text(call.Args[at+1]); ok && short != "" {
			names = append(names, short)
		}
	}
	takes = Always
	if strings.HasPrefix(method, "Bool") && !strings.HasPrefix(method, "BoolSlice") || strings.HasPrefix(method, "Count") {
		takes = Never
	} else if strings.HasPrefix(method, "Var") || strings.HasPrefix(method, "BoolFunc") {
		takes = Maybe
	}
	return names, takes, true, false
}

// flags finds the flags of cobra commands: X.Flags().Bool("name", …), also
// through a variable that holds X.Flags().
func (c *cobraReader) flags(p *goPackage, f *ast.File) {
	pflag := imported(f, "github.com/spf13/pflag")
	for _, d := range f.Decls {
		function := ""
		if fn, ok := d.(*ast.FuncDecl); ok {
			function = fn.Name.Name
		}
		sets := map[string]*ast.CallExpr{} // f := X.Flags()
		ast.Inspect(d, func(n ast.Node) bool {
			if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == len(a.Lhs) {
				for i := range a.Rhs {
					call, isCall := a.Rhs[i].(*ast.CallExpr)
					if id, ok := a.Lhs[i].(*ast.Ident); ok && isCall && isFlagSet(call) {
						sets[id.Name] = call
					}
				}
			}
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			s, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			set, isSet := s.X.(*ast.CallExpr)
			id, isID := s.X.(*ast.Ident)
			if isID && sets[id.Name] != nil {
				set, isSet = sets[id.Name], true
			}
			if isSet && isFlagSet(set) {
				c.flag(p, function, set, call)
			} else if isID && (id.Name == pflag || pflagSet(d, id.Name)) {
				c.anywhere(p, call)
			}
			return true
		})
	}
}

func isFlagSet(call *ast.CallExpr) bool {
	_, sel := selector(call.Fun)
	return sel == "Flags" || sel == "PersistentFlags" || sel == "LocalFlags"
}

// pflagSet tells whether a function has a parameter that is a set of flags.
func pflagSet(d ast.Decl, name string) bool {
	fn, ok := d.(*ast.FuncDecl)
	if !ok {
		return false
	}
	for _, field := range fn.Type.Params.List {
		star, ok := field.Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		if _, sel := selector(star.X); sel != "FlagSet" {
			continue
		}
		for _, n := range field.Names {
			if n.Name == name {
				return true
			}
		}
	}
	return false
}

func (c *cobraReader) flag(p *goPackage, function string, set, call *ast.CallExpr) {
	names, takes, ok, open := p.definition(call)
	switch {
	case !ok:
		return
	case open:
		c.program.OpenFlags = true
		return
	}
	of, kind := selector(set.Fun)
	into := c.program.Everywhere
	if m := c.find(p.dir, function, of); m != nil {
		into = m.Flags
		if kind == "PersistentFlags" {
			into = m.Handed
		}
	}
	for _, n := range names {
		into[n] = takes
	}
}

func (c *cobraReader) anywhere(p *goPackage, call *ast.CallExpr) {
	if names, takes, ok, open := p.definition(call); open {
		c.program.OpenFlags = true
	} else if ok {
		for _, n := range names {
			c.program.Everywhere[n] = takes
		}
	}
}
