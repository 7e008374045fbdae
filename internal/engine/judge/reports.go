package judge

import (
	"encoding/xml"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"

	"warp/internal/core/criteria"
	"warp/internal/core/testoutput"
	"warp/internal/durable"
)

// maxReports is how many reports of one run are read.
const maxReports = 10_000

// findReports lists the reports that Maven and Gradle leave in a room unasked.
func findReports(place *Place, patterns []string) (files []string) {
	if place.room == nil || len(patterns) == 0 {
		return nil
	}
	root := place.folder()
	_ = filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
		name, outside := filepath.Rel(root, file)
		switch {
		case err != nil || outside != nil:
			return nil // an unreadable folder has no report
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case e.Type().IsRegular() && criteria.MatchesAny(patterns, filepath.ToSlash(name)) && len(files) < maxReports:
			files = append(files, file)
		}
		return nil
	})
	return files
}

// readReports merges all reports of a run; nil if they name no tests.
func readReports(files []string) testoutput.Run {
	all := testoutput.Run{}
	for _, file := range files {
		text, err := durable.ReadPlain(file)
		if err != nil {
			return nil
		}
		run, err := readJUnit(text)
		if err != nil {
			return nil
		}
		maps.Copy(all, run)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// maxReport bounds a runner's own test report, in bytes.
const maxReport = 64 << 20

// readJUnit reads a report in JUnit format, as pytest, Surefire, Gradle and others write it. A
// test's name consists of its suites, class and name. Nothing outside the text is read; a document
// with its own entities is refused.
func readJUnit(report []byte) (testoutput.Run, error) {
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
	run, err := testoutput.CountTests(func(yield func(string, testoutput.Result) bool) { root.eachTest("", yield) })
	if err != nil {
		return nil, fmt.Errorf("reading a JUnit report: %w", err)
	}
	return run, nil
}

// junitNode is a suite or a test. Elements about repeated runs (flakyFailure, rerunFailure) are not
// read.
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

// eachTest yields the tests with their full names.
func (n *junitNode) eachTest(outer string, yield func(string, testoutput.Result) bool) bool {
	suite := joinOnce(outer, n.Name)
	for _, test := range n.Tests {
		name := testoutput.JoinTitles(joinOnce(suite, test.Class), testoutput.TidyName(test.Name)) // a test may be named like its class
		if !yield(name, test.result()) {
			return false
		}
	}
	for _, inner := range n.Suites {
		if !inner.eachTest(suite, yield) {
			return false
		}
	}
	return true
}

// joinOnce appends a title to a name, unless the name already ends with it: many writers give a
// suite and its class the same name.
func joinOnce(outer, title string) string {
	if title = testoutput.TidyName(title); outer == title || strings.HasSuffix(outer, " > "+title) {
		return outer
	}
	return testoutput.TidyName(testoutput.JoinTitles(outer, title))
}

func (n *junitNode) result() testoutput.Result {
	switch {
	case n.Failure != nil || n.Error != nil:
		return testoutput.Failed
	case n.Skipped != nil || n.Status == "notrun" || n.Status == "disabled" || n.Status == "skipped":
		return testoutput.Skipped
	}
	return testoutput.Passed
}
