package testoutput

import (
	"bytes"
	"encoding/json"
	"strings"

	"warp/internal/core/lazy"
)

// goEvent is a line of go test -json, or of a build with -json.
type goEvent struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
}

// goActions of the events, and whether they belong to a build.
var goActions = map[string]bool{"start": false, "run": false, "pause": false, "cont": false, "pass": false, "fail": false, "skip": false,
	"bench": false, "output": false, "attr": false, "artifacts": false, "build-output": true, "build-fail": true}

func readGoEvent(line []byte) (e goEvent, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' || !bytes.Contains(line, []byte(`"Action"`)) || json.Unmarshal(line, &e) != nil {
		return goEvent{}, false
	}
	build, known := goActions[e.Action]
	return e, known && (build && e.ImportPath != "" || !build && e.Package != "")
}

// GoEventText is what a line of go test -json says to people: the text of an output,
// nothing for any other event. It is false for a line that is no event.
func GoEventText(line []byte) (text []byte, ok bool) {
	e, ok := readGoEvent(line)
	return []byte(e.Output), ok
}

// goTests reads go test, with -json and without. In events, what a test prints is never
// read for names, whatever it looks like. A result counts only for a test that was
// announced: a print that begins with the byte by which the testing package marks its own
// lines is turned into a result, but into no announcement, by go test.
//
// In text, the package is only told behind its tests; until then it is "".
type goTests struct {
	*Reader
	packages map[string]*goPackage // that announced a test and did not end
	count    int                   // of all tests that were announced
}

type goPackage struct {
	open     map[string]bool // announced tests that did not end
	ended    []named
	failed   []string // as the text has them, announced or not
	finished bool     // the text said FAIL, as it does when all tests are through
}

// named is a test whose full name, or whose runner, is not known yet.
type named struct {
	name   string
	result Result
}

var goResults = map[string]Result{"pass": Passed, "fail": Failed, "skip": Skipped, "PASS": Passed, "FAIL": Failed, "SKIP": Skipped, "ok  ": Passed}

func (g *goTests) readEvent(e goEvent) {
	result, ends := goResults[e.Action]
	switch p := g.packages[e.Package]; {
	case e.Action == "run" && e.Test != "":
		g.announce(e.Package, e.Test)
	case ends && e.Test == "":
		if result == Failed || result == Passed && p != nil { // skipped: it has no test files
			g.addWhole(e.Package, result)
		}
		g.endPackage(e.Package, e.Package+" ", result)
	case ends && p != nil:
		p.endTest(e.Test, result)
	}
}

// announced is a package that is under way.
func (g *goTests) announced(pkg string) *goPackage {
	if g.packages[pkg] == nil {
		g.packages[pkg] = &goPackage{open: map[string]bool{}}
	}
	return g.packages[pkg]
}

func (g *goTests) announce(pkg, test string) {
	if g.count++; g.count > maxTests {
		g.over = true
		return
	}
	g.announced(pkg).open[test] = true
}

func (p *goPackage) endTest(test string, result Result) {
	if p.open[test] {
		p.ended = append(p.ended, named{test, result})
	}
	delete(p.open, test)
}

// endPackage tells of the tests of a package. Those that never ended have failed; those
// that failed in one that passed were run by a test of it.
func (g *goTests) endPackage(pkg, prefix string, result Result) {
	p := g.packages[pkg]
	if p == nil {
		return
	}
	for _, n := range p.ended {
		g.addTest(prefix+n.name, n.result)
		if n.result == Failed {
			p.failed = append(p.failed, n.name)
		}
	}
	for test := range p.open {
		g.addTest(prefix+test, Failed)
	}
	for _, name := range p.failed {
		if result != Passed {
			g.addFailing(prefix+name, Failed)
		}
	}
	delete(g.packages, pkg)
}

const goTest = `((?:Test|Example|Fuzz|Benchmark)\S*) \(` + duration + `\)$`

var (
	goRun     = lazy.Pattern{Text: `^=== RUN   (\S+)`}
	goVerdict = lazy.Pattern{Text: `--- (PASS|FAIL|SKIP): ` + goTest} // behind what the test printed without a newline
	goRunning = lazy.Pattern{Text: `^\t\t` + goTest}                  // was running when the time was up
	goEnd     = lazy.Pattern{Text: `^(ok  |FAIL)\t([^\s:]+)(?: (\[.*\]))?(?:\t(.*))?$`}
)

// readText reads a line of go test's text. It believes what a test prints.
func (g *goTests) readText(text string) (summary bool) {
	if text == "FAIL" {
		g.announced("").finished = true
	} else if m := goRun.Get().FindStringSubmatch(text); m != nil {
		g.announce("", m[1])
	} else if m := goVerdict.Get().FindStringSubmatch(text); m != nil {
		g.announced("").endTest(m[2], goResults[m[1]])
		g.noteFailed(m[2], goResults[m[1]])
	} else if m := goRunning.Get().FindStringSubmatch(text); m != nil {
		g.noteFailed(m[1], Failed)
	} else if m := goEnd.Get().FindStringSubmatch(text); m != nil {
		g.endTold(m[2], m[3], m[4], goResults[m[1]])
		return true
	}
	return false
}

func (g *goTests) noteFailed(test string, result Result) {
	if p := g.announced(""); result == Failed && len(p.failed) < maxTests {
		p.failed = append(p.failed, test)
	}
}

// endTold ends a package of the text: "shop/cart	0.01s", "shop/cart [build failed]".
// Behind the second, the tests before it are those of another.
func (g *goTests) endTold(pkg, unbuilt, rest string, result Result) {
	if result == Failed || !strings.HasSuffix(rest, "[no tests to run]") {
		g.addWhole(pkg, result)
	}
	if unbuilt != "" {
		g.addFailing(pkg+" "+unbuilt, Failed)
		return
	}
	if result == Failed && !g.announced("").finished {
		g.addFailing(pkg+" [cut short]", Failed)
	}
	g.endPackage("", pkg+" ", result)
}

// finish ends a run that told no more.
func (g *goTests) finish() {
	g.endPackage("", "", Failed)
	for pkg := range g.packages {
		g.endPackage(pkg, pkg+" ", Failed)
	}
}
