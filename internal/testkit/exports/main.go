// Command exports fails on exported names that no other package uses, tests included: such
// a name makes a promise to its readers that no one asked for. It reads the files of every
// system and builds nothing. Methods and fields are left out: they may be there for an
// interface or an encoder.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// allowed are the exceptions, with their reasons.
var allowed = map[string]string{}

// name is an exported name of a package.
type name struct{ pkg, ident string }

type program struct {
	fset     *token.FileSet
	files    map[string][]*ast.File // by import path
	names    map[string]string      // of the packages
	declared map[name]token.Position
	used     map[name]bool
}

func main() {
	p := program{token.NewFileSet(), map[string][]*ast.File{}, map[string]string{}, map[name]token.Position{}, map[name]bool{}}
	if err := filepath.WalkDir(".", p.readFile); err != nil {
		fmt.Fprintln(os.Stderr, "exports:", err)
		os.Exit(1)
	}
	for pkg, files := range p.files {
		for _, file := range files {
			p.noteDeclarations(pkg, file)
			p.noteSignatures(pkg, file)
			p.noteUses(file)
		}
	}
	if unused := p.unused(); len(unused) > 0 {
		fmt.Printf("%d exported names that no other package uses (make them unexported):\n%s\n", len(unused), strings.Join(unused, "\n"))
		os.Exit(1)
	}
}

func (p *program) readFile(file string, e fs.DirEntry, err error) error {
	if err != nil || e.IsDir() && (e.Name() == "testdata" || strings.HasPrefix(e.Name(), ".") && file != ".") {
		if err == nil {
			err = fs.SkipDir
		}
		return err
	}
	if e.IsDir() || !strings.HasSuffix(file, ".go") {
		return nil
	}
	tree, err := parser.ParseFile(p.fset, file, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	pkg := path.Join("warp", filepath.ToSlash(filepath.Dir(file)))
	p.files[pkg] = append(p.files[pkg], tree)
	p.names[pkg] = strings.TrimSuffix(tree.Name.Name, "_test")
	return nil
}

func (p *program) noteDeclarations(pkg string, file *ast.File) {
	position := p.fset.Position(file.Pos())
	if !strings.HasPrefix(pkg, "warp/internal/") || strings.HasPrefix(pkg, "warp/internal/testkit") || strings.HasSuffix(position.Filename, "_test.go") {
		return
	}
	note := func(id *ast.Ident) {
		if id.IsExported() {
			p.declared[name{pkg, id.Name}] = p.fset.Position(id.Pos())
		}
	}
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				note(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					note(s.Name)
				case *ast.ValueSpec:
					if d.Tok == token.CONST && d.Lparen.IsValid() {
						continue // a set of constants is exported whole
					}
					for _, id := range s.Names {
						note(id)
					}
				}
			}
		}
	}
}

// noteSignatures notes the types that other exported names show: in their fields, their
// arguments and results. Other packages use those without naming them.
func (p *program) noteSignatures(pkg string, file *ast.File) {
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() {
				p.noteTypes(pkg, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch s := spec.(type) {
				case *ast.TypeSpec:
					if s.Name.IsExported() {
						p.noteTypes(pkg, s.Type)
					}
				case *ast.ValueSpec:
					if s.Names[0].IsExported() && s.Type != nil {
						p.noteTypes(pkg, s.Type)
					}
				}
			}
		}
	}
}

func (p *program) noteTypes(pkg string, in ast.Node) {
	ast.Inspect(in, func(n ast.Node) bool {
		if field, ok := n.(*ast.Field); ok { // its names are no types
			p.noteTypes(pkg, field.Type)
			return false
		}
		if id, ok := n.(*ast.Ident); ok && id.IsExported() {
			p.used[name{pkg, id.Name}] = true
		}
		return true
	})
}

// noteUses notes every "package.Name" of a file. A local variable that has the name of a
// package counts as the package, which hides an unused name at worst.
func (p *program) noteUses(file *ast.File) {
	imports := map[string]string{}
	for _, spec := range file.Imports {
		pkg, _ := strconv.Unquote(spec.Path.Value)
		as := p.names[pkg]
		if spec.Name != nil {
			as = spec.Name.Name
		}
		imports[as] = pkg
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if of, ok := selector.X.(*ast.Ident); ok && imports[of.Name] != "" {
				p.used[name{imports[of.Name], selector.Sel.Name}] = true
			}
		}
		return true
	})
}

func (p *program) unused() []string {
	var all []string
	for n, at := range p.declared {
		if short := strings.TrimPrefix(n.pkg, "warp/internal/") + "." + n.ident; !p.used[n] && allowed[short] == "" {
			all = append(all, fmt.Sprintf("%s:%d: %s", at.Filename, at.Line, short))
		}
	}
	for short := range allowed {
		pkg, ident := path.Split(short)
		in, ident, _ := strings.Cut(ident, ".")
		if n := (name{"warp/internal/" + pkg + in, ident}); p.used[n] || p.declared[n].Line == 0 {
			all = append(all, "internal/testkit/exports: the exception "+short+" is not needed")
		}
	}
	slices.Sort(all)
	return all
}
