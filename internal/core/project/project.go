// Package project determines from the files in a project's root how to run its tests, and what else
// its code must pass. It does no I/O: the caller reads the files, and runs or confirms the
// commands.
package project

// Test is one way to run a project's tests.
type Test struct {
	Stack   string // make, go, node, python, rust, maven or gradle
	Command string // for a shell, in the project's root
	Why     string // what in the root indicates it
}

// Files returns what is at a path of the root, with slashes and without a leading one. A folder
// exists without content, and so does a pattern with a * in its last part if a file matches.
type Files func(path string) ([]byte, bool)

// Detect lists the ways to run a project's tests, the most explicit first: use the first; the
// others can be mentioned. It asks has for
//
//   - GNUmakefile, makefile, Makefile
//   - go.mod
//   - package.json, pnpm-lock.yaml, yarn.lock, bun.lock, bun.lockb
//   - pytest.ini, .pytest.ini, conftest.py, pyproject.toml, setup.cfg, tox.ini,
//     setup.py, requirements.txt, tests, test, tests/conftest.py, test_*.py,
//     tests/test_*.py, tests/__init__.py, test/test_*.py, test/__init__.py
//   - Cargo.toml
//   - pom.xml, mvnw
//   - build.gradle, build.gradle.kts, settings.gradle, settings.gradle.kts, gradlew
//
// A target of the Makefile comes first, since it is the project's own word. Importable reports
// whether Python has a module.
func Detect(has func(path string) ([]byte, bool), importable func(module string) bool) []Test {
	var tests []Test
	python := func(has Files) (Test, bool) { return byPython(has, importable) }
	for _, detect := range [...]func(Files) (Test, bool){byMake, byGo, byNode, python, byRust, byMaven, byGradle} {
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

func byGo(has Files) (Test, bool) {
	file := has.first("go.mod")
	return Test{"go", "go test ./...", "there is a " + file}, file != ""
}

func byRust(has Files) (Test, bool) {
	file := has.first("Cargo.toml")
	return Test{"rust", "cargo test", "there is a " + file}, file != ""
}

func byMaven(has Files) (Test, bool) {
	command := "mvn"
	if has.first("mvnw") != "" {
		command = "./mvnw"
	}
	file := has.first("pom.xml")
	return Test{"maven", command + " -q test", "there is a " + file}, file != ""
}

func byGradle(has Files) (Test, bool) {
	command := "gradle"
	if has.first("gradlew") != "" {
		command = "./gradlew"
	}
	file := has.first("build.gradle.kts", "build.gradle", "settings.gradle.kts", "settings.gradle")
	return Test{"gradle", command + " test", "there is a " + file}, file != ""
}
