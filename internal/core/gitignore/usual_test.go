package gitignore_test

import (
	"path"
	"slices"
	"strings"
	"testing"

	"warp/internal/core/gitignore"
)

func TestUsualLinesLeaveDecisions(t *testing.T) {
	has := func(names ...string) func(string) ([]byte, bool) {
		return func(asked string) ([]byte, bool) {
			return nil, slices.ContainsFunc(names, func(n string) bool { ok, _ := path.Match(asked, n); return ok })
		}
	}
	for _, c := range []struct {
		name, text    string
		files         []string
		want, without []string
	}{
		{"node", "", []string{"package.json"}, []string{"node_modules/", ".env"}, []string{"target/", ".venv/"}},
		{"python without packaging", "", []string{"app.py"}, []string{"__pycache__/", ".venv/"}, []string{"node_modules/"}},
		{"what is there stays", "/node_modules\n!.env\n", []string{"package.json"}, []string{"/node_modules", "!.env"}, []string{"node_modules/", ".env"}},
		{"nothing known", "", nil, []string{".env", "!.env.example"}, []string{"node_modules/"}},
	} {
		got := strings.Split(gitignore.AddUsual(c.text, gitignore.Usual(has(c.files...))), "\n")
		for _, line := range c.want {
			if !slices.Contains(got, line) {
				t.Errorf("%s: %q lacks %s", c.name, got, line)
			}
		}
		for _, line := range c.without {
			if slices.Contains(got, line) {
				t.Errorf("%s: %q has %s", c.name, got, line)
			}
		}
	}
	once := gitignore.AddUsual("", gitignore.Usual(has("go.mod")))
	if again := gitignore.AddUsual(once, gitignore.Usual(has("go.mod"))); again != once {
		t.Errorf("added twice: %q", again)
	}
}

func TestDependencyFolders(t *testing.T) {
	for paths, want := range map[string]string{
		"a/node_modules/x/index.js a/node_modules/y.js": "a/node_modules/",
		"envs/py/pyvenv.cfg envs/py/bin/python":         "envs/py/",
		"src/app.js node_modules.md":                    "",
		"pyvenv.cfg":                                    "",
		"vendor/github.com/x/y.go":                      "", // some commit it on purpose
		"out/CACHEDIR.TAG":                              "out/",
	} {
		if got := strings.Join(gitignore.DependencyFolders(strings.Fields(paths)), " "); got != want {
			t.Errorf("%s: %q, want %q", paths, got, want)
		}
	}
	if got := gitignore.Outline([]string{"a.go", "src/a", "src/b"}); got != "a.go, src/ (2 files)" {
		t.Error(got)
	}
}
