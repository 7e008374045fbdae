// Package project determines from the files in a project's root how to run its tests, and what else
// its code must pass. It does no I/O: the caller reads the files, and runs or confirms the
// commands.
package project

import (
	"encoding/json"
	"strings"
)

// Test is one way to run a project's tests.
type Test struct {
	Stack   string // make, go, node, python, rust, maven or gradle
	Command string // for a shell, in the project's root
	Why     string // what in the root indicates it
}

// Files returns what is at a path of the root, with slashes and without a leading one. A folder
// exists without content, and so does a pattern with a * in its last part if a file matches.
type Files func(path string) ([]byte, bool)

// Machine says what is there to run tests with.
type Machine struct {
	Importable func(module string) bool  // by Python
	Installed  func(program string) bool // on PATH
}

// Detect lists the ways to run a project's tests, the most explicit first: use the first; the
// others can be mentioned. It asks has for
//
//   - GNUmakefile, makefile, Makefile
//   - go.mod
//   - package.json, pnpm-lock.yaml, yarn.lock, bun.lock, bun.lockb
//   - pytest.ini, .pytest.ini, conftest.py, pyproject.toml, setup.cfg, tox.ini,
//     setup.py, requirements.txt, tests, test, tests/conftest.py, test_*.py,
//     tests/test_*.py, tests/__init__.py, test/test_*.py, test/__init__.py, uv.lock
//   - Cargo.toml
//   - pom.xml, mvnw
//   - build.gradle, build.gradle.kts, settings.gradle, settings.gradle.kts, gradlew
//
// A target of the Makefile comes first, since it is the project's own word.
func Detect(has func(path string) ([]byte, bool), m Machine) []Test {
	var tests []Test
	python := func(has Files) (Test, bool) { return byPython(has, m) }
	for _, detect := range [...]func(Files) (Test, bool){
		byMake, byFile("go", "go", "", " test ./...", "go.mod"), byNode, python, byFile("rust", "cargo", "", " test", "Cargo.toml"),
		byFile("maven", "mvn", "mvnw", " -q test", "pom.xml"),
		byFile("gradle", "gradle", "gradlew", " test", "build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle"),
	} {
		if t, ok := detect(has); ok {
			tests = append(tests, t)
		}
	}
	return tests
}

// first returns the first of some paths that exists.
func (has Files) first(paths ...string) string {
	for _, p := range paths {
		if _, ok := has(p); ok {
			return p
		}
	}
	return ""
}

// byFile runs the tests of a stack that one of some files indicates, with the project's own wrapper
// of the program if there is one.
func byFile(stack, program, wrapper, args string, files ...string) func(Files) (Test, bool) {
	return func(has Files) (Test, bool) {
		file := has.first(files...)
		if wrapper != "" && has.first(wrapper) != "" {
			return Test{stack, "./" + wrapper + args, "there is a " + file}, file != ""
		}
		return Test{stack, program + args, "there is a " + file}, file != ""
	}
}

// byMake looks for a target test, or else check, in the file that make reads.
func byMake(has Files) (Test, bool) {
	file := has.first("GNUmakefile", "makefile", "Makefile")
	if file == "" {
		return Test{}, false
	}
	content, _ := has(file)
	targets := MakeTargets(string(content))
	for _, name := range [...]string{"test", "check"} {
		if targets[name] {
			return Test{"make", "make " + name, file + " has a target " + name}, true
		}
	}
	return Test{}, false
}

// MakeTargets returns the names before the colon of a rule. It does not see names made from
// variables or in includes.
func MakeTargets(makefile string) map[string]bool {
	found := map[string]bool{}
	defining := false
	for line := range strings.Lines(strings.ReplaceAll(makefile, "\\\n", " ")) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch {
		case word == "define":
			defining = true
		case word == "endef":
			defining = false
		case !defining && !strings.HasPrefix(line, "\t"):
			for name := range strings.FieldsSeq(heads(line)) {
				found[name] = true
			}
		}
	}
	return found
}

// heads returns what precedes the colon of a rule, "" for any other line: the colon of test := x
// and test ::= x belongs to an assignment.
func heads(line string) string {
	line, _, _ = strings.Cut(line, "#")
	names, rest, ok := strings.Cut(line, ":")
	if !ok || strings.ContainsAny(names, "=$\"'(") || strings.HasPrefix(strings.TrimLeft(rest, ":"), "=") {
		return ""
	}
	if assigned, _, _ := strings.Cut(rest, ";"); strings.Contains(assigned, "=") {
		return "" // a variable for one target
	}
	return names
}

// nodeProject holds the scripts of a package.json and their package manager, which is named there
// or has its lock file next to it.
type nodeProject struct {
	scripts map[string]any
	manager string
	why     string // what identifies the manager; "" if nothing does
}

func readNode(has Files) (p nodeProject, ok bool) {
	content, ok := has("package.json")
	if !ok {
		return p, false
	}
	var manifest struct {
		Scripts        map[string]any `json:"scripts"`
		PackageManager any            `json:"packageManager"`
	}
	content = []byte(strings.TrimPrefix(string(content), "\ufeff"))
	if json.Unmarshal(content, &manifest) != nil {
		return p, false
	}
	named, _ := manifest.PackageManager.(string)
	named, _, _ = strings.Cut(named, "@")
	for _, m := range [...]struct{ name, locks string }{{"pnpm", "pnpm-lock.yaml"}, {"yarn", "yarn.lock"}, {"bun", "bun.lock bun.lockb"}} {
		if named == m.name {
			return nodeProject{manifest.Scripts, m.name, " and names " + named}, true
		}
		if lock := has.first(strings.Fields(m.locks)...); named == "" && lock != "" {
			return nodeProject{manifest.Scripts, m.name, ", and there is a " + lock}, true
		}
	}
	return nodeProject{scripts: manifest.Scripts, manager: "npm"}, true
}

// script returns the first of some scripts that exists and is not empty.
func (p nodeProject) script(names ...string) string {
	for _, name := range names {
		if text, _ := p.scripts[name].(string); strings.TrimSpace(text) != "" {
			return name
		}
	}
	return ""
}

var nodeTests = map[string]string{"npm": "npm test --silent", "pnpm": "pnpm --silent test", "yarn": "yarn test", "bun": "bun run test"}

// byNode looks for a test script other than the one that npm init writes.
func byNode(has Files) (Test, bool) {
	p, ok := readNode(has)
	if !ok || p.script("test") == "" || strings.Contains(p.scripts["test"].(string), "no test specified") {
		return Test{}, false
	}
	return Test{"node", nodeTests[p.manager], "package.json has a script test" + p.why}, true
}
