package suite

import (
	"bytes"
	"encoding/json"
	"strings"
)

// event is a line of go test -json, or of a build with -json.
type event struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
}

// actions of the events, and whether they belong to a build.
var actions = map[string]bool{"start": false, "run": false, "pause": false, "cont": false, "pass": false, "fail": false, "skip": false,
	"bench": false, "output": false, "attr": false, "artifacts": false, "build-output": true, "build-fail": true}

func readEvent(line []byte) (e event, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' || !bytes.Contains(line, []byte(`"Action"`)) || json.Unmarshal(line, &e) != nil {
		return event{}, false
	}
	build, known := actions[e.Action]
	return e, known && (build && e.ImportPath != "" || !build && e.Package != "")
}

// isOutput tells the most frequent event, the output of a test, without decoding it: it
// names nothing, and a large suite has a hundred thousand of them.
func isOutput(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte(`{"Time":"`))
	_, rest, _ = bytes.Cut(rest, []byte(`"`))
	return ok && bytes.HasPrefix(rest, []byte(`,"Action":"output","Package":"`)) && bytes.HasSuffix(bytes.TrimRight(rest, "\r\n"), []byte(`"}`))
}

// AsText is what a line of go test -json says to people: the text of an output, nothing
// for any other event. It is false for a line that is no event.
func AsText(line []byte) (text []byte, ok bool) {
	e, ok := readEvent(line)
	if !ok {
		return nil, false
	}
	return []byte(e.Output), true
}

// goEvents reads go test -json. What a test prints arrives inside the Output of an event
// and is never read for names, whatever it looks like. A result counts only for a test
// that was announced: a print that begins with the byte by which the testing package
// marks its own lines is turned into a result, but into no announcement, by go test.
type goEvents struct {
	tally *tally
	open  map[string]map[string]bool // tests that were announced and did not end, by package
	count int                        // of them
	ran   map[string]bool            // packages that announced a test; one without any is as good as none
}

var goResults = map[string]Result{"pass": Passed, "fail": Failed, "skip": Skipped}

func (g *goEvents) event(e event) {
	result, ends := goResults[e.Action]
	switch {
	case e.Action == "run" && e.Test != "":
		g.start(e.Package, e.Test)
	case !ends:
	case e.Test == "":
		g.close(e.Package)
		if result == Failed || result == Passed && g.ran[e.Package] { // skipped: it has no test files
			g.tally.whole(e.Package, result)
		}
	case g.open[e.Package][e.Test]:
		delete(g.open[e.Package], e.Test)
		g.count--
		g.tally.test(e.Package+" "+e.Test, result)
	}
}

func (g *goEvents) start(pkg, test string) {
	if g.count++; g.count > maxTests {
		g.tally.over = true
		return
	}
	if g.open == nil {
		g.open, g.ran = map[string]map[string]bool{}, map[string]bool{}
	}
	g.ran[pkg] = true
	if g.open[pkg] == nil {
		g.open[pkg] = map[string]bool{}
	}
	g.open[pkg][test] = true
}

// close fails the tests of a package that never ended.
func (g *goEvents) close(pkg string) {
	for test := range g.open[pkg] {
		g.count--
		g.tally.test(pkg+" "+test, Failed)
	}
	delete(g.open, pkg)
}

func (g *goEvents) end() {
	for pkg := range g.open {
		g.close(pkg)
	}
}

// goVerbose reads go test -v, where the package is only told behind its tests; without
// -v it is left with the packages. It believes what a test prints.
type goVerbose struct {
	tally *tally
	open  map[string]bool
	tests []named
}

// named is a test whose place in the run is not settled yet.
type named struct {
	name   string
	result Result
}

var goVerdicts = map[string]Result{"--- PASS: ": Passed, "--- FAIL: ": Failed, "--- SKIP: ": Skipped}

func (g *goVerbose) line(text string) bool {
	if name, ok := strings.CutPrefix(text, "=== RUN   "); ok && len(g.open) < maxTests {
		if g.open == nil {
			g.open = map[string]bool{}
		}
		g.open[strings.TrimSpace(name)] = true
		return false
	}
	for mark, result := range goVerdicts {
		if !strings.Contains(text, "--- ") {
			break
		}
		if _, rest, ok := strings.Cut(text, mark); ok {
			// What the test printed without a newline stands before it.
			if name, timed := untimed(rest); timed && g.open[name] {
				delete(g.open, name)
				g.tests = append(g.tests, named{name, result})
			}
			return false
		}
	}
	if rest, ok := strings.CutPrefix(text, "ok  \t"); ok {
		return g.finish(rest, Passed)
	}
	if rest, ok := strings.CutPrefix(text, "FAIL\t"); ok {
		return g.finish(rest, Failed)
	}
	return false
}

// finish ends a package: "shop/cart	0.01s", "shop/cart [build failed]".
func (g *goVerbose) finish(rest string, result Result) bool {
	pkg, _, _ := strings.Cut(strings.TrimSpace(rest), "\t")
	pkg, unbuilt, _ := strings.Cut(pkg, " [")
	if pkg == "" || strings.ContainsAny(pkg, " :") {
		return false
	}
	if result == Failed || !strings.HasSuffix(rest, "[no tests to run]") {
		g.tally.whole(pkg, result)
	}
	if unbuilt == "" {
		g.flush(pkg + " ")
	} // else the tests before it are those of another
	return true
}

func (g *goVerbose) flush(prefix string) {
	for name := range g.open {
		g.tests = append(g.tests, named{name, Failed})
	}
	for _, n := range g.tests {
		g.tally.test(prefix+n.name, n.result)
	}
	g.open, g.tests = nil, nil
}

func (g *goVerbose) confirmed() {}
func (g *goVerbose) end()       { g.flush("") }
