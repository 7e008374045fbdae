package coverage

import (
	"regexp"
	"slices"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/lossless"
)

// totals match the lines with the whole project's coverage.
var totals = lazy.Value[[]*regexp.Regexp]{Make: func() []*regexp.Regexp {
	var list []*regexp.Regexp
	for _, pattern := range []string{
		`^(?:total:|TOTAL)\s(?:.*\s)?([\d.]+)%$`,                // go tool cover -func; coverage report
		`^All files[^|]*(?:\|[^|]*){3}\|\s*([\d.]+)\s*(?:\||$)`, // Istanbul: % Stmts | % Branch | % Funcs | % Lines
		`^\S+ all files\s*\|\s*([\d.]+)\s`,                      // node --test: # all files | line % | branch % | funcs %
		`^Lines\s*:\s*([\d.]+)%`,                                // Istanbul's summary
		`^([\d.]+)%$`,                                           // for any other command
	} {
		list = append(list, regexp.MustCompile(pattern))
	}
	return list
}}

// ReadOutput returns the coverage that a command printed last: the totals of go tool cover,
// Istanbul, Node's own tests and coverage.py, or a number with a percent sign alone.
func ReadOutput(output string) (percent float64, ok bool) {
	for line := range strings.Lines(output) {
		for _, total := range totals.Get() {
			if m := total.FindStringSubmatch(strings.TrimSpace(line)); m != nil {
				if n, plausible := number(m[1]); plausible {
					percent, ok = n, true
				}
			}
		}
	}
	return percent, ok
}

func scriptsOf(packageJSON []byte) *lossless.Value {
	v, err := lossless.Parse(packageJSON)
	if err != nil {
		return nil
	}
	return v.Get("scripts")
}

// Command returns a command that measures a project's coverage, based on its files; "" if unknown.
// The command prints the figure, and leaves nothing in the project.
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
