package program

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"

	"warp/internal/core/docs/tree"
)

// goModule is one Go module of a repository, parsed.
type goModule struct {
	dir, path string
	packages  map[string]*goPackage // by folder, relative to the repository
}

type goPackage struct {
	dir     string
	main    bool
	files   []*ast.File
	imports []string // folders of the same module
	consts  map[string]string
}

// goModules parses the Go sources of a repository, tests left out.
func goModules(t *tree.Tree) []*goModule {
	var all []*goModule
	for _, f := range t.Named("go.mod") {
		if skipped(f) {
			continue
		}
		text, _ := t.Read(f)
		for line := range strings.Lines(text) {
			if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
				dir := strings.TrimSuffix(strings.TrimSuffix(f, "go.mod"), "/")
				all = append(all, &goModule{dir: dir, path: strings.Trim(strings.TrimSpace(name), `"`), packages: map[string]*goPackage{}})
				break
			}
		}
	}
	slices.SortFunc(all, func(a, b *goModule) int { return len(b.dir) - len(a.dir) }) // the innermost first
	for _, f := range t.Files() {
		if !strings.HasSuffix(f, ".go") || strings.HasSuffix(f, "_test.go") || skipped(f) {
			continue
		}
		i := slices.IndexFunc(all, func(m *goModule) bool { return m.dir == "" || strings.HasPrefix(f, m.dir+"/") })
		if i < 0 {
			continue
		}
		if text, ok := t.Read(f); ok {
			all[i].add(f, text)
		}
	}
	return all
}

// skipped tells whether a file belongs to others, or is no part of the program.
func skipped(file string) bool {
	for part := range strings.SplitSeq(path.Dir(file), "/") {
		switch part {
		case "vendor", "node_modules", "testdata", "third_party", "dist", "fixtures", "__tests__":
			return true
		}
	}
	return false
}

func (m *goModule) add(file, text string) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return
	}
	dir := path.Dir(file)
	if dir == "." {
		dir = ""
	}
	p := m.packages[dir]
	if p == nil {
		p = &goPackage{dir: dir, consts: map[string]string{}}
		m.packages[dir] = p
	}
	p.main = p.main || parsed.Name.Name == "main"
	p.files = append(p.files, parsed)
	for _, i := range parsed.Imports {
		if d, ok := m.folder(unquote(i.Path)); ok {
			p.imports = append(p.imports, d)
		}
	}
	for _, d := range parsed.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				for i, n := range v.Names {
					if i < len(v.Values) {
						if lit, ok := v.Values[i].(*ast.BasicLit); ok && lit.Kind == token.STRING {
							p.consts[n.Name] = unquote(lit)
						}
					}
				}
			}
		}
	}
}

// folder is the folder of a package of this module.
func (m *goModule) folder(importPath string) (string, bool) {
	if importPath == m.path {
		return m.dir, true
	}
	rest, ok := strings.CutPrefix(importPath, m.path+"/")
	return path.Join(m.dir, rest), ok
}

// reach is the packages that a program is made of.
func (m *goModule) reach(from string) []*goPackage {
	seen := map[string]bool{from: true}
	var all []*goPackage
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		p := m.packages[queue[0]]
		if p == nil {
			continue
		}
		all = append(all, p)
		for _, i := range p.imports {
			if !seen[i] {
				seen[i] = true
				queue = append(queue, i)
			}
		}
	}
	return all
}

// program is what the main package in a folder makes.
func (m *goModule) program(dir string) *Program {
	name := path.Base(dir)
	if dir == m.dir {
		name = path.Base(m.path)
		if len(name) > 1 && name[0] == 'v' && name[1] >= '0' && name[1] <= '9' {
			name = path.Base(path.Dir(m.path))
		}
	}
	p := newProgram(name)
	packages := m.reach(dir)
	c := cobraReader{module: m, program: p}
	if c.read(packages) {
		return p
	}
	readFlags(p, packages)
	return p
}

func unquote(lit *ast.BasicLit) string {
	s, _ := strconv.Unquote(lit.Value)
	return s
}

// text is the string that an expression stands for, as far as it can be told.
func (p *goPackage) text(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		return unquote(e), e.Kind == token.STRING
	case *ast.Ident:
		s, ok := p.consts[e.Name]
		return s, ok
	case *ast.ParenExpr:
		return p.text(e.X)
	case *ast.BinaryExpr:
		left, ok := p.text(e.X)
		right, _ := p.text(e.Y)
		return left + right, ok && e.Op == token.ADD
	}
	return "", false
}

// selector is the two names of x.Y.
func selector(e ast.Expr) (x, sel string) {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if id, ok := s.X.(*ast.Ident); ok {
			return id.Name, s.Sel.Name
		}
		return "", s.Sel.Name
	}
	return "", ""
}

// imported is the name by which a file calls a package.
func imported(f *ast.File, paths ...string) string {
	for _, i := range f.Imports {
		p := unquote(i.Path)
		if !slices.Contains(paths, p) {
			continue
		}
		if i.Name != nil {
			return i.Name.Name
		}
		base := path.Base(p)
		if strings.HasPrefix(base, "v") && len(base) == 2 {
			base = path.Base(path.Dir(p))
		}
		return base
	}
	return ""
}
