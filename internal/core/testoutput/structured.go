package testoutput

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"strings"
)

// goEvent is a line of go test -json, or of a build with -json.
type goEvent struct {
	Action     string
	Package    string
	ImportPath string
	Test       string
	Output     string
}

const goActions = " start run pause cont pass fail skip bench output attr artifacts build-output build-fail "

func readGoEvent(line []byte) (e goEvent, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' || !bytes.Contains(line, []byte(`"Action"`)) || json.Unmarshal(line, &e) != nil {
		return goEvent{}, false
	}
	known := strings.Contains(goActions, " "+e.Action+" ")
	return e, known && (e.Package != "" || e.ImportPath != "" && strings.HasPrefix(e.Action, "build-"))
}

// GoEventText is what a line of go test -json says to people: the text of an output,
// nothing for any other event. It is false for a line that is no event.
func GoEventText(line []byte) (text []byte, ok bool) {
	e, ok := readGoEvent(line)
	return []byte(e.Output), ok
}

var goResults = map[string]Result{"pass": Passed, "fail": Failed, "skip": Skipped}

// readEvent reads an event of go test -json. What a test prints is never read for names
// there, whatever it looks like. A result counts only for a test that was announced: a
// print that begins with the byte by which the testing package marks its own lines is
// turned into a result, but into no announcement, by go test.
func (r *Reader) readEvent(e goEvent) {
	result, ends := goResults[e.Action]
	pkg := r.packages[e.Package]
	switch {
	case e.Action == "run" && e.Test != "":
		if pkg == nil {
			pkg = newScan(r, runners.Get()[0])
			pkg.place = e.Package
			r.packages[e.Package] = pkg
		}
		pkg.begin(e.Test)
	case ends && e.Test == "":
		if result == Failed || result == Passed && pkg != nil { // skipped: it has no test files
			r.addWhole(e.Package, result)
		}
		if pkg != nil {
			pkg.finish()
			delete(r.packages, e.Package)
		}
	case ends && pkg != nil && pkg.begun[e.Test]:
		pkg.addResult(e.Test, result)
		r.addFailing(e.Package+" "+e.Test, result)
	}
}

const maxReport = 64 << 20 // bytes

// ReadJUnit reads a report in the format of JUnit, as pytest, Surefire, Gradle and others
// write it. A test is named by its suites, its class and its name. Nothing outside the
// text is read; a document that uses entities of its own is refused.
func ReadJUnit(report []byte) (Run, error) {
	if len(report) > maxReport {
		return nil, fmt.Errorf("reading a JUnit report: %d bytes are more than %d", len(report), maxReport)
	}
	var root junitNode
	if err := xml.Unmarshal(report, &root); err != nil {
		return nil, fmt.Errorf("reading a JUnit report: %w", err)
	}
	if kind := root.XMLName.Local; kind == "testsuites" {
		root.Name = ""
	} else if kind != "testsuite" {
		return nil, fmt.Errorf("reading a JUnit report: it begins with <%s>", kind)
	}
	tests := newTally()
	root.addTests(&tests, "")
	run, named := tests.run()
	if !named && len(tests.tests) > 0 {
		return nil, fmt.Errorf("reading a JUnit report: it has more than %d tests", maxTests)
	}
	return run, nil
}

// junitNode is a suite or a test. What tells of runs that were repeated (flakyFailure,
// rerunFailure) is not read.
type junitNode struct {
	XMLName xml.Name
	Name    string      `xml:"name,attr"`
	Class   string      `xml:"classname,attr"`
	Status  string      `xml:"status,attr"`
	Suites  []junitNode `xml:"testsuite"`
	Tests   []junitNode `xml:"testcase"`
	Failure *struct{}   `xml:"failure"`
	Error   *struct{}   `xml:"error"`
	Skipped *struct{}   `xml:"skipped"`
}

func (n *junitNode) addTests(t *tally, outer string) {
	suite := joinOnce(outer, n.Name)
	for _, test := range n.Tests {
		t.addTest(joinTitles(joinOnce(suite, test.Class), tidy(test.Name)), test.result()) // a test may be called like its class
	}
	for _, inner := range n.Suites {
		inner.addTests(t, suite)
	}
}

// joinOnce lengthens a name, unless the title is its last one again: many writers give a
// suite and its class one name.
func joinOnce(outer, title string) string {
	if title = tidy(title); outer == title || strings.HasSuffix(outer, " > "+title) {
		return outer
	}
	return tidy(joinTitles(outer, title))
}

func joinTitles(outer, title string) string {
	if outer == "" || title == "" {
		return outer + title
	}
	return outer + " > " + title
}

func (n *junitNode) result() Result {
	switch {
	case n.Failure != nil || n.Error != nil:
		return Failed
	case n.Skipped != nil || n.Status == "notrun" || n.Status == "disabled" || n.Status == "skipped":
		return Skipped
	}
	return Passed
}
