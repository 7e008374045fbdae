package suite

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/criteria"
)

func TestRunnerFiles(t *testing.T) {
	shop := map[string]string{
		"Makefile":          "include mk/test.mk\nSHELL := /bin/sh\nrun:\n\tnode src/server.js\n",
		"mk/test.mk":        "test: unit\n\t@./scripts/test.sh --all\nunit:\n\tgo test ./...\n",
		"scripts/test.sh":   "#!/bin/sh\ncd web && npm run ci\n",
		"web/package.json":  `{"scripts":{"ci":"npm run unit","unit":"node run-tests.js --config=my.conf.js","start":"node src/server.js"}}`,
		"web/run-tests.js":  "require('./src/server.js')",
		"web/my.conf.js":    "",
		"web/src/server.js": "",
		"src/server.js":     "",
		"tools/check.py":    "import app",
		"app.py":            "",
		"go.mod":            "module shop",
		"ci":                "#!/usr/bin/env bash\nexec make test\n",
		"huge.sh":           strings.Repeat("#", maxScript+1),
		"package.json":      `{`,
		"build.gradle":      "",
		"my tests/t.sh":     "",
		"justfile":          "test:\n  pytest\n",
	}
	for name, c := range map[string]struct {
		command   string
		files     map[string]string
		protected []string
		yes, no   string
	}{
		"make, scripts, a folder, npm": {"make test", shop, nil,
			"test Makefile GNUmakefile mk/test.mk mk/other.mk scripts/test.sh web/package.json web/run-tests.js web/my.conf.js web/.npmrc .npmrc go.mod nested/go.mod jest.config.js .husky/pre-commit .husky/_/husky.sh .pre-commit-config.yaml lefthook.yml tsconfig.json",
			"src/server.js web/src/server.js app.py pytest.ini Cargo.toml a.go README.md tools/check.py"},
		"go":                          {"go test ./...", shop, nil, "go.mod go.work x/go.mod go.env", "Makefile package.json web/package.json scripts/test.sh pytest.ini"},
		"python":                      {"python3.12 -m pytest -q", shop, nil, "pytest.ini tox.ini setup.cfg pyproject.toml conftest.py a/b/conftest.py sitecustomize.py usercustomize.py x.pth noxfile.py .coveragerc", "app.py go.mod Makefile"},
		"a script in python":          {"python3 tools/check.py", shop, nil, "tools/check.py conftest.py", "app.py"},
		"node":                        {"npx jest", shop, nil, "package.json a/package.json .npmrc jest.config.ts vitest.config.mts .mocharc.yml ava.config.js karma.conf.js playwright.config.ts .babelrc tsconfig.test.json", "go.mod src/server.js"},
		"rust":                        {"cargo test", nil, nil, "Cargo.toml crates/a/Cargo.toml .cargo/config.toml build.rs rust-toolchain.toml", "src/lib.rs package.json"},
		"gradle":                      {"./gradlew test", shop, nil, "build.gradle app/build.gradle.kts gradlew gradle/wrapper/gradle-wrapper.properties settings.gradle", "src/A.java"},
		"maven":                       {"mvn -q test", nil, nil, "pom.xml a/pom.xml .mvn/jvm.config", "src/A.java"},
		"php":                         {"vendor/bin/phpunit", nil, nil, "phpunit.xml phpunit.xml.dist composer.json", "src/a.php"},
		"ruby":                        {"bundle exec rake test", nil, nil, "Rakefile .rspec lib/tasks/x.rake Gemfile", "lib/a.rb"},
		"an unknown program":          {"frobnicate --all", nil, nil, "Makefile package.json pytest.ini go.mod Cargo.toml pom.xml", "src/a.go"},
		"make without its file":       {"make test", nil, nil, "Makefile GNUmakefile package.json", "src/a.go"},
		"a shell script by itself":    {"sh huge.sh", shop, nil, "huge.sh", "package.json go.mod src/server.js"},
		"a script without extension":  {"./ci", shop, nil, "ci Makefile mk/test.mk", "src/server.js"},
		"just":                        {"just test", shop, nil, "justfile conftest.py", "src/server.js"},
		"a package.json that is none": {"npm test", shop, nil, "package.json", "src/server.js"},
		"protected":                   {"go test ./...", nil, []string{"ci/", "*.lock", "config/app.yml", " "}, "ci/a/b a.lock x/a.lock config/app.yml config/app.yml/x", "src/a.go"},
		"out of the tree":             {"cd .. && sh ../x.sh; make -C /etc", map[string]string{"../x.sh": "", "/etc/Makefile": ""}, nil, "Makefile", "../x.sh"},
	} {
		t.Run(name, func(t *testing.T) {
			list := RunnerFiles(c.command, tree(c.files), c.protected)
			for p := range strings.FieldsSeq(c.yes) {
				if !criteria.MatchesAny(list, p) {
					t.Errorf("%s is not among %q", p, list)
				}
			}
			for p := range strings.FieldsSeq(c.no) {
				if criteria.MatchesAny(list, p) {
					t.Errorf("%s is", p)
				}
			}
			if !slices.IsSorted(list) {
				t.Error("not sorted")
			}
		})
	}
}

// Scripts that call each other, and very many of them, come to an end.
func TestRunnerFilesIsBounded(t *testing.T) {
	RunnerFiles("sh a.sh", tree(map[string]string{"a.sh": "sh b.sh", "b.sh": "sh a.sh; sh b.sh"}), nil)
	calls := 0
	RunnerFiles("sh 0.sh", func(name string) ([]byte, bool) {
		calls++
		var n int
		if _, err := fmt.Sscanf(name, "%d.sh", &n); err != nil {
			return nil, false
		}
		return fmt.Appendf(nil, "cd d%d\nsh %d.sh\nsh %d.sh", n, n+1, n+2), true
	}, nil)
	if calls > 1_000_000 {
		t.Errorf("%d files asked for", calls)
	}
}

func TestRunnerChanged(t *testing.T) {
	const pkg = `{"name":"shop","version":"1.0.0","type":"module","scripts":{"test":"jest"},"jest":{"verbose":true},"dependencies":{"left":"^1"},"devDependencies":{"jest":"^29"}}`
	const pyproject = "[project]\nname = 'shop'\ndependencies = ['flask']\n[tool.pytest.ini_options]\naddopts = '-q'\n[tool.black]\nline-length = 88\n[build-system]\nrequires = ['hatchling']\n"
	const cargo = "[package]\nname = 'shop'\nversion = '0.1.0'\n[dependencies]\nserde = '1'\n[[test]]\nname = 'it'\n[[bin]]\nname = 'shop'\n"
	const mod = "module shop // the shop\n\ngo 1.26.0\n\nrequire (\n\tx.org/a v1.0.0\n)\n\nreplace x.org/b => ./b\n"
	const setup = "[metadata]\nname = shop\n[tool:pytest]\n# quiet\naddopts = -q\n  --strict\n\n[flake8]\nx = 1\n"
	change := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not in %q", old, text)
		}
		return strings.Replace(text, old, new, 1)
	}
	for _, c := range []struct {
		name, path, before, after string
		want                      bool
	}{
		{"a version and a dependency", "package.json", pkg, change(change(pkg, "1.0.0", "1.1.0"), `"left":"^1"`, `"left":"^2","right":"^3"`), false},
		{"order, layout, a byte order mark", "web/package.json", `{"type":"module","scripts":{"a":"b"}}`, "\ufeff{\n \"scripts\": {\"a\": \"b\"},\n \"type\": \"module\"}", false},
		{"a newer runner", "package.json", pkg, change(pkg, "^29", "^30"), false},
		{"a runner from a folder", "package.json", pkg, change(pkg, `"^29"`, `"file:./fake"`), true},
		{"a runner from a repository", "package.json", pkg, change(pkg, `"^29"`, `"me/fake"`), true},
		{"a runner by another name", "package.json", pkg, change(pkg, `"^29"`, `"npm:fake@1"`), true},
		{"a dependency from a folder", "package.json", pkg, change(pkg, `"^1"`, `"file:./left"`), false},
		{"a part of a runner", "package.json", pkg, change(pkg, `"left":"^1"`, `"@jest/core":"link:x"`), true},
		{"a script", "package.json", pkg, change(pkg, `"test":"jest"`, `"test":"true"`), true},
		{"configuration", "package.json", pkg, change(pkg, "true", "false"), true},
		{"the type", "package.json", pkg, change(pkg, "module", "commonjs"), true},
		{"overrides", "package.json", pkg, change(pkg, `"type"`, `"overrides":{"assert":"file:x"},"type"`), true},
		{"dependencies that are none", "package.json", pkg, change(pkg, `{"left":"^1"}`, `[]`), true},
		{"no JSON any more", "package.json", pkg, pkg[1:], true},
		{"null", "package.json", pkg, "null", true},
		{"composer: a dependency", "composer.json", `{"require":{"a/b":"1"},"scripts":{"test":"phpunit"}}`, `{"require":{"a/b":"2"},"scripts":{"test":"phpunit"}}`, false},
		{"composer: a script", "composer.json", `{"scripts":{"test":"phpunit"}}`, `{"scripts":{"test":"true"}}`, true},
		{"composer: broken", "composer.json", `{}`, `[]`, true},
		{"pyproject: a dependency and another tool", "pyproject.toml", pyproject, change(change(pyproject, "'flask'", "'flask', 'jinja2'"), "88", "100"), false},
		{"pyproject: pytest", "pyproject.toml", pyproject, change(pyproject, "'-q'", "'-q -k not_this'"), true},
		{"pyproject: as a dotted key", "pyproject.toml", pyproject, change(pyproject, "[tool.black]", "[tool]\ncoverage.run.omit = ['*']\n[tool.black]"), true},
		{"pyproject: the build", "pyproject.toml", pyproject, change(pyproject, "hatchling", "mine"), true},
		{"pyproject: a plugin", "pyproject.toml", pyproject, pyproject + "[project.entry-points.pytest11]\nmine = 'mine'\n", true},
		{"pyproject: broken", "pyproject.toml", pyproject, pyproject + "[", true},
		{"pyproject: what JSON cannot hold", "pyproject.toml", "[tool.pytest]\nx = nan\n", "[tool.pytest]\nx = nan\n# more\n", true},
		{"cargo: a dependency", "Cargo.toml", cargo, change(cargo, "serde = '1'", "serde = '1.2'\nrand = '0.8'"), false},
		{"cargo: a test without harness", "Cargo.toml", cargo, change(cargo, "name = 'it'", "name = 'it'\nharness = false"), true},
		{"cargo: a library that is not tested", "Cargo.toml", cargo, cargo + "[lib]\ntest = false\n", true},
		{"cargo: a program that is not tested", "Cargo.toml", cargo, cargo + "test = false\n", true},
		{"cargo: another source", "Cargo.toml", cargo, cargo + "[patch.crates-io]\nserde = { path = 'fake' }\n", true},
		{"cargo: the profile", "Cargo.toml", cargo, cargo + "[profile.test]\ndebug-assertions = false\n", true},
		{"go.mod: a dependency", "go.mod", mod, change(mod, "v1.0.0", "v1.2.0\n\tx.org/c v0.1.0 // indirect"), false},
		{"go.mod: a newer language", "go.mod", mod, change(mod, "1.26.0", "1.27"), false},
		{"go.mod: an older language", "go.mod", mod, change(mod, "1.26.0", "1.20"), true},
		{"go.mod: an older release", "go.mod", change(mod, "1.26.0", "1.26.2"), change(mod, "1.26.0", "1.26rc1"), true},
		{"go.mod: no language", "x/go.mod", mod, change(mod, "go 1.26.0\n", ""), true},
		{"go.mod: replace", "go.mod", mod, change(mod, "./b", "./c"), true},
		{"go.mod: ignore", "go.mod", mod, mod + "ignore ./a\n", true},
		{"go.mod: exclude, in a block", "go.mod", mod, mod + "exclude (\n\tx.org/a v1.0.0\n)\n", true},
		{"go.mod: toolchain", "go.mod", mod, mod + "toolchain go1.20\n", true},
		{"go.mod: a word that is not known", "go.mod", mod, mod + "frobnicate x\n", true},
		{"go.mod: not known, in a block", "go.mod", mod, mod + "frobnicate (\n\tx\n)\n", true},
		{"go.mod: not closed", "go.mod", mod, mod + "require (\n", true},
		{"setup.cfg: the version and a linter", "setup.cfg", setup, change(change(setup, "shop", "shop\nversion = 2"), "x = 1", "x = 2"), false},
		{"setup.cfg: a comment", "setup.cfg", setup, change(setup, "# quiet", "; loud"), false},
		{"setup.cfg: pytest", "setup.cfg", setup, change(setup, "--strict", "--ignore=tests"), true},
		{"setup.cfg: an empty section", "setup.cfg", setup, setup + "[coverage:run] ; x\n", true},
		{"setup.cfg: a broken section", "setup.cfg", setup, setup + "[x\n", true},
		{"setup.cfg: behind a section", "setup.cfg", setup, setup + "[x] y\n", true},
		{"setup.cfg: before a section", "setup.cfg", setup, "x = 1\n" + setup, true},
		{"tox.ini", "tox.ini", "[testenv:py]\ncommands = pytest\n", "[testenv:py]\ncommands = true\n", true},
		{"tox.ini: a linter", "tox.ini", "[testenv]\ncommands = pytest\n[flake8]\na=1\n", "[testenv]\ncommands = pytest\n[flake8]\na=2\n", false},
		{"a Makefile", "Makefile", "all:\n", "all:\n\n", true},
		{"the same", "Makefile", "all:\n", "all:\n", false},
	} {
		if got := RunnerChanged(c.path, []byte(c.before), []byte(c.after)); got != c.want {
			t.Errorf("%s: %v\n%s\n---\n%s", c.name, got, runnerPart(c.path, []byte(c.before)), runnerPart(c.path, []byte(c.after)))
		}
	}
	if !RunnerChanged("x/go.mod", nil, []byte("")) || !RunnerChanged("package.json", []byte("{}"), nil) || RunnerChanged("package.json", nil, nil) {
		t.Error("a file that comes or goes is a change")
	}
}

// What a script runs to check it is the product, not how it is checked.
func TestAProductIsNoRunner(t *testing.T) {
	files := func(name string) ([]byte, bool) {
		text, ok := map[string]string{
			"test.sh": "sh greet.sh | grep -q hello\nnode app.js > out\ncat left\n. ./lib/helpers.sh\nsh tools/count\n", "greet.sh": "echo hello", "app.js": "x", "left": "6", "lib/helpers.sh": "x", "tools/count": "x",
		}[name]
		return []byte(text), ok
	}
	list := RunnerFiles("sh test.sh", files, nil)
	for name, want := range map[string]bool{"test.sh": true, "lib/helpers.sh": true, "tools/count": true, "greet.sh": false, "app.js": false, "left": false} {
		if got := criteria.MatchesAny(list, name); got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

func TestMentionsFile(t *testing.T) {
	for _, c := range []struct {
		command, name string
		want          bool
	}{{"sh ./new.sh", "new.sh", true}, {"sh new.sh", "ew.sh", false}, {"make test", "test", false}, {"./ci && make test", "ci", true}, {"sh x && /usr/bin/make x", "x", true}} {
		if got := MentionsFile(c.command, c.name); got != c.want {
			t.Errorf("%q names %q: %v", c.command, c.name, got)
		}
	}
}
