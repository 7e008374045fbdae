package program

import (
	"go/ast"
	"path"
	"strings"
)

// cobraReader puts the commands of a cobra program together.
type cobraReader struct {
	module  *goModule
	program *Program
	made    []*made
	calls   []parented
	// named are functions whose commands are named by a parameter.
	named map[string]int
}

// made is a command where it is made.
type made struct {
	*Command
	pkg      string
	function string // in which it is made; "" for the package's variables
	variable string
}

// parented is one X.AddCommand(a, b).
type parented struct {
	pkg, function, parent string
	file                  *ast.File
	args                  []ast.Expr
}

// read tells whether the packages make a cobra program, and takes it in.
func (c *cobraReader) read(packages []*goPackage) bool {
	c.named = map[string]int{}
	for _, p := range packages {
		for _, f := range p.files {
			if name := imported(f, "github.com/spf13/cobra"); name != "" {
				c.file(p, f, name)
			}
		}
	}
	if len(c.made) == 0 {
		return false
	}
	for _, p := range packages {
		for _, f := range p.files {
			c.calledNames(p, f)
			c.flags(p, f)
		}
	}
	c.join()
	return true
}

// file finds the commands and AddCommand calls of a file.
func (c *cobraReader) file(p *goPackage, f *ast.File, cobra string) {
	for _, d := range f.Decls {
		function := ""
		if fn, ok := d.(*ast.FuncDecl); ok {
			function = fn.Name.Name
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for i, right := range n.Rhs {
					if id, ok := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident); ok {
						c.literal(p, f, d, function, id.Name, right, cobra)
					}
				}
			case *ast.ValueSpec:
				for i, v := range n.Values {
					c.literal(p, f, d, function, n.Names[min(i, len(n.Names)-1)].Name, v, cobra)
				}
			case *ast.ReturnStmt:
				for _, v := range n.Results {
					c.literal(p, f, d, function, "", v, cobra)
				}
			case *ast.CallExpr:
				if x, sel := selector(n.Fun); sel == "AddCommand" {
					c.calls = append(c.calls, parented{p.dir, function, x, f, n.Args})
				}
				for _, a := range n.Args {
					c.literal(p, f, d, function, "", a, cobra)
				}
			}
			return true
		})
	}
}

// literal takes a &cobra.Command{…} in.
func (c *cobraReader) literal(p *goPackage, f *ast.File, d ast.Decl, function, variable string, e ast.Expr, cobra string) {
	lit := composite(e)
	if lit == nil {
		return
	}
	if x, sel := selector(lit.Type); x != cobra || sel != "Command" {
		return
	}
	m := &made{Command: newCommand(""), pkg: p.dir, function: function, variable: variable}
	runs, args, usage := false, "", ""
	for _, el := range lit.Elts {
		kv, ok := el.(*ast.KeyValueExpr)
		if !ok {
			continue
		}
		switch keyOf(kv) {
		case "Use":
			use, ok := c.text(p, f, kv.Value)
			m.Name, usage, _ = strings.Cut(strings.TrimSpace(use), " ")
			if id, isID := kv.Value.(*ast.Ident); !ok && isID {
				if i := parameter(d, id.Name); i >= 0 {
					c.named[p.dir+"."+function] = i
					return // its callers make it
				}
			}
			if !ok {
				c.program.OpenCommands = true
				return
			}
		case "Aliases":
			if list, ok := kv.Value.(*ast.CompositeLit); ok {
				for _, a := range list.Elts {
					if s, ok := p.text(a); ok {
						m.Aliases = append(m.Aliases, s)
					}
				}
			}
		case "Run", "RunE":
			runs = true
		case "Args":
			_, args = selector(kv.Value)
			if args == "" {
				args = "some"
			}
		case "DisableFlagParsing":
			m.Open = true
		}
	}
	m.Args = runs && args != "NoArgs" && args != "" && usage != ""
	c.made = append(c.made, m)
}

func keyOf(kv *ast.KeyValueExpr) string {
	if id, ok := kv.Key.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

func composite(e ast.Expr) *ast.CompositeLit {
	if u, ok := e.(*ast.UnaryExpr); ok {
		e = u.X
	}
	lit, _ := e.(*ast.CompositeLit)
	return lit
}

// parameter is the place of a function's parameter, -1 if it has none.
func parameter(d ast.Decl, name string) int {
	fn, ok := d.(*ast.FuncDecl)
	if !ok {
		return -1
	}
	i := 0
	for _, field := range fn.Type.Params.List {
		for _, n := range field.Names {
			if n.Name == name {
				return i
			}
			i++
		}
	}
	return -1
}

// calledNames takes in the commands whose makers are given their names.
func (c *cobraReader) calledNames(p *goPackage, f *ast.File) {
	if len(c.named) == 0 {
		return
	}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		i, ok := c.named[c.function(p.dir, f, call.Fun)]
		if !ok || i >= len(call.Args) {
			return true
		}
		use, ok := p.text(call.Args[i])
		if !ok {
			c.program.OpenCommands = true
			return true
		}
		name, _, _ := strings.Cut(use, " ")
		m := &made{Command: newCommand(name), pkg: p.dir}
		m.Args, m.Open = true, true
		c.made = append(c.made, m)
		return true
	})
}

// text is the string that an expression stands for, also when it is a constant
// of another package.
func (c *cobraReader) text(p *goPackage, f *ast.File, e ast.Expr) (string, bool) {
	if s, ok := p.text(e); ok {
		return s, true
	}
	if x, _ := selector(e); x != "" {
		dir, name, _ := strings.Cut(c.function(p.dir, f, e), ".")
		if other := c.module.packages[dir]; other != nil {
			s, ok := other.consts[name]
			return s, ok
		}
	}
	return "", false
}

// function names the function that a call calls: folder.name.
func (c *cobraReader) function(dir string, f *ast.File, e ast.Expr) string {
	if id, ok := e.(*ast.Ident); ok {
		return dir + "." + id.Name
	}
	x, sel := selector(e)
	for _, i := range f.Imports {
		p := unquote(i.Path)
		if name := path.Base(p); name == x && i.Name == nil || i.Name != nil && i.Name.Name == x {
			if d, ok := c.module.folder(p); ok {
				return d + "." + sel
			}
		}
	}
	return dir + "." + sel // a method
}

// find is the command that a variable of a function, or of its package, holds.
func (c *cobraReader) find(dir, function, variable string) *made {
	for _, fn := range []string{function, ""} {
		for _, m := range c.made {
			if variable != "" && m.pkg == dir && m.function == fn && m.variable == variable {
				return m
			}
		}
	}
	return nil
}
