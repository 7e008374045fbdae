package project

import (
	"slices"
	"testing"
)

func files(m map[string]string) Files {
	return func(path string) ([]byte, bool) {
		text, ok := m[path]
		return []byte(text), ok
	}
}

func TestChangedRunners(t *testing.T) {
	const make1 = "all: build\n\ntest: unit lint\n\tgo test ./...\n\nunit:\n\t./unit.sh\n\nbuild:\n\tgo build\n"
	for name, c := range map[string]struct {
		command       string
		before, after map[string]string
		want          []string
	}{
		"nothing":                  {"make test", map[string]string{"Makefile": make1}, map[string]string{"Makefile": make1}, nil},
		"another target":           {"make test", map[string]string{"Makefile": make1}, map[string]string{"Makefile": make1 + "\nclean:\n\trm -f x\n"}, nil},
		"the recipe":               {"make test", map[string]string{"Makefile": make1}, map[string]string{"Makefile": "test: unit lint\n\ttrue\n\nunit:\n\t./unit.sh\n"}, []string{"Makefile"}},
		"a recipe it asks for":     {"make -s test", map[string]string{"Makefile": make1}, map[string]string{"Makefile": "test: unit lint\n\tgo test ./...\n\nunit:\n\ttrue\n"}, []string{"Makefile"}},
		"what it asks for":         {"make test", map[string]string{"Makefile": make1}, map[string]string{"Makefile": "test: lint\n\tgo test ./...\n"}, []string{"Makefile"}},
		"the file is gone":         {"make test", map[string]string{"Makefile": make1}, nil, []string{"Makefile"}},
		"on one line":              {"make test", map[string]string{"Makefile": "test: ; go test\n"}, map[string]string{"Makefile": "test: ; true\n"}, []string{"Makefile"}},
		"a file that make prefers": {"make test", map[string]string{"Makefile": make1}, map[string]string{"Makefile": make1, "GNUmakefile": "test:\n\ttrue\n"}, []string{"GNUmakefile"}},
		"a script":                 {"sh ./test.sh --all", map[string]string{"test.sh": "go test"}, map[string]string{"test.sh": "true"}, []string{"test.sh"}},
		"a script that is gone":    {"sh test.sh", map[string]string{"test.sh": "go test"}, nil, []string{"test.sh"}},
		"a script that came":       {"sh test.sh", nil, map[string]string{"test.sh": "true"}, nil},
		"quoted, behind another":   {`CI=1 && bash "scripts/t.sh"`, map[string]string{"scripts/t.sh": "x"}, map[string]string{"scripts/t.sh": "y"}, []string{"scripts/t.sh"}},
		"a word that is no file":   {"go test ./...", map[string]string{"go.mod": "x"}, map[string]string{"go.mod": "y"}, nil},
		"npm":                      {"npm test --silent", map[string]string{"package.json": `{"scripts":{"test":"jest"}}`}, map[string]string{"package.json": `{"scripts":{"test":"true"}}`}, []string{"package.json"}},
		"npm, another member":      {"npm test", map[string]string{"package.json": `{"scripts":{"test":"jest"}}`}, map[string]string{"package.json": `{"scripts":{"test":"jest","x":"y"},"dependencies":{}}`}, nil},
		"npm, what comes before":   {"npm test", map[string]string{"package.json": `{"scripts":{"test":"jest"}}`}, map[string]string{"package.json": `{"scripts":{"test":"jest","pretest":"exit 0"}}`}, []string{"package.json"}},
		"npm, no JSON any more":    {"npm test", map[string]string{"package.json": `{"scripts":{"test":"jest"}}`}, map[string]string{"package.json": `{`}, []string{"package.json"}},
		"outside of the project":   {"sh ../x.sh /bin/y", map[string]string{"../x.sh": "a", "/bin/y": "b"}, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ChangedRunners(c.command, files(c.before), files(c.after)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestRecipes(t *testing.T) {
	const makefile = "SH = ./run.sh\ndefine all\n\tgo vet\nendef\ntest: unit\n\t$(SH) --all\nunit: ; go test\nrun:\n\tnode x.js\n"
	for name, c := range map[string]struct{ makefile, command, want string }{
		"a goal":                 {makefile, "make -s test", "SH = ./run.sh\n\tgo vet\ntest: unit\n\t$(SH) --all\nunit: ; go test\n"},
		"no goal":                {"a:\n\tx\n", "make", "a: \n\tx\n"},
		"a goal of another file": {"-include a.mk\nrun:\n\tx\n", "make test", "-include a.mk\n"},
	} {
		if got := Recipes(c.makefile, c.command); got != c.want {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
