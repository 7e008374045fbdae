package suite

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
// text is read; a document that defines entities of its own is refused.
func ReadJUnit(report []byte) (Run, error) {
	if len(report) > maxReport {
		return nil, fmt.Errorf("reading a JUnit report: %d bytes are more than %d", len(report), maxReport)
	}
	r := junit{decoder: xml.NewDecoder(bytes.NewReader(report))}
	for {
		token, err := r.decoder.Token()
		if errors.Is(err, io.EOF) && r.seen && len(r.open) == 0 {
			break
		}
		if err == nil {
			err = r.token(token)
		}
		if err != nil {
			return nil, fmt.Errorf("reading a JUnit report: %w", err)
		}
	}
	run, _ := r.tally.run()
	if r.tally.over || len(run) < len(r.tally.tests) {
		return nil, fmt.Errorf("reading a JUnit report: more than %d tests", maxTests)
	}
	return run, nil
}

type junit struct {
	decoder *xml.Decoder
	tally   tally
	open    []element
	seen    bool
}

// element is one that is open: of a suite and a test its name so far, of a test its result.
type element struct {
	kind, name, last string
	result           Result
}

func (j *junit) token(token xml.Token) error {
	switch t := token.(type) {
	case xml.Directive:
		return errors.New("it has a document type definition")
	case xml.StartElement:
		return j.start(t)
	case xml.EndElement:
		closed := j.open[len(j.open)-1]
		j.open = j.open[:len(j.open)-1]
		if closed.kind == "testcase" {
			j.tally.test(closed.name, closed.result)
		}
	}
	return nil
}

// verdictTags are the children of a test that say how it ended. Those of runs that were
// repeated (flakyFailure, rerunFailure) are not among them.
var verdictTags = map[string]Result{"failure": Failed, "error": Failed, "skipped": Skipped}

func (j *junit) start(t xml.StartElement) error {
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
	switch kind {
	case "testsuite":
		e.add(attribute(t, "name"))
	case "testcase":
		e.add(attribute(t, "classname"))
		e.last = "" // a test may be called like its class
		e.add(attribute(t, "name"))
		if s := attribute(t, "status"); s == "notrun" || s == "disabled" || s == "skipped" {
			e.result = Skipped
		}
	}
	j.open = append(j.open, e)
	return nil
}

// add lengthens the name, unless the part is the last one again: many writers give a
// suite and its class one name.
func (e *element) add(part string) {
	if part = tidy(part); part == "" || part == e.last {
		return
	}
	if e.name != "" {
		e.name += " > "
	}
	e.name, e.last = e.name+part, part
}

func attribute(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
