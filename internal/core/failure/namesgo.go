package failure

import (
	"slices"
	"strings"
)

// goNames reads go test. The package of a test is only told behind its tests.
type goNames struct {
	tally
	tests    []string // of the package that is not told yet
	finished bool     // it said FAIL, as it does when its tests are through
	running  bool     // the tests that a time-out stopped are being listed
}

func (g *goNames) line(text string) {
	if g.running {
		name, timed := untimed(strings.TrimSpace(text))
		if g.running = timed && goTest(name); g.running {
			g.tests = append(g.tests, tidy(name))
			return
		}
	}
	switch {
	case text == "FAIL":
		g.finished = true
	case text == "\trunning tests:":
		g.running = true
	case strings.HasPrefix(text, "FAIL\t"):
		g.failed(strings.TrimPrefix(text, "FAIL\t"))
	case strings.HasPrefix(text, "ok  \t"):
		g.tests, g.finished = nil, false
	default:
		g.verdict(text)
	}
}

// verdict reads --- FAIL: TestName (0.00s). What the test printed without a
// newline stands before it.
func (g *goNames) verdict(text string) {
	_, name, ok := strings.Cut(text, "--- FAIL: ")
	if !ok {
		return
	}
	if name, timed := untimed(name); timed && goTest(name) {
		g.tests = append(g.tests, tidy(name))
	}
}

func goTest(name string) bool {
	for _, kind := range [...]string{"Test", "Example", "Fuzz", "Benchmark"} {
		if strings.HasPrefix(name, kind) {
			return !strings.ContainsAny(name, " \t")
		}
	}
	return false
}

// failed ends a package: "shop/cart	0.01s", "shop/cart [build failed]".
func (g *goNames) failed(rest string) {
	name, _, _ := strings.Cut(rest, "\t")
	if strings.HasSuffix(name, "]") {
		g.once(name)
		return // the tests before it are those of another
	}
	if !g.finished {
		g.once(name + " [cut short]")
	} else if len(g.tests) == 0 {
		g.once(name)
	}
	g.flush(name + " ")
}

// flush names the tests, without those whose subtests are named.
func (g *goNames) flush(prefix string) {
	parents := map[string]bool{}
	for _, name := range g.tests {
		for i := range len(name) {
			if name[i] == '/' {
				parents[name[:i]] = true
			}
		}
	}
	for _, name := range slices.DeleteFunc(g.tests, func(n string) bool { return parents[n] }) {
		g.once(prefix + name)
	}
	g.tests, g.finished = nil, false
}

func (g *goNames) end() { g.flush("") }
