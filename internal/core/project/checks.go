package project

import (
	"slices"
	"strings"
)

const (
	Lint     = "lint"
	Types    = "type"
	Tests    = "test"
	Security = "security"
)

// Check is a command that a project's code must pass.
type Check struct {
	Name    string // one of the names; for a second stack with a suffix: lint-node
	Command string // for a shell, in the project's root
	// Finds is the exit code that means the command found something; any other non-zero code means
	// it could not check. 0: every non-zero code means a finding.
	Finds int
}

// goLint also lists the files that gofmt would change; go vet reports unreadable ones.
const goLint = `go vet ./... || exit 1; ` +
	`bad=$(git ls-files -zco --exclude-standard -- '*.go' ':(exclude,glob)**/vendor/**' ':(exclude,glob)**/testdata/**' | xargs -0 gofmt -l 2>/dev/null); ` +
	`[ -z "$bad" ] || { echo "not formatted with gofmt:"; echo "$bad"; exit 1; }`

// Checks lists a project's checks, based on its files: lint, types, tests, and a scan for
// vulnerable dependencies if installed. It includes a check whose program is missing, which must
// not pass silently. Tests is the test command, "" if there is none.
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

// nodeChecks returns the commands for a package's scripts; without a script for types, that of its
// own compiler.
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
