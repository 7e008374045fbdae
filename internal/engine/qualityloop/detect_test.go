package qualityloop

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestDetect(t *testing.T) {
	for name, c := range map[string]struct {
		files     map[string]string
		installed []string
		want      []string
	}{
		"nothing": {},
		"go":      {map[string]string{"go.mod": "module x"}, nil, []string{"lint=go vet ./...", "type=go build", "test=go test ./..."}},
		"go, with govulncheck": {map[string]string{"go.mod": "module x"}, []string{"govulncheck"},
			[]string{"lint=go vet", "type=go build", "test=go test", "security=govulncheck ./..."}},
		"make knows better": {map[string]string{"go.mod": "module x", "Makefile": "test:\n\tgo test\n"}, nil, []string{"lint=go", "type=go", "test=make test"}},
		"node": {map[string]string{"package.json": `{"scripts":{"lint":"eslint .","typecheck":"tsc","test":"node --test"}}`}, nil,
			[]string{"lint=npm run lint", "type=npm run typecheck", "test=npm test"}},
		"node with pnpm": {map[string]string{"package.json": `{"scripts":{"lint":"eslint ."}}`, "pnpm-lock.yaml": ""}, nil, []string{"lint=pnpm run lint"}},
		"typescript": {map[string]string{"package.json": `{}`, "tsconfig.json": "{}", "node_modules/typescript": ""}, nil,
			[]string{"type=node node_modules/typescript/bin/tsc --noEmit"}},
		"typescript that is not installed": {map[string]string{"package.json": `{}`, "tsconfig.json": "{}"}, nil, nil},
		"a broken package.json":            {map[string]string{"package.json": `{`}, nil, nil},
		"python":                           {map[string]string{"pyproject.toml": "[tool.ruff]\n[tool.mypy]\n"}, nil, []string{"lint=ruff check .", "type=mypy .", "test=python3"}},
		"rust":                             {map[string]string{"Cargo.toml": "[package]"}, []string{"cargo-clippy"}, []string{"lint=cargo clippy", "type=cargo check", "test=cargo test"}},
		"rust without clippy":              {map[string]string{"Cargo.toml": "[package]"}, nil, []string{"type=cargo check", "test=cargo test"}},
		"go and node": {map[string]string{"go.mod": "module x", "package.json": `{"scripts":{"lint":"eslint ."}}`}, nil,
			[]string{"lint=go vet", "lint-node=npm run lint", "type=go build", "test=go test"}},
	} {
		has := func(path string) ([]byte, bool) { text, ok := c.files[path]; return []byte(text), ok }
		got := detect(has, func(p string) bool { return slices.Contains(c.installed, p) })
		if !slices.EqualFunc(got, c.want, func(g Gate, want string) bool { return strings.HasPrefix(g.Name+"="+g.Command, want) }) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The lines that are made up here are tried on the real programs.
func TestTheGatesOfAGoProject(t *testing.T) {
	p := newPlace(t)
	p.write("go.mod", "module shop\n\ngo 1.21\n")
	p.write("shop.go", "package main\n\nfunc main() {}\n")
	if err := os.MkdirAll(filepath.Join(p.root, "testdata"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.write("testdata/bad.go", "package   bad\n")
	run := func(name string) (string, bool) {
		for _, g := range Detect(p.root) {
			if g.Name == name {
				c := exec.Command("sh", "-c", g.Command)
				c.Dir = p.root
				out, err := c.CombinedOutput()
				return string(out), err == nil
			}
		}
		t.Fatalf("there is no gate %s", name)
		return "", false
	}
	if out, ok := run("lint"); !ok {
		t.Errorf("lint: %s", out)
	}
	if out, ok := run("type"); !ok {
		t.Errorf("type: %s", out)
	}
	if _, err := os.Stat(filepath.Join(p.root, "shop")); err == nil {
		t.Error("a program was left in the work tree")
	}
	p.write("shop.go", "package main\nfunc main()   {}\n")
	if out, ok := run("lint"); ok || !strings.Contains(out, "shop.go") {
		t.Errorf("lint: %v %s", ok, out)
	}
	p.write("shop.go", "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Printf(\"%d\", \"x\") }\n")
	if out, ok := run("lint"); ok || !strings.Contains(out, "Printf") {
		t.Errorf("vet: %v %s", ok, out)
	}
	p.write("shop.go", "package main\n\nfunc main() { nothing() }\n")
	if out, ok := run("type"); ok || !strings.Contains(out, "nothing") {
		t.Errorf("type: %v %s", ok, out)
	}
}
