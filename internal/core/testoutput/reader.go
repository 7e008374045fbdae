package testoutput

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// Reader reads what test runners print, line by line, and collects the names of the
// tests. Feed it standard output and standard error in the order in which they were
// written: jest and unittest name their tests on the latter, and cargo says there which
// program the tests belong to. Several runners may follow each other.
type Reader struct {
	root string
	tally
	failing  map[string]bool // names of tests that failed, also those that a list of failures names alone
	scans    []*scan
	packages map[string]*scan // of go test -json, that announced a test and did not end
	ended    bool
}

// NewReader reads the output of tests in a folder, which is taken out of their names:
// two runs may have two folders.
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

// readText gives a line to all that may know it. Where one knows its summary, the lines
// before it were its own, and what others held of them was theirs by mistake.
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

// Run ends the reading and gives the tests. It is false where no test was named, or more
// than can be kept: such a run must not be compared by names.
func (r *Reader) Run() (Run, bool) {
	for _, s := range slices.AppendSeq(r.scans, maps.Values(r.packages)) {
		s.finish()
	}
	r.ended, r.scans, r.packages = true, nil, nil
	return r.tally.run()
}

// FailingTests lists the tests that fail in the output of a run, sorted, each as Run
// names it, without the folder of the machine, and without those whose subtests are named.
// What failed before, or instead of, its tests is a name too: "shop/cart [build failed]",
// and "shop/cart [cut short]" where the run of a package ended before its tests did, so
// that some of them may be unseen. At most 500 are listed.
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

// machineFolder stands before a path that is, or begins, a name.
var machineFolder = lazy.Pattern{Text: `^(?:file://)?(?:[A-Za-z]:)?[/\\](?:[^>]*[/\\])?([^/\\> ])`}

// listNames sorts and bounds a list.
func listNames(names []string) []string {
	slices.Sort(names)
	names = slices.Compact(append([]string{}, names...))
	return names[:min(len(names), maxNames)]
}
