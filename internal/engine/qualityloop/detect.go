package qualityloop

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/core/project"
)

// goLint also lists the files that gofmt would write in another way; those that
// cannot be read are go vet's to tell.
const goLint = `go vet ./... || exit 1; bad=$(git ls-files -zco --exclude-standard -- '*.go' ':(exclude,glob)**/vendor/**' ':(exclude,glob)**/testdata/**' | xargs -0 gofmt -l 2>/dev/null); ` +
	`[ -z "$bad" ] || { echo "not formatted with gofmt:"; echo "$bad"; exit 1; }`

// Detect lists the gates of a project as its files tell: how it is linted, how its
// types are checked, its tests, and what looks for vulnerable dependencies where
// that is installed. One whose program is missing is listed all the same, since it
// must not pass silently.
func Detect(root string) []Gate {
	has := func(path string) ([]byte, bool) {
		full := filepath.Join(root, filepath.FromSlash(path))
		info, err := os.Stat(full)
		if err != nil {
			return nil, false
		}
		if info.IsDir() {
			return nil, true
		}
		text, err := os.ReadFile(full)
		return text, err == nil
	}
	installed := func(program string) bool {
		_, err := exec.LookPath(program)
		return err == nil
	}
	return detect(has, installed)
}

func detect(has project.Files, installed func(string) bool) (list []Gate) {
	for _, stack := range []struct {
		name  string
		gates func(project.Files, func(string) bool) []Gate
	}{{"go", golang}, {"node", node}, {"python", python}, {"rust", rust}} {
		for _, g := range stack.gates(has, installed) {
			if slices.ContainsFunc(list, func(o Gate) bool { return o.Name == g.Name }) {
				g.Name += "-" + stack.name
			}
			list = append(list, g)
		}
	}
	if found := project.Detect(has); len(found) > 0 {
		list = append(list, Gate{Name: tests, Command: found[0].Command})
	}
	place := func(g Gate) int {
		name, _, _ := strings.Cut(g.Name, "-")
		return slices.Index([]string{"lint", "type", tests, security}, name)
	}
	slices.SortStableFunc(list, func(a, b Gate) int { return place(a) - place(b) })
	return list
}

func golang(has project.Files, installed func(string) bool) (list []Gate) {
	if _, ok := has("go.mod"); !ok {
		return nil
	}
	list = []Gate{{Name: "lint", Command: goLint}, {Name: "type", Command: "go build -o /dev/null ./..."}}
	if installed("govulncheck") { // which also fails without a network
		list = append(list, Gate{Name: security, Command: "govulncheck ./...", Finds: 3})
	}
	return list
}

func node(has project.Files, _ func(string) bool) (list []Gate) {
	text, ok := has("package.json")
	var p struct {
		Scripts map[string]string `json:"scripts"`
	}
	if !ok || json.Unmarshal(text, &p) != nil {
		return nil
	}
	with := "npm"
	for _, m := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}} {
		if _, ok := has(m[0]); ok {
			with = m[1]
			break
		}
	}
	script := func(names ...string) string {
		for _, name := range names {
			if p.Scripts[name] != "" {
				return with + " run " + name
			}
		}
		return ""
	}
	if run := script("lint"); run != "" {
		list = append(list, Gate{Name: "lint", Command: run})
	}
	types := script("typecheck", "type-check", "check-types")
	_, configured := has("tsconfig.json")
	_, compiler := has("node_modules/typescript")
	if types == "" && configured && compiler {
		types = "node node_modules/typescript/bin/tsc --noEmit"
	}
	if types != "" {
		list = append(list, Gate{Name: "type", Command: types})
	}
	return list
}

func python(has project.Files, _ func(string) bool) (list []Gate) {
	toml, _ := has("pyproject.toml")
	wants := func(tool string, files ...string) bool {
		return strings.Contains(string(toml), "[tool."+tool) || slices.ContainsFunc(files, func(f string) bool { _, ok := has(f); return ok })
	}
	if wants("ruff", "ruff.toml", ".ruff.toml") {
		list = append(list, Gate{Name: "lint", Command: "ruff check ."})
	}
	if wants("mypy", "mypy.ini", ".mypy.ini") {
		list = append(list, Gate{Name: "type", Command: "mypy ."})
	}
	return list
}

func rust(has project.Files, installed func(string) bool) (list []Gate) {
	if _, ok := has("Cargo.toml"); !ok {
		return nil
	}
	if installed("cargo-clippy") {
		list = append(list, Gate{Name: "lint", Command: "cargo clippy --all-targets -- -D warnings"})
	}
	return append(list, Gate{Name: "type", Command: "cargo check --all-targets"})
}
