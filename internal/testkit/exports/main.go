// Command exports fails on exported names that no other package uses, tests included: such
// a name promises something to a reader that it does not keep. Methods and fields are
// left out: they may be there for an interface or an encoder.
package main

import (
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// allowed are the exceptions, with their reasons.
var allowed = map[string]string{}

// systems are the ones that we build for: a name may be used on one of them only.
var systems = []string{"linux", "darwin", "windows"}

func main() {
	declared, used := map[string]string{}, map[string]bool{}
	for _, system := range systems {
		if err := readProgram(system, declared, used); err != nil {
			fmt.Fprintln(os.Stderr, "exports:", err)
			os.Exit(1)
		}
	}
	var unused []string
	for name, position := range declared {
		if !used[name] && allowed[name] == "" {
			unused = append(unused, position+": "+name)
		}
	}
	for name := range allowed {
		if declared[name] == "" || used[name] {
			unused = append(unused, "internal/testkit/exports: the exception "+name+" is not needed")
		}
	}
	slices.Sort(unused)
	if len(unused) > 0 {
		fmt.Printf("%d exported names that no other package uses (make them unexported):\n%s\n", len(unused), strings.Join(unused, "\n"))
		os.Exit(1)
	}
}

// readProgram notes what the packages declare, and what they use of each other, as built
// for one system.
func readProgram(system string, declared map[string]string, used map[string]bool) error {
	tests := system == "linux"
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo
	all, err := packages.Load(&packages.Config{Mode: mode, Tests: tests, Env: append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")}, "warp/...")
	if err != nil {
		return err
	}
	for _, p := range all {
		for _, e := range p.Errors {
			return fmt.Errorf("%s: %w", p.PkgPath, e)
		}
		if strings.HasSuffix(p.ID, ".test") {
			continue
		}
		path := strings.TrimSuffix(p.PkgPath, "_test")
		noteDeclarations(p, path, declared)
		for _, object := range p.TypesInfo.Uses {
			if object.Pkg() != nil && object.Pkg().Path() != path && isPackageLevel(object) {
				used[nameOf(object)] = true
			}
		}
	}
	return nil
}

func noteDeclarations(p *packages.Package, path string, declared map[string]string) {
	if p.ID != path || !strings.HasPrefix(path, "warp/internal/") || strings.HasPrefix(path, "warp/internal/testkit") {
		return
	}
	scope := p.Types.Scope()
	for _, name := range scope.Names() {
		if object := scope.Lookup(name); object.Exported() && !isSharedConstant(object) {
			position := p.Fset.Position(object.Pos())
			declared[nameOf(object)] = fmt.Sprintf("%s:%d", strings.TrimPrefix(position.Filename, workingFolder()), position.Line)
		}
	}
}

// isSharedConstant is true of the values of an exported type: a set of constants is
// exported whole.
func isSharedConstant(object types.Object) bool {
	c, ok := object.(*types.Const)
	if !ok {
		return false
	}
	named, ok := c.Type().(*types.Named)
	return ok && named.Obj().Pkg() == object.Pkg() && named.Obj().Exported()
}

func isPackageLevel(object types.Object) bool {
	return object.Parent() == object.Pkg().Scope()
}

func nameOf(object types.Object) string {
	return strings.TrimPrefix(object.Pkg().Path(), "warp/internal/") + "." + object.Name()
}

func workingFolder() string {
	folder, _ := os.Getwd()
	return folder + "/"
}
