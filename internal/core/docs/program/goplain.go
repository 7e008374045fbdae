package program

import (
	"go/ast"
	"go/token"
	"strings"
)

// readFlags finds the flags of a program without cobra: package flag, pflag and
// urfave/cli. Its commands are the names of flag sets and the cases of a switch
// over the first argument.
func readFlags(p *Program, packages []*goPackage) {
	for _, pkg := range packages {
		for _, f := range pkg.files {
			std, pflag := imported(f, "flag"), imported(f, "github.com/spf13/pflag")
			urfave := imported(f, "github.com/urfave/cli", "github.com/urfave/cli/v2", "github.com/urfave/cli/v3")
			switch {
			case std != "" || pflag != "":
				p.OneDash = p.OneDash || std != ""
				readSets(p, pkg, f, std, pflag)
			case urfave != "":
				readUrfave(p, pkg, f, urfave)
			case imported(f, "github.com/alecthomas/kong", "github.com/alecthomas/kingpin/v2", "github.com/jessevdk/go-flags", "github.com/peterbourgon/ff/v3", "github.com/peterbourgon/ff/v4") != "":
				p.OpenFlags, p.OpenCommands = true, true
			}
			if pkg.main && (std != "" || pflag != "") {
				readCases(p, pkg, f)
			}
		}
	}
	p.OpenCommands = p.OpenCommands || len(p.Loose) == 0
	if p.OneDash && len(p.Everywhere) == 0 {
		p.OpenFlags = true
	}
}

func readSets(p *Program, pkg *goPackage, f *ast.File, std, pflag string) {
	sets := map[string]bool{std: std != "", pflag: pflag != "", "CommandLine": true}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, right := range n.Rhs {
				call, ok := right.(*ast.CallExpr)
				if !ok {
					continue
				}
				if x, sel := selector(call.Fun); sel == "NewFlagSet" && (x == std || x == pflag) {
					if id, ok := n.Lhs[min(i, len(n.Lhs)-1)].(*ast.Ident); ok {
						sets[id.Name] = true
					}
				}
			}
		case *ast.FuncDecl:
			for _, field := range n.Type.Params.List {
				for _, name := range field.Names {
					if pflagSet(n, name.Name) {
						sets[name.Name] = true
					}
				}
			}
		case *ast.CallExpr:
			if x, _ := selector(n.Fun); x != "" && sets[x] {
				if names, takes, ok, open := pkg.definition(n); open {
					p.OpenFlags = true
				} else if ok {
					for _, name := range names {
						p.Everywhere[name] = takes
					}
				}
			}
		}
		return true
	})
}

// readCases finds the names in switch os.Args[1], or flag.Arg(0).
func readCases(p *Program, pkg *goPackage, f *ast.File) {
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SwitchStmt)
		if !ok || !firstArgument(s.Tag) {
			return true
		}
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				if name, ok := pkg.text(e); ok && name != "" && name[0] != '-' {
					c := newCommand(name)
					c.Args = true
					p.Loose = append(p.Loose, c)
				}
			}
		}
		return true
	})
}

func firstArgument(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.IndexExpr:
		_, sel := selector(e.X)
		lit, ok := e.Index.(*ast.BasicLit)
		return ok && (sel == "Args" && lit.Value == "1" || lit.Kind == token.INT && lit.Value == "0" && sel == "")
	case *ast.CallExpr:
		_, sel := selector(e.Fun)
		return sel == "Arg"
	}
	return false
}

func readUrfave(p *Program, pkg *goPackage, f *ast.File, urfave string) {
	ast.Inspect(f, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		x, sel := selector(lit.Type)
		inList := lit.Type == nil
		flag := x == urfave && strings.HasSuffix(sel, "Flag")
		if !flag && !(x == urfave && sel == "Command") && !inList {
			return true
		}
		var names []string
		takes := Always
		if sel == "BoolFlag" {
			takes = Never
		}
		for _, el := range lit.Elts {
			kv, ok := el.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			switch key, _ := kv.Key.(*ast.Ident); {
			case key == nil:
			case key.Name == "Name":
				if s, ok := pkg.text(kv.Value); ok {
					names = append(names, s)
				}
			case key.Name == "Aliases":
				if list, ok := kv.Value.(*ast.CompositeLit); ok {
					for _, a := range list.Elts {
						if s, ok := pkg.text(a); ok {
							names = append(names, s)
						}
					}
				}
			}
		}
		switch {
		case len(names) == 0:
		case flag:
			for _, n := range names {
				p.Everywhere[n] = takes
			}
		default:
			c := newCommand(names[0])
			c.Aliases, c.Args = names[1:], true
			p.Loose = append(p.Loose, c)
		}
		return true
	})
}
