package testoutput

import (
	"bytes"
	"strings"

	"warp/internal/core/lossless"
)

// goEvent is a line of go test -json, or of a build with -json.
type goEvent struct{ Action, Package, ImportPath, Test, Output string }

const goActions = " start run pause cont pass fail skip bench output attr artifacts build-output build-fail "

func readGoEvent(line []byte) (e goEvent, ok bool) {
	line = bytes.TrimSpace(line)
	if len(line) < 2 || line[0] != '{' || line[len(line)-1] != '}' || !bytes.Contains(line, []byte(`"Action"`)) {
		return e, false
	}
	v, err := lossless.Parse(line)
	if err != nil {
		return e, false
	}
	e = goEvent{v.Get("Action").Text(), v.Get("Package").Text(), v.Get("ImportPath").Text(), v.Get("Test").Text(), v.Get("Output").Text()}
	known := strings.Contains(goActions, " "+e.Action+" ")
	return e, known && (e.Package != "" || e.ImportPath != "" && strings.HasPrefix(e.Action, "build-"))
}

// GoEventText returns what a line of go test -json prints for people: the text of an output,
// nothing for any other event. It returns false for a line that is no event.
func GoEventText(line []byte) (text []byte, ok bool) {
	e, ok := readGoEvent(line)
	return []byte(e.Output), ok
}

// readEvent reads an event of go test -json. It never reads names from what a test prints. A result
// counts only for a test that was announced: go test turns a print that begins with the testing
// package's marker byte into a result, but not into an announcement.
func (r *Reader) readEvent(e goEvent) {
	result, ends := resultOf(e.Action)
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

// JoinTitles joins a suite's title with that of something inside it.
func JoinTitles(outer, title string) string {
	if outer == "" || title == "" {
		return outer + title
	}
	return outer + " > " + title
}

// TidyName cleans a title as the names of a run are.
func TidyName(title string) string { return tidy(title) }
