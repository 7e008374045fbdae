package quality

import (
	"bytes"
	"fmt"
	"strings"
)

// leaves reports whether a test file goes, and how: deleted, renamed to where it
// is no test, or left blank.
func (c *Change) leaves() (kind, how string) {
	if c.Before == nil || !isTestFile(c.oldPath(), c.Before) {
		return "", ""
	}
	switch {
	case c.After == nil:
		return "deleted", "the test file is deleted"
	case c.OldPath != "" && !isTestFile(c.Path, c.After):
		return "deleted", "the test file " + c.OldPath + " is renamed to what is no test"
	case len(bytes.TrimSpace(c.Before)) > 0 && len(bytes.TrimSpace(c.After)) == 0:
		return "emptied", "the test file is left blank"
	}
	return "", ""
}

// isTestFile is IsTest, and knows Rust's files of the product that hold tests.
func isTestFile(path string, content []byte) bool {
	return IsTest(path) || extension(path) == "rs" &&
		(bytes.Contains(content, []byte("#[cfg(test)]")) || bytes.Contains(content, []byte("#[test]")))
}

// departed reports the test files that go and take something with them.
func departed(changes []Change, verdicts map[string]*verdict) []Finding {
	arrived := map[string]int{}
	for _, c := range changes {
		if c.Before == nil && c.After != nil && IsTest(c.Path) {
			arrived[contentKey(c.Path, c.After)]++
		}
	}
	var findings []Finding
	for _, c := range changes {
		kind, how := c.leaves()
		if kind == "" {
			continue
		}
		if key := contentKey(c.oldPath(), c.Before); arrived[key] > 0 {
			arrived[key]-- // a rename that nobody marked as one
			continue
		}
		var f farewell
		if family, lang := dialect(c.oldPath()); lang != nil {
			f = *verdicts[family].left[c.Path]
		}
		if f.moved() {
			continue
		}
		if n := len(f.lost); n == f.tests && n > 0 {
			how += fmt.Sprintf(", with %s: %s", plural(n, "test"), some(f.lost))
		} else if n > 0 {
			how += fmt.Sprintf(", with %d of its %d tests: %s", n, f.tests, some(f.lost))
		}
		findings = append(findings, Finding{Path: c.Path, Kind: kind, Detail: how, OldPath: c.OldPath, Tests: f.lost})
	}
	return findings
}

// contentKey tells contents apart by their kind of file too: a test under a name
// that no runner reads is not the same test.
func contentKey(path string, content []byte) string {
	return extension(path) + "\x00" + string(content)
}

// farewell is what became of the units of a file that is gone.
type farewell struct {
	tests, helpers int
	lost           []string // tests found nowhere else
	lostHelper     bool
	lostScope      bool // assertions outside functions
}

// moved reports whether everything the file held is found elsewhere. A helper
// may go with the tests that called it; in a file of helpers alone it may not.
func (f *farewell) moved() bool {
	if len(f.lost) > 0 || f.lostScope {
		return false
	}
	return f.tests > 0 || f.helpers > 0 && !f.lostHelper
}

// some lists the first few names.
func some(names []string) string {
	const few = 5
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:few], ", ") + ", …"
}
