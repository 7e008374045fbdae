package suite

import (
	"slices"
	"strings"
	"testing"

	"warp/internal/core/criteria"
)

func tree(files map[string]string) Files {
	return func(name string) ([]byte, bool) {
		text, ok := files[name]
		return []byte(text), ok
	}
}

func TestNamingVariables(t *testing.T) {
	const flags, addopts = "GOFLAGS=$GOFLAGS -v", "PYTEST_ADDOPTS=$PYTEST_ADDOPTS --junitxml=$FILE"
	mod := func(more map[string]string) map[string]string {
		more["go.mod"] = "module x"
		return more
	}
	for name, c := range map[string]struct {
		command string
		files   map[string]string
		want    string
	}{
		"go":                           {"go test ./...", mod(map[string]string{}), flags},
		"no module":                    {"go test ./...", nil, ""},
		"a module in a folder":         {"cd backend && go test ./...", map[string]string{"backend/go.mod": ""}, flags},
		"it names them already":        {"go test -json ./...", mod(map[string]string{}), ""},
		"another command of go":        {"go vet ./... && go build ./...", mod(map[string]string{}), ""},
		"through make":                 {"make test", mod(map[string]string{"Makefile": "test: vet\n\t@go test -count=1 ./...\nvet:\n\tgo vet ./...\n"}), flags},
		"through a variable of make":   {"make test", mod(map[string]string{"Makefile": "GO ?= go\ntest:\n\t$(GO) test ./...\n"}), flags},
		"another goal of make":         {"make lint", mod(map[string]string{"Makefile": "test:\n\tgo test ./...\nlint:\n\tgo vet ./...\n"}), ""},
		"through a script of a script": {"./ci.sh", mod(map[string]string{"ci.sh": "#!/bin/sh\nset -e\nsh scripts/test.sh", "scripts/test.sh": "CGO_ENABLED=0 nice -n 5 go test ./...\n"}), flags},
		"through a package script":     {"npm test", mod(map[string]string{"package.json": `{"scripts":{"test":"go test ./...","n":3}}`}), flags},
		"through an include":           {"make test", mod(map[string]string{"Makefile": "include mk/test.mk\n", "mk/test.mk": "test:\n\tgo test ./...\n"}), flags},
		"a program reads the output":   {"go test ./... | tee log", mod(map[string]string{}), ""},
		"one of two is read":           {"go test ./a && go test ./b | grep ok", mod(map[string]string{}), ""},
		"the output goes to a file":    {"go test ./... > log", mod(map[string]string{}), ""},
		"a substitution":               {"echo $(go test ./...)", mod(map[string]string{}), ""},
		"backticks":                    {"echo `go test ./...`", mod(map[string]string{}), ""},
		"both outputs in one":          {"go test ./... 2>&1", mod(map[string]string{}), flags},
		"standard error to a file":     {"go test ./... 2>log", mod(map[string]string{}), flags},
		"a pipe in quotes":             {"go test -run 'A|B' ./...", mod(map[string]string{}), flags},
		"a word in quotes":             {`"go" 'test'`, mod(map[string]string{}), ""},
		"in a comment":                 {"true # go test ./...", mod(map[string]string{}), ""},
		"for another shell":            {`bash -ec "go test ./..."`, mod(map[string]string{}), flags},
		"pytest":                       {"python3 -m pytest -q", nil, addopts},
		"pytest by itself":             {"poetry run pytest tests", nil, addopts},
		"pytest, piped":                {"pytest | tail", nil, addopts},
		"pytest writes a report":       {"pytest --junitxml=x.xml", nil, ""},
		"pytest twice":                 {"pytest a && pytest b", nil, ""},
		"pytest in a loop":             {"for d in a b; do pytest $d; done", nil, ""},
		"pytest without reports":       {"pytest", map[string]string{"pytest.ini": "[pytest]\naddopts = -p no:junitxml\n"}, ""},
		"another module of python":     {"python3 -m unittest discover", nil, ""},
		"prove":                        {"prove -r t", nil, "HARNESS_VERBOSE=1"},
		"all in one":                   {"go test ./...; pytest; prove t", mod(map[string]string{}), flags + "," + addopts + ",HARNESS_VERBOSE=1"},
		"node":                         {"node --test", nil, ""},
		"nothing":                      {" ; A=1 && ", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(NamingVariables(tree(c.files), c.command), ","); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestExpandVariables(t *testing.T) {
	held := func(name string) string { return map[string]string{"GOFLAGS": "-mod=mod"}[name] }
	got := ExpandVariables([]string{"GOFLAGS=$GOFLAGS -v", "PYTEST_ADDOPTS=$PYTEST_ADDOPTS --junitxml=$FILE", "HARNESS_VERBOSE=1"}, held, "/tmp/it's/r.xml")
	if plain := ExpandVariables([]string{"A=$FILE"}, held, "/tmp/r.xml"); plain[0] != "A=/tmp/r.xml" {
		t.Error(plain)
	}
	want := []string{"GOFLAGS=-mod=mod -v", `PYTEST_ADDOPTS=--junitxml='/tmp/it'"'"'s/r.xml'`, "HARNESS_VERBOSE=1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestNamingCommand(t *testing.T) {
	for command, want := range map[string]string{
		"go test ./...":                        "go test -json ./...",
		"go test":                              "go test -json",
		"CI=1 go test -race ./... && go vet .": "CI=1 go test -json -race ./... && go vet .",
		"go vet . && go test ./a; go test ./b": "go vet . && go test -json ./a; go test -json ./b",
		"go -C sub test ./...":                 "go -C sub test -json ./...",
		`go test -run "A|B" ./... 2>&1`:        `go test -json -run "A|B" ./... 2>&1`,
		`sh -c 'go test ./...'`:                `sh -c 'go test -json ./...'`,
		"/usr/local/go/bin/go test \\\n ./...": "/usr/local/go/bin/go test -json \\\n ./...",
		"go test -json ./...":                  "go test -json ./...",
		"go test -c ./a":                       "go test -c ./a",
		"go test -count=1 -cover ./...":        "go test -json -count=1 -cover ./...",
		"go test ./... | grep ok":              "go test ./... | grep ok",
		`sh -c 'go test ./...' | grep 'x'`:     `sh -c 'go test ./...' | grep 'x'`,
		`sh -c 'go test ./...' && echo 'x'`:    `sh -c 'go test -json ./...' && echo 'x'`,
		"(cd a && go test ./...) | tee log":    "(cd a && go test ./...) | tee log",
		"for d in *; do go test $d; done >log": "for d in *; do go test $d; done >log",
		"{ go test ./...; } 2>&1 | tee log":    "{ go test ./...; } 2>&1 | tee log",
		"(go test ./...) 2>&1 | tee log":       "(go test ./...) 2>&1 | tee log",
		"if go test ./...; then echo 'ok'; fi": "if go test -json ./...; then echo 'ok'; fi",
		"go test ./... |& tee log":             "go test ./... |& tee log",
		"go test ./... || true":                "go test -json ./... || true",
		"go test ./... >log":                   "go test ./... >log",
		"x=$(go test ./...)":                   "x=$(go test ./...)",
		"(cd sub && go test ./...)":            "(cd sub && go test -json ./...)",
		"make test":                            "make test",
		"python3 -m unittest":                  "python3 -m unittest -v",
		"python3.12 -m unittest discover -s t": "python3.12 -m unittest discover -v -s t",
		"python -m unittest -q":                "python -m unittest -q",
		"python -m pytest; python -m unittest": "python -m pytest; python -m unittest -v",
		"python -m":                            "python -m",
		"go build ./... ; go":                  "go build ./... ; go",
		"echo go test":                         "echo go test",
		`go test -run 'unclosed ./...`:         `go test -run 'unclosed ./...`, // no shell reads it
		`go\ test "a\"|b"`:                     `go\ test "a\"|b"`,
		"":                                     "",
	} {
		if got := NamingCommand(command); got != want {
			t.Errorf("%q: got %q, want %q", command, got, want)
		}
	}
}

func TestReportPatterns(t *testing.T) {
	for command, path := range map[string]string{
		"./mvnw -q verify": "core/target/surefire-reports/TEST-shop.PriceTest.xml",
		"make test":        "app/build/test-results/test/TEST-shop.PriceTest.xml",
	} {
		files := tree(map[string]string{"Makefile": "test:\n\t./gradlew test\n"})
		if list := ReportPatterns(files, command); !criteria.MatchesAny(list, path) {
			t.Errorf("%s: %q", command, list)
		}
	}
	if list := ReportPatterns(tree(nil), "go test ./..."); list != nil {
		t.Error(list)
	}
}
