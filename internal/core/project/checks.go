package project

import (
	"slices"
	"strings"
)

// The names of checks.
const (
	Lint     = "lint"
	Types    = "type"
	Tests    = "test"
	Security = "security"
)

// Check is a command that a project's code must pass.
type Check struct {
	Name    string // one of the names, of a second stack with its name behind it: lint-node
	Command string // for a shell, in the project's root
	// Finds is the exit code by which the command says that it found
	// something; with any other but 0 it could not look. 0: all mean that.
	Finds int
}

// goLint also lists the files that gofmt would write in another way; those that
// cannot be read are go vet's to tell.
const goLint = `go vet ./... || exit 1; ` +
	`bad=$(git ls-files -zco --exclude-standard -- '*.go' ':(exclude,glob)**/vendor/**' ':(exclude,glob)**/testdata/**' | xargs -0 gofmt -l 2>/dev/null); ` +
	`[ -z "$bad" ] || { echo "not formatted with gofmt:"; echo "$bad"; exit 1; }`

// Checks lists the checks of a project as its files tell: how it is linted, how its
// types are checked, its tests, and what looks for vulnerable dependencies where
// that is installed. One whose program is missing is listed all the same, since it
// must not pass silently. tests is the command of the tests, "": there is none.
func Checks(has Files, tests string, installed func(program string) bool) (list []Check) {
	toml, _ := has("pyproject.toml")
	python := func(tool string, files ...string) bool {
		return strings.Contains(string(toml), "[tool."+tool) || has.first(files...) != ""
	}
	golang, rust := has.first("go.mod") != "", has.first("Cargo.toml") != ""
	lint, types := nodeChecks(has)
	for _, c := range []struct {
		Check
		stack string
		there bool
	}{
		{Check{Name: Lint, Command: goLint}, "go", golang},
		{Check{Name: Types, Command: "go build -o /dev/null ./..."}, "go", golang},
		{Check{Name: Security, Command: "govulncheck ./...", Finds: 3}, "go", golang && installed("govulncheck")}, // it also fails without a network
		{Check{Name: Lint, Command: lint}, "node", lint != ""},
		{Check{Name: Types, Command: types}, "node", types != ""},
		{Check{Name: Lint, Command: "ruff check ."}, "python", python("ruff", "ruff.toml", ".ruff.toml")},
		{Check{Name: Types, Command: "mypy ."}, "python", python("mypy", "mypy.ini", ".mypy.ini")},
		{Check{Name: Lint, Command: "cargo clippy --all-targets -- -D warnings"}, "rust", rust && installed("cargo-clippy")},
		{Check{Name: Types, Command: "cargo check --all-targets"}, "rust", rust},
	} {
		if slices.ContainsFunc(list, func(o Check) bool { return o.Name == c.Name }) {
			c.Name += "-" + c.stack
		}
		if c.there {
			list = append(list, c.Check)
		}
	}
	if tests != "" {
		list = append(list, Check{Name: Tests, Command: tests})
	}
	place := func(c Check) int {
		name, _, _ := strings.Cut(c.Name, "-")
		return slices.Index([]string{Lint, Types, Tests, Security}, name)
	}
	slices.SortStableFunc(list, func(a, b Check) int { return place(a) - place(b) })
	return list
}

// nodeChecks are the commands of a package's scripts; without one for its types,
// that of its own compiler.
func nodeChecks(has Files) (lint, types string) {
	p, ok := readNode(has)
	if !ok {
		return "", ""
	}
	if name := p.script("lint"); name != "" {
		lint = p.manager + " run " + name
	}
	if name := p.script("typecheck", "type-check", "check-types"); name != "" {
		return lint, p.manager + " run " + name
	}
	if has.first("tsconfig.json") != "" && has.first("node_modules/typescript") != "" {
		types = "node node_modules/typescript/bin/tsc --noEmit"
	}
	return lint, types
}
