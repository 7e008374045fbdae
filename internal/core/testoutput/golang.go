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
	if !ok {
		return nil, false
	}
	return []byte(e.Output), true
}

// goTests reads go test, with -json and without. In events, what a test prints is never
// read for names, whatever it looks like. A result counts only for a test that was
// announced: a print that begins with the byte by which the testing package marks its own
// lines is turned into a result, but into no announcement, by go test.
//
// In text, the package is only told behind its tests; until then they stand under "".
type goTests struct {
	*Reader
	open     map[string]map[string]bool // announced tests that did not end, by package
	count    int                        // of all that were announced
	ran      map[string]bool            // packages that announced a test; one without any is as good as none
	ended    []named                    // of the package that the text will tell
	failed   []string                   // the same, announced or not
	finished bool                       // the text said FAIL, as it does when all tests are through
}

// named is a test whose full name, or whose runner, is not known yet.
type named struct {
	name   string
	result Result
}

var goResults = map[string]Result{"pass": Passed, "fail": Failed, "skip": Skipped, "PASS": Passed, "FAIL": Failed, "SKIP": Skipped, "ok  ": Passed}

func (g *goTests) readEvent(e goEvent) {
	result, ends := goResults[e.Action]
	switch {
	case e.Action == "run" && e.Test != "":
		g.announce(e.Package, e.Test)
	case !ends:
	case e.Test == "":
		g.closePackage(e.Package, e.Package+" ")
		if result == Failed || result == Passed && g.ran[e.Package] { // skipped: it has no test files
			g.addWhole(e.Package, result)
		}
	case g.end(e.Package, e.Test):
		g.addTest(e.Package+" "+e.Test, result)
		g.addFailing(e.Package+" "+e.Test, result)
	}
}

func (g *goTests) announce(pkg, test string) {
	if g.count++; g.count > maxTests {
		g.over = true
		return
	}
	g.ran[pkg] = true
	if g.open[pkg] == nil {
		g.open[pkg] = map[string]bool{}
	}
	g.open[pkg][test] = true
}

// end tells whether a test was announced, and ends it.
func (g *goTests) end(pkg, test string) bool {
	was := g.open[pkg][test]
	delete(g.open[pkg], test)
	return was
}

// closePackage fails the tests of a package that never ended.
func (g *goTests) closePackage(pkg, prefix string) {
	for test := range g.open[pkg] {
		g.addTest(prefix+test, Failed)
	}
	delete(g.open, pkg)
}

const goTest = `((?:Test|Example|Fuzz|Benchmark)\S*) \(` + duration + `\)$`

var (
	goRun     = lazy.Pattern{Text: `^=== RUN   (\S+)`}
	goVerdict = lazy.Pattern{Text: `--- (PASS|FAIL|SKIP): ` + goTest} // behind what the test printed without a newline
	goRunning = lazy.Pattern{Text: `^\t\t` + goTest}                  // was running when the time was up
	goPackage = lazy.Pattern{Text: `^(ok  |FAIL)\t([^\s:]+)(?: (\[.*\]))?(?:\t(.*))?$`}
)

// readText reads a line of go test's text. It believes what a test prints.
func (g *goTests) readText(text string) (summary bool) {
	if text == "FAIL" {
		g.finished = true
	} else if m := goRun.Get().FindStringSubmatch(text); m != nil {
		g.announce("", m[1])
	} else if m := goVerdict.Get().FindStringSubmatch(text); m != nil {
		result := goResults[m[1]]
		if g.end("", m[2]) {
			g.ended = append(g.ended, named{m[2], result})
		}
		if result == Failed {
			g.failed = append(g.failed, m[2])
		}
	} else if m := goRunning.Get().FindStringSubmatch(text); m != nil {
		g.failed = append(g.failed, m[1])
	} else if m := goPackage.Get().FindStringSubmatch(text); m != nil {
		g.endPackage(m[2], m[3], m[4], goResults[m[1]])
		return true
	}
	return false
}

// endPackage ends a package: "shop/cart	0.01s", "shop/cart [build failed]". Behind the
// second, the tests before it are those of another.
func (g *goTests) endPackage(pkg, unbuilt, rest string, result Result) {
	if result == Failed || !strings.HasSuffix(rest, "[no tests to run]") {
		g.addWhole(pkg, result)
	}
	if unbuilt != "" {
		g.addFailing(pkg+" "+unbuilt, Failed)
		return
	}
	if result == Passed {
		g.failed = nil
	} else if !g.finished {
		g.addFailing(pkg+" [cut short]", Failed)
	}
	g.flush(pkg + " ")
}

func (g *goTests) flush(prefix string) {
	for _, n := range g.ended {
		g.addTest(prefix+n.name, n.result)
	}
	for _, name := range g.failed {
		g.addFailing(prefix+name, Failed)
	}
	g.closePackage("", prefix)
	g.ended, g.failed, g.finished = nil, nil, false
}

// finish ends a run that told no more.
func (g *goTests) finish() {
	g.flush("")
	for pkg := range g.open {
		g.closePackage(pkg, pkg+" ")
	}
}
