package coverage

import (
	"slices"
	"strings"

	"warp/internal/core/lossless"
)

// ReadOutput tells the coverage that a command has printed last: the totals of go tool
// cover, Istanbul, Node's own tests and coverage.py. A number with a percent sign alone is one, too, so
// that any command can tell.
func ReadOutput(output string) (percent float64, ok bool) {
	for line := range strings.Lines(output) {
		if n, told := total(strings.TrimSpace(line)); told {
			percent, ok = n, true
		}
	}
	return percent, ok
}

// total reads a line that tells the whole project's coverage.
func total(line string) (float64, bool) {
	fields := strings.Fields(line)
	if len(fields) == 0 {
		return 0, false
	}
	last := fields[len(fields)-1]
	switch {
	case fields[0] == "total:", fields[0] == "TOTAL": // go tool cover -func; coverage report
		return ofPercent(last)
	case strings.HasPrefix(line, "All files") && strings.Contains(line, "|"): // % Stmts | % Branch | % Funcs | % Lines
		columns := strings.Split(line, "|")
		if len(columns) < 5 {
			return 0, false
		}
		return number(strings.TrimSpace(columns[4]))
	case len(fields) > 4 && fields[1] == "all" && fields[2] == "files" && fields[3] == "|": // # all files | line % | branch % | funcs %
		return number(fields[4])
	case fields[0] == "Lines" && len(fields) > 2 && fields[1] == ":": // Lines : 81.3% ( 10/12 )
		return ofPercent(fields[2])
	case len(fields) == 1:
		return ofPercent(last)
	}
	return 0, false
}

func ofPercent(word string) (float64, bool) {
	digits, is := strings.CutSuffix(word, "%")
	if !is {
		return 0, false
	}
	return number(digits)
}

func scriptsOf(packageJSON []byte) *lossless.Value {
	v, err := lossless.Parse(packageJSON)
	if err != nil {
		return nil
	}
	return v.Get("scripts")
}

// Command is what measures the coverage of a project, as its files tell; "": it cannot
// be told. The command prints the figure, and leaves nothing in the project.
func Command(has func(name string) (text []byte, ok bool)) string {
	if _, ok := has("go.mod"); ok {
		return `f=$(mktemp) && go test -coverprofile="$f" ./... && go tool cover -func="$f" | tail -n 1`
	}
	if text, ok := has("package.json"); ok {
		s, scripts := string(text), scriptsOf(text)
		test, isNode := strings.CutPrefix(scripts.Get("test").Text(), "node ")
		switch {
		case scripts.Get("coverage").Text() != "":
			return "npm run --silent coverage"
		case isNode && slices.Contains(strings.Fields(test), "--test"):
			return "node --experimental-test-coverage " + test
		case strings.Contains(s, `"vitest"`):
			return "npx vitest run --coverage --coverage.reporter=text-summary"
		case strings.Contains(s, `"jest"`):
			return "npx jest --coverage --coverageReporters=text-summary"
		}
	}
	for _, name := range []string{"pyproject.toml", "setup.py", "setup.cfg", "pytest.ini", "requirements.txt"} {
		if _, ok := has(name); ok {
			return "python3 -m coverage run -m pytest -q && python3 -m coverage report"
		}
	}
	return ""
}
