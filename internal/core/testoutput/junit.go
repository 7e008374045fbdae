package testoutput

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
)

// Bounds of a report.
const (
	maxReport = 64 << 20
	maxDepth  = 64
)

// ReadJUnit reads a report in the format of JUnit, as pytest, Surefire, Gradle and others
// write it. A test is named by its suites, its class and its name. Nothing outside the
// text is read; a document that defines its own entities is refused.
func ReadJUnit(report []byte) (Run, error) {
	if len(report) > maxReport {
		return nil, fmt.Errorf("reading a JUnit report: %d bytes are more than %d", len(report), maxReport)
	}
	decoder := xml.NewDecoder(bytes.NewReader(report))
	j := junit{tally: newTally()}
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) && j.seen && len(j.open) == 0 {
			break
		}
		if err == nil {
			err = j.readToken(token)
		}
		if err != nil {
			return nil, fmt.Errorf("reading a JUnit report: %w", err)
		}
	}
	run, _ := j.tally.run()
	if j.tally.over || len(run) < len(j.tally.tests) {
		return nil, fmt.Errorf("reading a JUnit report: more than %d tests", maxTests)
	}
	return run, nil
}

type junit struct {
	tally tally
	open  []element
	seen  bool
}

// element is an open one: of a suite and a test its name so far, of a test its result.
type element struct {
	kind, name, last string
	result           Result
}

func (j *junit) readToken(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		return errors.New("it has a document type definition")
	case xml.StartElement:
		return j.openElement(t)
	case xml.EndElement:
		closed := j.open[len(j.open)-1]
		j.open = j.open[:len(j.open)-1]
		if closed.kind == "testcase" {
			j.tally.addTest(closed.name, closed.result)
		}
	}
	return nil
}

// verdictTags are the children of a test that say how it ended. Those of runs that were
// repeated (flakyFailure, rerunFailure) are not among them.
var verdictTags = map[string]Result{"failure": Failed, "error": Failed, "skipped": Skipped}

func (j *junit) openElement(t xml.StartElement) error {
	kind := t.Name.Local
	if !j.seen && kind != "testsuites" && kind != "testsuite" {
		return fmt.Errorf("it begins with <%s>", kind)
	}
	j.seen = true
	if len(j.open) >= maxDepth {
		return fmt.Errorf("more than %d elements inside each other", maxDepth)
	}
	e := element{kind: kind}
	if n := len(j.open); n > 0 {
		outer := &j.open[n-1]
		e.name, e.last = outer.name, outer.last
		if result, ok := verdictTags[kind]; ok && outer.kind == "testcase" && outer.result != Failed {
			outer.result = result
		}
	}
	attributes := map[string]string{}
	for _, a := range t.Attr {
		attributes[a.Name.Local] = a.Value
	}
	switch kind {
	case "testsuite":
		e.addName(attributes["name"])
	case "testcase":
		e.addName(attributes["classname"])
		e.last = "" // a test may be called like its class
		e.addName(attributes["name"])
		switch attributes["status"] {
		case "notrun", "disabled", "skipped":
			e.result = Skipped
		}
	}
	j.open = append(j.open, e)
	return nil
}

// addName lengthens the name, unless the part is the last one again: many writers give
// a suite and its class one name.
func (e *element) addName(part string) {
	if part = tidy(part); part == "" || part == e.last {
		return
	}
	if e.name != "" {
		e.name += " > "
	}
	e.name, e.last = e.name+part, part
}
