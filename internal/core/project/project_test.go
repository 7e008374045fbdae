package project

import (
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func in(files map[string]string) func(string) ([]byte, bool) {
	return func(asked string) ([]byte, bool) {
		content, ok := files[asked]
		for name := range files {
			matches, _ := path.Match(asked, name)
			ok = ok || matches
		}
		return []byte(content), ok
	}
}

func without(string) bool { return false }

func with(string) bool { return true }

func TestDetect(t *testing.T) {
	const script = `{"scripts": {"test": "node --test"}}`
	for _, c := range []struct {
		name  string
		files map[string]string
		want  []Test
	}{
		{"nothing", map[string]string{"README.md": "make test"}, nil},
		{"go", map[string]string{"go.mod": "module x"}, []Test{{"go", "go test ./...", "there is a go.mod"}}},
		{"rust", map[string]string{"Cargo.toml": ""}, []Test{{"rust", "cargo test", "there is a Cargo.toml"}}},
		{"maven", map[string]string{"pom.xml": ""}, []Test{{"maven", "mvn -q test", "there is a pom.xml"}}},
		{"maven's wrapper", map[string]string{"pom.xml": "", "mvnw": ""}, []Test{{"maven", "./mvnw -q test", "there is a pom.xml"}}},
		{"a wrapper alone", map[string]string{"mvnw": "", "gradlew": ""}, nil},
		{"gradle", map[string]string{"build.gradle": ""}, []Test{{"gradle", "gradle test", "there is a build.gradle"}}},
		{"gradle's wrapper", map[string]string{"settings.gradle.kts": "", "gradlew": ""}, []Test{{"gradle", "./gradlew test", "there is a settings.gradle.kts"}}},
		{"the project's own word comes first", map[string]string{"Makefile": "build:\n\tgo build\ntest: build\n\tgo test", "go.mod": "", "package.json": script},
			[]Test{{"make", "make test", "Makefile has a target test"}, {"go", "go test ./...", "there is a go.mod"}, {"node", "npm test --silent", "package.json has a script test"}}},
		{"check", map[string]string{"Makefile": "check:\n"}, []Test{{"make", "make check", "Makefile has a target check"}}},
		{"the Makefile that make reads", map[string]string{"GNUmakefile": "all:\n", "Makefile": "test:\n"}, nil},
		{"npm", map[string]string{"package.json": "\ufeff" + script, "package-lock.json": ""}, []Test{{"node", "npm test --silent", "package.json has a script test"}}},
		{"pnpm", map[string]string{"package.json": script, "pnpm-lock.yaml": "", "yarn.lock": ""}, []Test{{"node", "pnpm --silent test", "package.json has a script test, and there is a pnpm-lock.yaml"}}},
		{"yarn", map[string]string{"package.json": script, "yarn.lock": ""}, []Test{{"node", "yarn test", "package.json has a script test, and there is a yarn.lock"}}},
		{"bun", map[string]string{"package.json": script, "bun.lockb": ""}, []Test{{"node", "bun run test", "package.json has a script test, and there is a bun.lockb"}}},
		{"a named manager", map[string]string{"package.json": `{"packageManager": "pnpm@9.1.0", "scripts": {"test": "x"}}`, "yarn.lock": ""},
			[]Test{{"node", "pnpm --silent test", "package.json has a script test and names pnpm"}}},
		{"npm by name", map[string]string{"package.json": `{"packageManager": "npm@10", "scripts": {"test": "x"}}`, "yarn.lock": ""}, []Test{{"node", "npm test --silent", "package.json has a script test"}}},
		{"npm's placeholder", map[string]string{"package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, nil},
		{"no script", map[string]string{"package.json": `{"scripts": {"build": "x", "test": " "}}`}, nil},
		{"a script that is none", map[string]string{"package.json": `{"scripts": {"test": 3}}`}, nil},
		{"no JSON", map[string]string{"package.json": `{`}, nil},
		{"pytest.ini", map[string]string{"pytest.ini": ""}, []Test{{"python", "python3 -m pytest -q", "there is a pytest.ini"}}},
		{"pyproject", map[string]string{"pyproject.toml": "[project]\n[tool.pytest.ini_options]\n"}, []Test{{"python", "python3 -m pytest -q", "pyproject.toml has a section tool.pytest"}}},
		{"setup.cfg", map[string]string{"setup.cfg": "[tool:pytest]\n"}, []Test{{"python", "python3 -m pytest -q", "setup.cfg has a section tool:pytest"}}},
		{"uv", map[string]string{"pytest.ini": "", "uv.lock": ""}, []Test{{"python", ".venv/bin/python -m pytest -q", "there is a pytest.ini, and there is a uv.lock"}}},
		{"tox", map[string]string{"tox.ini": "[tox]\n"}, []Test{{"python", "python3 -m pytest -q", "there is a tox.ini"}}},
		{"tox with pytest", map[string]string{"tox.ini": "[pytest]\n"}, []Test{{"python", "python3 -m pytest -q", "tox.ini has a section pytest"}}},
		{"a dependency", map[string]string{"pyproject.toml": "dev = [\"pytest>=8\"]"}, []Test{{"python", "python3 -m pytest -q", "pyproject.toml names pytest"}}},
		{"a requirement", map[string]string{"requirements.txt": "flask\npytest==8\n"}, []Test{{"python", "python3 -m pytest -q", "requirements.txt names pytest"}}},
		{"a folder of tests", map[string]string{"setup.py": "", "tests": ""}, []Test{{"python", "python3 -m pytest -q", "there are a setup.py and a folder tests"}}},
		{"a folder of tests is no Python", map[string]string{"tests": "", "Cargo.toml": ""}, []Test{{"rust", "cargo test", "there is a Cargo.toml"}}},
		{"unittest", map[string]string{"setup.py": "", "requirements.txt": "# pytest\n"}, []Test{{"python", "python3 -m unittest discover", "there is a setup.py, and nothing of pytest"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, Detect(in(c.files), Machine{without, with})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTargetsOfAMakefile(t *testing.T) {
	for makefile, want := range map[string]bool{
		"test:":                                true,
		"test :\n":                             true,
		"build test: x":                        true,
		"test:: x":                             true,
		"test: ## run the tests = all":         true,
		"test: x ; FOO=1 go test":              true,
		"a \\\ntest: x":                        true,
		"\ttest: x":                            false,
		"# test: x":                            false,
		"test := x":                            false,
		"test ::= x":                           false,
		"test = a:b":                           false,
		"test: CFLAGS = -g":                    false,
		"tests: x\nunit-test: y\n.PHONY: test": false,
		"define help\ntest: x\nendef\n":        false,
		"$(info test: x)":                      false,
		"define a\nendef\ntest:":               true,
		"":                                     false,
	} {
		if got := MakeTargets(makefile)["test"]; got != want {
			t.Errorf("%q: %v", makefile, got)
		}
	}
}

func TestDetectBareTestsOfPython(t *testing.T) {
	const pytest, unittest = "python3 -m pytest -q", "python3 -m unittest discover"
	for _, c := range []struct {
		name          string
		files         map[string]string
		with, without string
	}{
		{"in the root", map[string]string{"prices.py": "", "test_prices.py": ""}, pytest, unittest},
		{"in a folder", map[string]string{"prices.py": "", "tests/test_prices.py": ""}, pytest, unittest + " -s tests"},
		{"in another folder", map[string]string{"test/test_prices.py": ""}, pytest, unittest + " -s test"},
		{"in a package", map[string]string{"tests/test_prices.py": "", "tests/__init__.py": ""}, pytest, unittest},
		{"in both", map[string]string{"test_a.py": "", "tests/test_b.py": ""}, pytest, unittest + " && " + unittest + " -s tests"},
		{"configuration decides, whatever is installed", map[string]string{"setup.py": "", "test_a.py": ""}, unittest, unittest},
		{"other files", map[string]string{"prices.py": "", "tests/prices.py": "", "test_notes.md": ""}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for want, importable := range map[string]func(string) bool{
				"with " + c.with: func(module string) bool { return module == "pytest" }, "without " + c.without: without,
			} {
				how, command, _ := strings.Cut(want, " ")
				have := ""
				if found := Detect(in(c.files), Machine{importable, without}); len(found) > 0 {
					have = found[0].Command
				}
				if have != command {
					t.Errorf("%s pytest: %q, want %q", how, have, command)
				}
			}
		})
	}
}

// Where uv installs what the tests need, and is not there, they cannot run.
func TestUVThatIsNotInstalled(t *testing.T) {
	if found := Detect(in(map[string]string{"pyproject.toml": "pytest", "uv.lock": ""}), Machine{with, without}); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

// A caller that knows the asked paths alone finds everything.
func TestDetectAsksWhatItSays(t *testing.T) {
	said := map[string]bool{}
	for _, p := range []string{"GNUmakefile", "makefile", "Makefile", "go.mod", "package.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb",
		"pytest.ini", ".pytest.ini", "conftest.py", "pyproject.toml", "setup.cfg", "tox.ini", "setup.py", "requirements.txt", "tests", "test", "tests/conftest.py",
		"test_*.py", "tests/test_*.py", "tests/__init__.py", "test/test_*.py", "test/__init__.py",
		"uv.lock", "Cargo.toml", "pom.xml", "mvnw", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "gradlew"} {
		said[p] = true
	}
	Detect(func(path string) ([]byte, bool) {
		if !said[path] {
			t.Errorf("asks for %s", path)
		}
		return []byte(`{"scripts": {"test": "x"}}`), path == "package.json" || path == "setup.py"
	}, Machine{without, with})
}
