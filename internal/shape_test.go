package internal

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

const (
	mostMethods = 30
	mostFields  = 15
	mostMembers = 40 // of documents, and of what a command line can say
)

// A type that knows everything is several types: engines grew to 203 methods
// before anything held them (issue 13).
func TestTypesStaySmall(t *testing.T) {
	for top, fields := range map[string]int{
		"engine": mostFields, "turnstile": mostFields,
		"hook": mostMembers, "durable": mostMembers, "fleet": mostMembers, "core/workqueue": mostMembers, "adapter/agent/demo": mostMembers,
		"cli": mostMembers, "sys": mostMembers, "ui": mostMembers, "core/drivestate": mostMembers, "core/workflowstate": mostMembers,
		"core/pipeline": mostMembers, "core/taskdoc": mostMembers, "core/yamltree": mostMembers,
	} {
		for name, s := range shapes(t, top) {
			if s.methods > mostMethods || s.fields > fields {
				t.Errorf("%s has %d methods and %d fields, at most %d and %d are allowed: divide it along what each part needs to know", name, s.methods, s.fields, mostMethods, fields)
			}
		}
	}
}

type shape struct{ methods, fields int }

// shapes counts the methods and fields of every type in the packages below a
// folder, tests aside.
func shapes(t *testing.T, top string) map[string]shape {
	t.Helper()
	all := map[string]shape{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(filepath.Dir(path))
		for _, decl := range file.Decls {
			count(all, folder, decl)
		}
		return nil
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("%d types below %s: %v", len(all), top, err)
	}
	return all
}

func count(all map[string]shape, folder string, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			return
		}
		name := folder + "." + receiver(d.Recv.List[0].Type)
		s := all[name]
		s.methods++
		all[name] = s
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			typ, ok := spec.(*ast.TypeSpec)
			if !ok {
				continue
			}
			name := folder + "." + typ.Name.Name
			s := all[name]
			switch body := typ.Type.(type) {
			case *ast.StructType:
				s.fields = body.Fields.NumFields()
			case *ast.InterfaceType:
				s.methods = body.Methods.NumFields()
			}
			all[name] = s
		}
	}
}

// receiver is the name of the type that a method belongs to.
func receiver(e ast.Expr) string {
	switch x := e.(type) {
	case *ast.StarExpr:
		return receiver(x.X)
	case *ast.IndexExpr:
		return receiver(x.X)
	case *ast.IndexListExpr:
		return receiver(x.X)
	case *ast.Ident:
		return x.Name
	}
	return ""
}
