package project

import (
	"slices"
	"strings"
	"testing"
)

func TestChecks(t *testing.T) {
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
		"node with pnpm":            {map[string]string{"package.json": `{"scripts":{"lint":"eslint ."}}`, "pnpm-lock.yaml": ""}, nil, []string{"lint=pnpm run lint"}},
		"node with a named manager": {map[string]string{"package.json": `{"packageManager":"yarn@4","scripts":{"lint":"eslint ."}}`}, nil, []string{"lint=yarn run lint"}},
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
		tests := ""
		if found := Detect(has, Machine{without, with}); len(found) > 0 {
			tests = found[0].Command
		}
		got := Checks(has, tests, func(p string) bool { return slices.Contains(c.installed, p) })
		if !slices.EqualFunc(got, c.want, func(g Check, want string) bool { return strings.HasPrefix(g.Name+"="+g.Command, want) }) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
