package testoutput

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// Reader reads the output of test runners, line by line, and collects the names of tests. Feed it
// standard output and standard error in the order in which they were written: jest and unittest
// name their tests on the latter, and cargo says there which program the tests belong to. Several
// runners may follow one another.
type Reader struct {
	root string
	tally
	failing  map[string]bool // failed tests, including those only named in a list of failures
	scans    []*scan
	packages map[string]*scan // of go test -json: packages that announced a test and have not ended
	ended    bool
}

// NewReader reads the output of tests in a folder, which it removes from their names: two runs may
// use different folders.
func NewReader(root string) *Reader {
	r := &Reader{root: strings.TrimSuffix(root, "/"), tally: newTally(), failing: map[string]bool{}, packages: map[string]*scan{}}
	for _, kind := range runners.Get() {
		r.scans = append(r.scans, newScan(r, kind))
	}
	return r
}

// Line takes the next line, with or without its newline.
func (r *Reader) Line(line []byte) {
	if r.ended || len(line) > maxLine {
		return
	} else if e, ok := readGoEvent(line); ok {
		r.readEvent(e)
		return
	}
	text := plain(string(bytes.TrimRight(line, "\r\n")))
	if r.root != "" {
		text = strings.ReplaceAll(text, r.root+"/", "")
	}
	for part := range strings.SplitSeq(text, "\n") { // a lone carriage return redraws a line
		r.readText(part)
	}
}

// readText passes a line to all scans. When one of them recognises its summary, the lines before
// belong to it, and other scans drop what they held by mistake.
func (r *Reader) readText(text string) {
	var by *scan
	for _, s := range r.scans {
		if s.readText(text) {
			by = s
		}
	}
	for _, s := range r.scans {
		if by != nil && s != by && s.holds && !s.sure {
			s.forget()
		}
	}
}

func (r *Reader) addFailing(name string, result Result) {
	if name = tidy(name); name != "" && result == Failed && len(r.failing) < maxTests {
		r.failing[name] = true
	}
}

// Run ends the reading and returns the tests. It returns false if no test was named, or more than
// can be kept: such a run must not be compared by names.
func (r *Reader) Run() (Run, bool) {
	for _, s := range slices.AppendSeq(r.scans, maps.Values(r.packages)) {
		s.finish()
	}
	r.ended, r.scans, r.packages = true, nil, nil
	return r.tally.run()
}

// FailingTests lists the failing tests in a run's output, sorted, named as in Run, without the
// machine's folder and without tests whose subtests are listed. What failed before or instead of
// its tests has a name too: "shop/cart [build failed]", and "shop/cart [cut short]" if a package's
// run ended before its tests did, so that some of them may be missing. It lists at most 500.
func FailingTests(output string) []string {
	r := NewReader("")
	for line := range strings.SplitSeq(plain(output), "\n") {
		r.Line([]byte(line))
	}
	r.Run()
	names := WithoutOuter(slices.Collect(maps.Keys(r.failing)))
	var places []string
	for place, result := range r.wholes {
		if result == Failed {
			places = append(places, place)
		}
	}
	names = append(names, dropOuter(places, names, []string{" ", "::"})...)
	for i, name := range names {
		names[i] = machineFolder.Get().ReplaceAllString(strings.TrimSuffix(name, " - should panic"), "$1") // cargo adds it in one of two places
	}
	return listNames(names)
}

// machineFolder precedes a path that is, or begins, a name.
var machineFolder = lazy.Pattern{Text: `^(?:file://)?(?:[A-Za-z]:)?[/\\](?:[^>]*[/\\])?([^/\\> ])`}

// listNames sorts and limits a list.
func listNames(names []string) []string {
	slices.Sort(names)
	names = slices.Compact(append([]string{}, names...))
	return names[:min(len(names), maxNames)]
}
