package testoutput

import (
	"bytes"
	"encoding/json"
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
