// Command platforms checks that warp's programs compile for other systems, named as
// arguments. It checks types alone, from source: building the standard library and all
// modules for each system took minutes where nothing of it was cached.
package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	failed := false
	source := source{files: map[string]*ast.File{}}
	for _, system := range os.Args[1:] {
		problems, err := source.check(system)
		if err != nil {
			problems = append(problems, err.Error())
		}
		if len(problems) > 0 {
			failed = true
			fmt.Printf("it does not build for %s:\n%s\n", system, strings.Join(problems, "\n"))
		}
	}
	if failed {
		os.Exit(1)
	}
}

// source is what was parsed for one system: most files belong to the others as well.
type source struct {
	positions token.FileSet
	files     map[string]*ast.File
}

// check lists what is wrong with our own packages on a system.
func (s *source) check(system string) (problems []string, err error) {
	list, err := packages.Load(&packages.Config{
		Mode:       packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule,
		Env:        append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		BuildFlags: []string{"-tags=nosqlite"},
	}, "./cmd/...")
	if err != nil {
		return nil, fmt.Errorf("loading the programs: %w", err)
	}
	seen := 0
	checked := map[string]*types.Package{"unsafe": types.Unsafe}
	packages.Visit(list, nil, func(p *packages.Package) { // what a package imports comes before it
		if p.PkgPath == "unsafe" {
			return
		}
		var wrong []error
		checked[p.ID], wrong = s.checkPackage(p, checked)
		if p.Module == nil || !p.Module.Main {
			return
		}
		seen++
		for _, e := range p.Errors {
			problems = append(problems, "  "+e.Error())
		}
		for _, e := range wrong {
			problems = append(problems, "  "+e.Error())
		}
	})
	if seen == 0 {
		problems = append(problems, "  no package of this module was found; run it at the top of the repository")
	}
	return problems, nil
}

// checkPackage checks the types of a package. What others wrote counts by its declarations:
// the bodies of their functions are not looked at.
func (s *source) checkPackage(p *packages.Package, checked map[string]*types.Package) (pkg *types.Package, wrong []error) {
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := s.parse(name)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		files = append(files, file)
	}
	config := types.Config{
		IgnoreFuncBodies: p.Module == nil || !p.Module.Main,
		Error:            func(err error) { wrong = append(wrong, err) },
		Importer: importer(func(path string) (*types.Package, error) {
			if dep := p.Imports[path]; dep != nil && checked[dep.ID] != nil {
				return checked[dep.ID], nil
			}
			if path == "unsafe" {
				return types.Unsafe, nil
			}
			return nil, errors.New("it was not found")
		}),
	}
	pkg, _ = config.Check(p.PkgPath, &s.positions, files, nil) // its error is the first of those told
	return pkg, wrong
}

// parse parses a file once.
func (s *source) parse(name string) (*ast.File, error) {
	if file := s.files[name]; file != nil {
		return file, nil
	}
	file, err := parser.ParseFile(&s.positions, name, nil, parser.SkipObjectResolution)
	if err == nil {
		s.files[name] = file
	}
	return file, err
}

// importer finds what a package imports.
type importer func(path string) (*types.Package, error)

func (find importer) Import(path string) (*types.Package, error) { return find(path) }
