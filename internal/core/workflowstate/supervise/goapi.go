package supervise

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// goAPI finds exported declarations of Go packages that the diff removes or changes. It compares
// whole packages, so that what moved to another file of its package is still there. Commands, tests
// and internal packages have no public API.
func goAPI(w Work) (found []Conflict) {
	before, after := map[string]*surface{}, map[string]*surface{}
	var order []string
	of := func(side map[string]*surface, dir string) *surface {
		if side[dir] == nil {
			side[dir] = &surface{have: map[string][]string{}}
			if !slices.Contains(order, dir) {
				order = append(order, dir)
			}
		}
		return side[dir]
	}
	for _, c := range w.Changes {
		if p := was(c); publicGo(p) && c.Before != nil {
			of(before, path.Dir(p)).read(p, c.Before)
		}
		if publicGo(c.Path) && c.After != nil {
			of(after, path.Dir(c.Path)).read(c.Path, c.After)
		}
	}
	for _, dir := range order {
		found = append(found, of(before, dir).against(of(after, dir), dir, w.Asked)...)
	}
	return found
}

func publicGo(file string) bool {
	if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
		return false
	}
	return !slices.ContainsFunc(strings.Split(path.Dir(file), "/"), func(d string) bool {
		return d == "internal" || d == "testdata" || d == "vendor" || d != "." && strings.HasPrefix(d, ".") || strings.HasPrefix(d, "_")
	})
}

// surface is a package's exported names and how each is declared. Files for different systems may
// declare one name differently.
type surface struct {
	have   map[string][]string
	names  []string // in order
	files  []string
	broken bool // a file could not be read: nothing can be concluded
}

func (s *surface) add(name, declared string) {
	if !slices.Contains(s.names, name) {
		s.names = append(s.names, name)
	}
	s.have[name] = append(s.have[name], declared)
}

// against lists what another surface no longer has, or has differently.
func (s *surface) against(now *surface, dir, asked string) []Conflict {
	if s.broken || now.broken {
		return nil
	}
	var removed, changed []string
	for _, name := range s.names {
		last := name[strings.LastIndexByte(name, '.')+1:]
		switch declared, still := now.have[name]; {
		case named(asked, last) || named(asked, name):
		case !still:
			removed = append(removed, name)
		case !slices.ContainsFunc(s.have[name], func(d string) bool { return slices.Contains(declared, d) }):
			changed = append(changed, name)
		}
	}
	var found []Conflict
	for _, f := range []struct {
		names []string
		did   string
	}{{removed, "removed"}, {changed, "changed"}} {
		if len(f.names) > 0 {
			found = append(found, Conflict{Type: API, Severity: High, Files: s.files, Detail: fmt.Sprintf("public API of %s %s: %s", dir, f.did, text.List(f.names, 5))})
		}
	}
	return found
}

func (s *surface) read(file string, text []byte) {
	s.files = append(s.files, file)
	f, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	switch {
	case err != nil:
		s.broken = true
		return
	case f.Name.Name == "main":
		return
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			s.function(d)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				s.spec(d.Tok, spec)
			}
		}
	}
}

func (s *surface) function(d *ast.FuncDecl) {
	if !d.Name.IsExported() {
		return
	}
	if d.Recv == nil {
		s.add(d.Name.Name, signature(d.Type))
		return
	}
	receiver := strings.TrimPrefix(printed(d.Recv.List[0].Type), "*")
	receiver, _, _ = strings.Cut(receiver, "[")
	if ast.IsExported(receiver) {
		s.add(receiver+"."+d.Name.Name, signature(d.Type))
	}
}

func (s *surface) spec(kind token.Token, spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, n := range spec.Names {
			if n.IsExported() {
				s.add(n.Name, kind.String()+" "+printed(spec.Type))
			}
		}
	case *ast.TypeSpec:
		if spec.Name.IsExported() {
			s.typed(spec)
		}
	}
}

// typed adds a type and separately its members: a struct may gain fields without a change for its
// users.
func (s *surface) typed(spec *ast.TypeSpec) {
	name, params := spec.Name.Name, fields(spec.TypeParams)
	switch t := spec.Type.(type) {
	case *ast.StructType:
		s.add(name, "struct"+params)
		s.members(name, t.Fields)
	case *ast.InterfaceType:
		s.add(name, "interface"+params)
		s.members(name, t.Methods)
	default:
		s.add(name, params+printed(t))
	}
}

func (s *surface) members(of string, list *ast.FieldList) {
	for _, f := range list.List {
		declared := printed(f.Type)
		if method, ok := f.Type.(*ast.FuncType); ok {
			declared = signature(method)
		}
		if len(f.Names) == 0 { // embedded
			s.add(of+"."+strings.TrimLeft(declared[strings.LastIndexByte(declared, '.')+1:], "*"), declared)
		}
		for _, n := range f.Names {
			if n.IsExported() {
				s.add(of+"."+n.Name, declared)
			}
		}
	}
}

// signature formats a function's type without parameter names.
func signature(f *ast.FuncType) string {
	return "func" + fields(f.TypeParams) + fields(f.Params) + fields(f.Results)
}

func fields(list *ast.FieldList) string {
	if list == nil {
		return "()"
	}
	var types []string
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			types = append(types, printed(f.Type))
		}
	}
	return "(" + strings.Join(types, ", ") + ")"
}

// printed formats a type on one line. Without the positions of its file the printer breaks only
// necessary lines.
func printed(x ast.Expr) string {
	if x == nil {
		return ""
	}
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), x); err != nil {
		return ""
	}
	return text.OneLine(b.String())
}
