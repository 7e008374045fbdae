package quality

import (
	"slices"
	"strings"
)

// Change is one file of a diff, with its content before and after.
type Change struct {
	Path, OldPath string // OldPath is set for a rename
	Before, After []byte // nil when the file is absent on that side
}

// Finding is one thing that a diff does to the tests.
type Finding struct {
	Path    string
	Kind    string // deleted | skipped | emptied | weakened | removed
	Detail  string
	OldPath string   // set for a rename
	Tests   []string // the test or helper it is about; of a file, the tests that went with it
}

// Weakened lists what a diff does to the tests, by path; empty when nothing.
func Weakened(changes []Change) []Finding {
	verdicts := map[string]*verdict{}
	var order []*verdict
	of := func(family string) *verdict {
		v := verdicts[family]
		if v == nil {
			v = &verdict{ledger: &ledger{}, left: map[string]*farewell{}, gated: map[[2]string]bool{}}
			verdicts[family] = v
			order = append(order, v)
		}
		return v
	}
	for _, c := range changes {
		if family, lang := dialect(c.oldPath()); lang != nil && c.Before != nil {
			units := count(c.oldPath(), c.Path, c.Before, lang)
			v := of(family)
			v.before = append(v.before, units...)
			if kind, _ := c.leaves(); kind != "" {
				v.left[c.Path] = &farewell{}
			}
		}
		if family, lang := dialect(c.Path); lang != nil && c.After != nil {
			v := of(family)
			v.after = append(v.after, count(c.Path, c.Path, c.After, lang)...)
		}
	}
	var findings []Finding
	for _, v := range order {
		v.judge()
		findings = append(findings, v.findings...)
	}
	findings = append(findings, departed(changes, verdicts)...)
	slices.SortStableFunc(findings, func(a, b Finding) int { return strings.Compare(a.Path, b.Path) })
	return findings
}

func (c *Change) oldPath() string {
	if c.OldPath != "" {
		return c.OldPath
	}
	return c.Path
}

// Reads reports whether Weakened looks into a file at this path; the content of
// any other may be left empty, as long as it is not nil. Rust keeps tests in the
// files of the product, and a skip in conftest.py reaches every test below it.
func Reads(path string) bool {
	_, lang := dialect(path)
	return IsTest(path) || isConftest(path) || lang != nil && lang.inline
}

// count reads one side of a file; what is no test file has nothing to count.
func count(path, key string, content []byte, lang *language) []*unit {
	if !Reads(path) {
		return nil
	}
	s := parse(path, content, lang)
	units := census(s)
	gate := ""
	if lang.gate != nil {
		gate = lang.gate(s)
	}
	for _, u := range units {
		u.key = key
		u.gate = join(gate, u.gate)
	}
	return units
}
