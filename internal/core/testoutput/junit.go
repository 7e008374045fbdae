package testoutput

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

// Bounds of a report.
const (
	maxReport = 64 << 20
	maxDepth  = 64
)

// ReadJUnit reads a report in the format of JUnit, as pytest, Surefire, Gradle and others
// write it. A test is named by its suites, its class and its name. Nothing outside the
// text is read; a document that uses entities of its own is refused.
func ReadJUnit(report []byte) (Run, error) {
	run, err := readJUnit(report)
	if err != nil {
		return nil, fmt.Errorf("reading a JUnit report: %w", err)
	}
	return run, nil
}

func readJUnit(report []byte) (Run, error) {
	if len(report) > maxReport {
		return nil, fmt.Errorf("%d bytes are more than %d", len(report), maxReport)
	}
	var root junitNode
	if err := xml.Unmarshal(report, &root); err != nil {
		return nil, err
	}
	if kind := root.XMLName.Local; kind != "testsuites" && kind != "testsuite" {
		return nil, fmt.Errorf("it begins with <%s>", kind)
	} else if kind == "testsuites" {
		root.Name = ""
	}
	tests := newTally()
	if err := root.addTests(&tests, nil, maxDepth); err != nil {
		return nil, err
	}
	run, _ := tests.run()
	if tests.over || len(run) < len(tests.tests) {
		return nil, fmt.Errorf("more than %d tests", maxTests)
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

func (n *junitNode) addTests(t *tally, outer []string, depth int) error {
	if depth == 0 {
		return fmt.Errorf("more than %d suites inside each other", maxDepth)
	}
	suite := addPart(outer, n.Name)
	for _, test := range n.Tests {
		name := append(slices.Clip(addPart(suite, test.Class)), tidy(test.Name)) // a test may be called like its class
		t.addTest(strings.TrimSuffix(strings.Join(name, " > "), " > "), test.result())
	}
	for _, inner := range n.Suites {
		if err := inner.addTests(t, suite, depth-1); err != nil {
			return err
		}
	}
	return nil
}

// addPart lengthens a name, unless the part is its last one again: many writers give a
// suite and its class one name.
func addPart(name []string, part string) []string {
	part = tidy(part)
	if part == "" || len(name) > 0 && name[len(name)-1] == part {
		return name
	}
	return append(slices.Clip(name), part)
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
