// Command platforms checks that warp's programs compile for other systems, named as
// arguments. It checks types alone, from source: building the standard library and all
// modules for each system took minutes where nothing of it was cached.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	failed := false
	for _, system := range os.Args[1:] {
		problems, err := check(system)
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

// check lists what is wrong with our own packages on a system.
func check(system string) (problems []string, err error) {
	root, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	list, err := packages.Load(&packages.Config{
		Mode:       packages.LoadAllSyntax | packages.NeedModule,
		Env:        append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0"),
		BuildFlags: []string{"-tags=nosqlite"},
		ParseFile: func(fset *token.FileSet, name string, text []byte) (*ast.File, error) {
			file, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
			if !strings.HasPrefix(name, root+string(filepath.Separator)) {
				removeBodies(file)
			}
			return file, err
		},
	}, "./cmd/...")
	if err != nil {
		return nil, fmt.Errorf("loading the programs: %w", err)
	}
	seen := 0
	packages.Visit(list, nil, func(p *packages.Package) {
		if p.Module == nil || !p.Module.Main {
			return
		}
		seen++
		for _, e := range p.Errors {
			problems = append(problems, "  "+e.Error())
		}
	})
	if seen == 0 {
		problems = append(problems, "  no package of this module was found; run it at the top of the repository")
	}
	return problems, nil
}

// removeBodies leaves the declarations of what others wrote: what their functions do is
// not checked here.
func removeBodies(file *ast.File) {
	if file == nil {
		return
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			f.Body = nil
		}
	}
}
