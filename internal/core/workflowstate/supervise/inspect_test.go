package supervise

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// edit is a change of a file; "" is a file that is not there.
func edit(path, before, after string) Change {
	c := Change{Path: path}
	if before != "" {
		c.Before = []byte(before)
	}
	if after != "" {
		c.After = []byte(after)
	}
	return c
}

// said prints conflicts shortly.
func said(found []Conflict) string {
	var lines []string
	for _, c := range found {
		lines = append(lines, fmt.Sprintf("%s %s: %s", c.Severity, c.Type, c.Detail))
	}
	return strings.Join(lines, "\n")
}

func expect(t *testing.T, name, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got: %s\nwant: %s", name, got, want)
	}
}

func TestDependencies(t *testing.T) {
	for _, c := range []struct{ path, before, after, want string }{
		{"go.mod", "module x\nrequire a.b/c v1\n", "module x\nrequire a.b/c v2\nrequire d.e/f v1 // why\n", "high dependency: go.mod adds dependencies: d.e/f"},
		{"go.mod", "", "module x\nrequire (\n\ta.b/c v1\n\tg.h/i v1 // indirect\n)\nreplace a => b\n", "high dependency: go.mod adds dependencies: a.b/c"},
		{"web/package.json", `{"devDependencies": {"a": "1"}}`, `{"dependencies": {"a": "1"}, "devDependencies": {"b": "1"}}`,
			"high dependency: web/package.json adds dependencies: a\nlow dependency: web/package.json adds dependencies for development: b"},
		{"package.json", `{"dependencies": {"a": "1"}}`, `{"devDependencies": {"a": "2"}}`, ""},
		{"package.json", "{}", "{", ""},
		{"requirements.txt", "Flask==1\n", "flask>=2\n# no\n-r other.txt\nhttps://x/y.whl\nSQL_Alchemy[x]~=2 ; python_version>'3'\n", "high dependency: requirements.txt adds dependencies: sql-alchemy"},
		{"requirements-dev.txt", "", "pytest\n", "low dependency: requirements-dev.txt adds dependencies for development: pytest"},
		{"pyproject.toml", "[project]\ndependencies = []\n", "[project] # x\ndependencies = [\n \"a[x] >= 1\", # \"no\"\n 'b # c',\n]\n[project.optional-dependencies]\ntest = [\"c\"]\n",
			"high dependency: pyproject.toml adds dependencies: a, b\nlow dependency: pyproject.toml adds dependencies for development: c"},
		{"pyproject.toml", "", "[tool.poetry.dependencies]\npython = \"^3\"\nA_b = {version = \"1\"}\n[tool.poetry.group.dev.dependencies]\nd = \"1\"\n[tool.x]\ne = 1\n",
			"high dependency: pyproject.toml adds dependencies: a-b\nlow dependency: pyproject.toml adds dependencies for development: d"},
		{"Cargo.toml", "[dependencies]\nserde = \"1\"\n", "[package]\nname = \"x\"\n[dependencies]\nserde = { version = \"2\", features = [\"a\"] }\ntokio.workspace = true\n[dependencies.log]\nversion = \"1\"\n[dev-dependencies]\nrand = \"1\"\n[target.'cfg(unix)'.dependencies]\nlibc = \"1\"\n",
			"high dependency: Cargo.toml adds dependencies: tokio, log, libc\nlow dependency: Cargo.toml adds dependencies for development: rand"},
		{"pom.xml", "<x/>", "<dependency><groupId>g</groupId>\n<artifactId>a</artifactId></dependency><dependency><groupId>g</groupId><artifactId>t</artifactId><scope>test</scope></dependency><dependency></dependency>",
			"high dependency: pom.xml adds dependencies: g:a\nlow dependency: pom.xml adds dependencies for development: g:t"},
		{"app/build.gradle.kts", "", "plugins { id(\"x:y\") }\n implementation(\"g:a:1\")\n testImplementation 'g:t:1'\n implementation(project)\n api \"local\"\n",
			"high dependency: app/build.gradle.kts adds dependencies: g:a\nlow dependency: app/build.gradle.kts adds dependencies for development: g:t"},
		{"go.mod", "module x\nrequire a.b/c v1\n", "", ""},
		{"main.go", "", "require a.b/c v1", ""},
	} {
		expect(t, c.path, said(dependencies(Work{Changes: []Change{edit(c.path, c.before, c.after)}})), c.want)
	}
	asked := Work{Asked: "Validate input with zod.", Changes: []Change{edit("package.json", "{}", `{"dependencies": {"zod": "3", "zo": "1", "@x/input": "1"}}`)}}
	expect(t, "asked for", said(dependencies(asked)), "high dependency: package.json adds dependencies: zo")
}

func TestGoAPI(t *testing.T) {
	const lib = `package lib
type T struct { A int; b int; *base }
type I interface { M(x int) error }
type Num[K any] []K
func (t *T) Get(name string) int { return 0 }
func (n Num[K]) Len() int { return 0 }
func (u unshown) Get() {}
func F(a, b int) (string, error) { return "", nil }
func private() {}
const C, d = 1, 2
var V map[string]int
`
	for name, c := range map[string]struct {
		from, to string
		want     string
	}{
		"nothing":           {"x", "x", ""},
		"a parameter":       {"(a, b int) (string", "(first int, second int) (out string", ""},
		"a type":            {"F(a, b int)", "F(a int)", "changed: F"},
		"a result":          {"(string, error)", "error", "changed: F"},
		"removed":           {"func F(", "func f(", "removed: F"},
		"a method":          {"Get(name string)", "Fetch(name string)", "removed: T.Get"},
		"of a generic type": {"Len() int", "Len() int64", "changed: Num.Len"},
		"a field":           {"A int;", "A string; C int;", "changed: T.A"},
		"a private field":   {"b int;", "c string;", ""},
		"embedded":          {"*base", "base", "changed: T.base"},
		"of an interface":   {"M(x int) error", "M(y int) bool", "changed: I.M"},
		"another kind":      {"type T struct { A int; b int; *base }", "type T int", "removed: T.A, T.base\nchanged: T"},
		"a constant":        {"const C, d = 1, 2", "const d = 2", "removed: C"},
		"a variable's type": {"V map[string]int", "V map[string]bool", "changed: V"},
		"a broken file":     {"func F(", "func F((", ""},
	} {
		got := said(goAPI(Work{Changes: []Change{edit("pkg/lib/lib.go", lib, strings.ReplaceAll(lib, c.from, c.to))}}))
		expect(t, name, strings.ReplaceAll(got, "high api: public API of pkg/lib ", ""), c.want)
	}
	for _, path := range []string{"internal/lib.go", "a/internal/b/lib.go", "lib_test.go", "lib.txt", "_old/lib.go", ".x/lib.go", "testdata/lib.go"} {
		if found := goAPI(Work{Changes: []Change{edit(path, lib, "")}}); len(found) > 0 {
			t.Errorf("%s is nobody's API: %s", path, said(found))
		}
	}
	expect(t, "a whole package", said(goAPI(Work{Changes: []Change{edit("lib.go", lib, "")}})), "high api: public API of . removed: T, T.A, T.base, I, I.M and 6 more")
	expect(t, "a command", said(goAPI(Work{Changes: []Change{edit("main.go", strings.ReplaceAll(lib, "package lib", "package main"), "")}})), "")
	moved := Work{Changes: []Change{edit("a.go", "package p\nfunc A(){}\nfunc B(){}", "package p\nfunc B(){}"), edit("b.go", "", "package p\nfunc A(){}")}}
	expect(t, "moved within the package", said(goAPI(moved)), "")
	moved.Changes[1].Path = "q/b.go"
	expect(t, "moved out of it", said(goAPI(moved)), "high api: public API of . removed: A")
	moved.Asked = "Move `A` into package q."
	expect(t, "as asked", said(goAPI(moved)), "")
	renamed := edit("b.go", "package p\nfunc A(){}", "package p\nfunc A(){}")
	renamed.OldPath = "a.go"
	expect(t, "a renamed file", said(goAPI(Work{Changes: []Change{renamed}})), "")
	systems := Work{Changes: []Change{edit("a_linux.go", "package p\nfunc A(){}", ""), edit("a_windows.go", "package p\nfunc A(int){}", "package p\nfunc A(int){}")}}
	expect(t, "one of two systems", said(goAPI(systems)), "")
}

func TestOtherAPIs(t *testing.T) {
	for _, c := range []struct{ path, before, gone string }{
		{"a.ts", "export function f() {}\nexport async function* g() {}\nexport const h = 1\nexport default class K {}\nexport type T = 1\nexport interface I {}\nexport abstract class A {}\nfunction no() {}\n", "f, g, h, default, T and 2 more"},
		{"a.js", "export {\n  a,\n  b as c,\n} from 'x'\nexport { type D }\nexport type { E }\nexport * from 'y'\nexport * as ns from 'z'\n", "a, c, D, E, ns"},
		{"a.cjs", "exports.a = 1\nmodule.exports.b = 2\nexports.c()\n", "a, b"},
		{"a.py", "def f():\n  def inner(): pass\nasync def g(): pass\nclass K:\n  def m(self): pass\ndef _p(): pass\n", "f, g, K"},
		{"a.rs", "pub fn f() {}\npub(crate) fn no() {}\npub unsafe extern \"C\" fn g() {}\npub struct S { pub x: u8 }\npub use a::b;\nimpl S { \n    pub const fn m() {} }\n", "f, g, S, m"},
		{"test_a.py", "def f(): pass\n", ""},
		{"a.test.ts", "export const a = 1\n", ""},
		{"_private/a.py", "def f(): pass\n", ""},
		{"a.rb", "def f\n", ""},
	} {
		got := said(textAPI(Work{Changes: []Change{edit(c.path, c.before, "x\n")}}))
		if _, names, ok := strings.Cut(got, " removed: "); names != c.gone || ok != (c.gone != "") {
			t.Errorf("%s: %q, want %q", c.path, got, c.gone)
		}
		if found := textAPI(Work{Changes: []Change{edit(c.path, c.before, c.before)}}); len(found) > 0 {
			t.Errorf("%s, unchanged: %s", c.path, said(found))
		}
	}
	moved := Work{Changes: []Change{edit("a.py", "def f(): pass\n", ""), edit("b.py", "", "def f(): pass\n")}}
	expect(t, "moved", said(textAPI(moved)), "")
	expect(t, "asked for", said(textAPI(Work{Asked: "drop f", Changes: moved.Changes[:1]})), "")
}

func TestOutsideTheClaim(t *testing.T) {
	renamed := edit("src/b.go", "x", "x")
	renamed.OldPath = "lib/b.go"
	w := Work{Claimed: []string{"src/**"}, Others: []string{"lib"}, Changes: []Change{edit("src/a.go", "x", "y"), edit("README.md", "x", "y"), renamed}}
	expect(t, "outside", said(outside(w)), "high architecture: files that another task has claimed: lib/b.go\nlow architecture: files outside the task's claim: README.md")
	w.Claimed = nil
	expect(t, "no claim", said(outside(w)), "high architecture: files that another task has claimed: lib/b.go")
	w.Others = nil
	expect(t, "alone", said(outside(w)), "")
}

func TestNaming(t *testing.T) {
	snake := []string{"a/user_model.ts", "a/jwt_token.ts", "a/auth_flow.ts", "a/role_map.test.ts", "a/one_two.ts", "a/index.ts", "a/kebab-here.css", "b/kebab-here.ts"}
	for _, c := range []struct {
		path  string
		paths []string
		want  string
	}{
		{"a/refresh-token.ts", snake, "low pattern: a/refresh-token.ts is named in kebab-case; the 5 files beside it are named in snake_case"},
		{"a/refreshToken.test.ts", snake, "low pattern: a/refreshToken.test.ts is named in camelCase; the 5 files beside it are named in snake_case"},
		{"a/RefreshToken.ts", snake, "low pattern: a/RefreshToken.ts is named in PascalCase; the 5 files beside it are named in snake_case"},
		{"a/refresh_token.ts", snake, ""},
		{"a/refresh.ts", snake, ""},
		{"a/README.ts", snake, ""},
		{"a/refresh-token.css", snake, ""},
		{"b/refresh_token.ts", snake, ""},
		{"a/refresh-token.ts", snake[1:], ""},
		{"a/refresh-token.ts", append([]string{"a/x-y.ts"}, snake...), ""},
		{"g/some_thing_test.go", []string{"g/a-b.go", "g/c-d.go", "g/e-f.go", "g/g-h.go", "g/i-j_test.go"}, "low pattern: g/some_thing_test.go is named in snake_case; the 5 files beside it are named in kebab-case"},
	} {
		expect(t, c.path, said(naming(Work{Paths: c.paths, Changes: []Change{edit(c.path, "", "x")}})), c.want)
	}
	expect(t, "an old file", said(naming(Work{Paths: snake, Changes: []Change{edit("a/refresh-token.ts", "x", "y")}})), "")
}

// One diff with everything, the gravest first.
func TestInspect(t *testing.T) {
	w := Work{
		Claimed: []string{"lib"}, Secrets: []Secret{{"lib/key.go", "aws key"}},
		Changes: []Change{edit("lib/package.json", "{}", `{"devDependencies": {"x": "1"}}`), edit("lib/a.go", "package lib\nfunc A(){}", "package lib"), edit("go.mod", "module x\n", "module x\nrequire a.b/c v1\n")},
	}
	expect(t, "all", said(Inspect(w)), `critical security: lib/key.go holds a secret (aws key)
high dependency: go.mod adds dependencies: a.b/c
high api: public API of lib removed: A
low dependency: lib/package.json adds dependencies for development: x
low architecture: files outside the task's claim: go.mod`)
	if r := Rule(Inspect(w)); r.Action != RePlan || r.Conflict.Type != Security {
		t.Error(r)
	}
	if found := Inspect(Work{}); len(found) > 0 {
		t.Error(found)
	}
}

// Any bytes can be handed in, and a file that did not change has no conflict.
func TestAnyBytes(t *testing.T) {
	paths := []string{"go.mod", "package.json", "requirements.txt", "pyproject.toml", "Cargo.toml", "pom.xml", "build.gradle", "a.go", "a.ts", "a.py", "a.rs"}
	text := rapid.StringMatching("((export|pub|def|class|require|dependencies|implementation|func|\\[|\\]|\\{|\\}|\\(|\"|'|=|<|>|#|,| |\n|A|b_|:){0,30}|.{0,20})")
	rapid.Check(t, func(t *rapid.T) {
		c := Change{Path: rapid.SampledFrom(paths).Draw(t, "path"), Before: []byte(text.Draw(t, "before")), After: []byte(text.Draw(t, "after"))}
		Inspect(Work{Changes: []Change{c}})
		c.After = c.Before
		if found := Inspect(Work{Changes: []Change{c}}); len(found) > 0 {
			t.Fatalf("%q: %s", c.Before, said(found))
		}
	})
}
