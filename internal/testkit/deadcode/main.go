// Command deadcode fails on functions that no program of ours can reach. A function that
// only tests call is dead too: it belongs into the test. What a reached function names is
// reached, and so is a method that an interface may ask for. It checks the types of our own
// packages alone: to follow every call through all modules took half a minute.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// allowed are the exceptions, with their reasons.
var allowed = map[string]string{
	"Table.Ambiguous": "the tests of every phase table ask it",
	"Table.Reachable": "the tests of every phase table ask it",
	"Restricted":      "the test of flags compares the commands with it",
	"PluginHooks":     "the test of the plugin compares its file with it",
}

// unnamed are methods of interfaces that have no name in the packages that ask for them.
var unnamed = []string{"As", "Is", "Unwrap"}

// program is all of our code that is no test.
type program struct {
	declared   map[*types.Func]bool
	names      map[*types.Func][]*types.Func // those that its body names
	types      []*types.Named
	interfaces map[string][]*types.Interface // by the names of their methods
	seen       map[any]bool                  // packages and interfaces that are noted
	templates  map[string]bool               // what templates name
	reached    map[*types.Func]bool
}

func main() {
	dead, err := findDead()
	if err != nil {
		dead = append(dead, err.Error())
	}
	if len(dead) > 0 {
		fmt.Printf("dead code (delete it, or move it into the test that uses it):\n%s\n", strings.Join(dead, "\n"))
		os.Exit(1)
	}
}

func findDead() ([]string, error) {
	list, err := packages.Load(&packages.Config{Mode: packages.LoadSyntax, BuildFlags: []string{"-tags=nosqlite"}}, "./...")
	if err != nil || packages.PrintErrors(list) > 0 {
		return nil, fmt.Errorf("loading the programs: %w", err)
	}
	p := program{map[*types.Func]bool{}, map[*types.Func][]*types.Func{}, nil, map[string][]*types.Interface{}, map[any]bool{}, map[string]bool{}, map[*types.Func]bool{}}
	var first []*types.Func
	for pkg := range findLinked(list) {
		first = append(first, p.readPackage(pkg)...)
	}
	files, err := exec.Command("git", "ls-files", "*.html", "*.tmpl").Output()
	for name := range strings.Lines(string(files)) {
		text, broken := os.ReadFile(strings.TrimSpace(name))
		err = errors.Join(err, broken)
		p.noteTemplate(string(text))
	}
	if err != nil {
		return nil, fmt.Errorf("reading the templates: %w", err)
	}
	for _, f := range first {
		p.reach(f)
	}
	for _, t := range p.types {
		p.reachMethods(t)
	}
	return p.listDead(list[0].Fset)
}

// findLinked finds our packages that are part of a program.
func findLinked(list []*packages.Package) map[*packages.Package]bool {
	ours, linked := map[string]bool{}, map[*packages.Package]bool{}
	var link func(pkg *packages.Package)
	link = func(pkg *packages.Package) {
		if !ours[pkg.PkgPath] || linked[pkg] {
			return
		}
		linked[pkg] = true
		for _, imported := range pkg.Imports {
			link(imported)
		}
	}
	for _, pkg := range list {
		ours[pkg.PkgPath] = true
	}
	for _, pkg := range list {
		if pkg.Name == "main" {
			link(pkg)
		}
	}
	return linked
}

// readPackage notes the functions and interfaces of a package, and returns what runs when
// a program starts.
func (p *program) readPackage(pkg *packages.Package) (first []*types.Func) {
	for _, file := range pkg.Syntax {
		for _, decl := range file.Decls {
			d, isFunc := decl.(*ast.FuncDecl)
			if !isFunc {
				first = append(first, listNamed(pkg, decl)...)
				continue
			}
			f := pkg.TypesInfo.Defs[d.Name].(*types.Func)
			p.declared[f], p.names[f] = true, listNamed(pkg, d)
			if d.Recv == nil && (d.Name.Name == "init" || d.Name.Name == "_" || pkg.Name == "main" && d.Name.Name == "main") {
				first = append(first, f)
			}
		}
	}
	fills := pkg.Imports["text/template"] != nil || pkg.Imports["html/template"] != nil
	for _, value := range pkg.TypesInfo.Types {
		p.noteInterface(value.Type)
		if fills && value.Value != nil && value.Value.Kind() == constant.String {
			p.noteTemplate(constant.StringVal(value.Value))
		}
	}
	for _, object := range pkg.TypesInfo.Defs {
		if name, ok := object.(*types.TypeName); ok && !name.IsAlias() {
			if named, ok := name.Type().(*types.Named); ok {
				p.types = append(p.types, named)
			}
		}
	}
	p.noteNamed(pkg.Types)
	return first
}

// listNamed lists the functions that a part of a file names.
func listNamed(pkg *packages.Package, in ast.Node) (list []*types.Func) {
	ast.Inspect(in, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok {
			if f, ok := pkg.TypesInfo.Uses[id].(*types.Func); ok {
				list = append(list, f.Origin())
			}
		}
		return true
	})
	return list
}

// noteNamed notes the interfaces of a package and of all that it imports.
func (p *program) noteNamed(pkg *types.Package) {
	if p.seen[pkg] {
		return
	}
	p.seen[pkg] = true
	for _, name := range pkg.Scope().Names() {
		p.noteInterface(pkg.Scope().Lookup(name).Type())
	}
	for _, imported := range pkg.Imports() {
		p.noteNamed(imported)
	}
}

func (p *program) noteInterface(t types.Type) {
	i, ok := t.Underlying().(*types.Interface)
	if !ok || p.seen[i] {
		return
	}
	p.seen[i] = true
	for m := range i.Methods() {
		p.interfaces[m.Name()] = append(p.interfaces[m.Name()], i)
	}
}

// noteTemplate notes the names behind a dot in a template, which may be those of methods.
func (p *program) noteTemplate(text string) {
	for _, action := range actions.FindAllString(text, -1) {
		for _, name := range dotted.FindAllStringSubmatch(action, -1) {
			p.templates[name[1]] = true
		}
	}
}

var (
	actions = regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	dotted  = regexp.MustCompile(`\.([A-Z]\w*)`)
)

// reach notes that a program can call a function, and what that names.
func (p *program) reach(f *types.Func) {
	if p.reached[f] {
		return
	}
	p.reached[f] = true
	for _, named := range p.names[f] {
		p.reach(named)
	}
}

// reachMethods reaches the methods of a type, its own and promoted ones, that may be called
// by way of an interface or by a template.
func (p *program) reachMethods(t *types.Named) {
	pointer := types.NewPointer(t)
	for m := range types.NewMethodSet(pointer).Methods() {
		f := m.Obj().(*types.Func)
		if slices.Contains(unnamed, f.Name()) || p.templates[f.Name()] ||
			slices.ContainsFunc(p.interfaces[f.Name()], func(i *types.Interface) bool {
				return t.TypeParams().Len() > 0 || types.Implements(pointer, i)
			}) {
			p.reach(f.Origin())
		}
	}
}

// listDead lists what was not reached. Tools of tests are for tests.
func (p *program) listDead(files *token.FileSet) (list []string, err error) {
	root, err := os.Getwd()
	needed := map[string]bool{}
	for f := range p.declared {
		if p.reached[f] || strings.Contains(f.Pkg().Path(), "/testkit/") {
			continue
		}
		name := nameFunction(f)
		if allowed[name] != "" {
			needed[name] = true
			continue
		}
		at := files.Position(f.Pos())
		list = append(list, fmt.Sprintf("%s:%d: %s", strings.TrimPrefix(at.Filename, root+string(filepath.Separator)), at.Line, name))
	}
	for name := range allowed {
		if !needed[name] {
			list = append(list, "internal/testkit/deadcode: the exception "+name+" is not needed")
		}
	}
	slices.Sort(list)
	return list, err
}

// nameFunction is the name of a function behind that of its type, as "Table.Way".
func nameFunction(f *types.Func) string {
	recv := f.Signature().Recv()
	if recv == nil {
		return f.Name()
	}
	t := recv.Type()
	if pointer, ok := t.(*types.Pointer); ok {
		t = pointer.Elem()
	}
	return t.(*types.Named).Obj().Name() + "." + f.Name()
}
