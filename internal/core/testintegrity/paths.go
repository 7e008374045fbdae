package testintegrity

import (
	"slices"
	"strings"

	"warp/internal/core/text"
)

// IsTest reports whether a path is a test by the usual conventions of its language. Fixtures,
// snapshots, conftest.py and third-party code are not. Rust's product files may contain tests too;
// only their content tells.
func IsTest(path string) bool {
	path = strings.ReplaceAll(path, `\`, "/")
	dirs, base := splitPath(path)
	if isScript(dirs, base) {
		return true
	}
	ext := extension(base)
	if isForeign(dirs, ext) || isConftest(base) || base == "__init__.py" {
		return false
	}
	return isNamedAsTest(dirs, base, ext) || code.Has(ext) && inTestFolder(dirs)
}

// IsCode reports whether a path is source code, by its extension.
func IsCode(path string) bool { return code.Has(extension(path)) }

// isConftest reports whether pytest reads the file for every test below it.
func isConftest(path string) bool {
	return path[strings.LastIndexByte(path, '/')+1:] == "conftest.py"
}

// isCollected reports whether the language's usual runner collects a test file; a file in a test
// folder with another name is only a helper.
func isCollected(path string) bool {
	dirs, base := splitPath(strings.ReplaceAll(path, `\`, "/"))
	return isNamedAsTest(dirs, base, extension(base))
}

// extension returns the part of a file name after its last dot.
func extension(path string) string {
	base := path[strings.LastIndexByte(path, '/')+1:]
	return base[strings.LastIndexByte(base, '.')+1:]
}

func splitPath(path string) (dirs []string, base string) {
	parts := strings.Split(path, "/")
	return parts[:len(parts)-1], parts[len(parts)-1]
}

// isScript reports whether go test runs the file with testscript.
func isScript(dirs []string, base string) bool {
	if ext := extension(base); ext != "txtar" && ext != "txt" {
		return false
	}
	for i := 1; i < len(dirs); i++ {
		if dirs[i-1] == "testdata" && (dirs[i] == "script" || dirs[i] == "scripts") {
			return true
		}
	}
	return false
}

var (
	thirdParty = text.WordSet{List: "testdata vendor node_modules third_party site-packages .venv venv .tox"}
	fixture    = text.WordSet{List: "fixture fixtures __fixtures__ __snapshots__ snapshots __mocks__ golden goldens resources"}
	testFolder = text.WordSet{List: "test tests __tests__ spec specs androidtest"}
	code       = text.WordSet{List: `go js jsx ts tsx mjs cjs mts cts py rs java kt kts rb cs php swift sh bash bats c cc cpp
 cxx m mm scala groovy clj ex exs erl hs lua pl t dart fs vb r jl zig nim ml elm vue svelte feature robot sql`}
)

// isForeign reports whether a file is where its runner never looks. The go command ignores folders
// that start with a dot or an underscore.
func isForeign(dirs []string, ext string) bool {
	for _, d := range dirs {
		if thirdParty.Has(d) || ext == "go" && d != "." && d != ".." && (strings.HasPrefix(d, ".") || strings.HasPrefix(d, "_")) {
			return true
		}
	}
	return false
}

// inTestFolder reports whether the file is in a folder of tests, with no folder of fixtures below
// it.
func inTestFolder(dirs []string) bool {
	in := false
	for i, d := range dirs {
		switch low := strings.ToLower(d); {
		case fixture.Has(low):
			in = false
		case testFolder.Has(low), strings.HasSuffix(low, ".tests"), strings.HasSuffix(low, ".test"),
			i > 0 && dirs[i-1] == "src" && strings.HasSuffix(d, "Test"):
			in = true
		}
	}
	return in
}

// affix is a naming convention: a prefix or suffix of the file name without its extension.
type affix struct{ exts, prefix, suffix string }

var affixes = [...]affix{
	{"go", "", "_test"},
	{"py", "test_", ""}, {"py", "", "_test"},
	{"rs", "", "_test"}, {"rs", "", "_tests"},
	{"java kt kts groovy scala", "", "Test"}, {"java kt kts groovy scala", "", "Tests"},
	{"java kt kts groovy scala", "", "TestCase"}, {"java kt kts groovy scala", "", "IT"},
	{"java kt kts groovy scala", "Test", ""}, {"kt groovy scala", "", "Spec"},
	{"rb ex exs lua cr", "", "_spec"}, {"rb ex exs lua dart php c cc cpp cxx", "", "_test"}, {"rb", "test_", ""},
	{"cs fs vb", "", "Tests"}, {"cs fs vb", "", "Test"},
	{"php", "", "Test"}, {"swift m mm", "", "Tests"}, {"swift", "", "Test"}, {"c cc cpp cxx", "test_", ""},
	{"bats robot feature", "", ""},
	{scripts, "", ".test"}, {scripts, "", ".spec"}, {scripts, "", "_test"}, {scripts, "", ".cy"},
}

const scripts = "js jsx ts tsx mjs cjs mts cts vue svelte"

// isNamedAsTest reports whether the name of a file alone makes it a test.
func isNamedAsTest(dirs []string, base, ext string) bool {
	stem := strings.TrimSuffix(base, "."+ext)
	if strings.HasPrefix(base, "_") && ext == "go" || strings.HasPrefix(base, ".") || stem == base {
		return false
	}
	for _, a := range affixes {
		if slices.Contains(strings.Fields(a.exts), ext) && strings.HasPrefix(stem, a.prefix) && strings.HasSuffix(stem, a.suffix) {
			return true
		}
	}
	switch {
	case ext == "py":
		return stem == "tests" || stem == "test"
	case ext == "rs":
		return stem == "tests" || stem == "test" || len(dirs) > 0 && dirs[len(dirs)-1] == "tests"
	case slices.Contains(strings.Fields(scripts), ext):
		return slices.Contains(dirs, "__tests__")
	}
	return false
}

var (
	// testData are folders whose files tests read, anywhere.
	testData  = text.WordSet{List: "testdata fixtures __fixtures__ __snapshots__ __mocks__ golden goldens"}
	installed = text.WordSet{List: "vendor node_modules third_party site-packages .venv venv .tox .git"}
	prose     = text.WordSet{List: "md rst adoc"}
	recorded  = text.WordSet{List: "snap golden approved received ambr"}
)

// IsTestData reports whether tests read a path that is not a test: files in test folders, fixtures,
// recorded and expected outputs. Third-party code and prose next to tests do not count.
func IsTestData(path string) bool {
	dirs, base := splitPath(strings.ReplaceAll(path, `\`, "/"))
	data, tests := false, false
	for i, d := range dirs {
		low := strings.ToLower(d)
		if installed.Has(low) {
			return false
		}
		data = data || testData.Has(low)
		tests = tests || inTestFolder(dirs[:i+1])
	}
	ext := extension(base)
	return base != "" && (data || recorded.Has(ext) || tests && !prose.Has(ext) || isConftest(base))
}

// gateOf returns what keeps the tests of a file from running at all: a build constraint in its
// header or name, or a name that no runner collects.
func gateOf(f *file) string {
	var gates []string
	if f.lang.tests != "" && !f.lang.inline && !isCollected(f.path) {
		gates = append(gates, "a file name that the test runner does not collect")
	}
	if f.lang.family != "Go" {
		return strings.Join(gates, ", ")
	}
	for line := range strings.Lines(f.src) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "package ") {
			break
		}
		if strings.HasPrefix(line, "//go:build ") || strings.HasPrefix(line, "// +build ") {
			gates = append(gates, line)
		}
	}
	stem := strings.TrimSuffix(f.path, "_test.go")
	if system := stem[strings.LastIndexByte(stem, '_')+1:]; system != stem && platform.Has(system) {
		gates = append(gates, "a file name for "+system+" alone")
	}
	return strings.Join(gates, ", ")
}

var platform = text.WordSet{List: `aix android darwin dragonfly freebsd illumos ios js linux netbsd openbsd plan9 solaris
 wasip1 windows 386 amd64 arm arm64 loong64 mips mips64 mips64le mipsle ppc64 ppc64le riscv64 s390x wasm`}
