package testintegrity

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// Change is one file of a diff, with its content before and after.
type Change struct {
	Path, OldPath string // OldPath is set for a rename
	Before, After []byte // nil if the file is absent on that side
}

// Finding is one way in which a diff weakens tests.
type Finding struct {
	Path    string
	OldPath string // set for a rename
	Kind    string // deleted | emptied | removed | skipped
	Detail  string
}

// mostDescribed is how many findings a description names.
const mostDescribed = 10

// Describe describes findings in one line, since reports show the first line of a reason, without
// those whose path may change; "" if there are none. It also returns the paths that lose tests.
func Describe(findings []Finding, allowed func(path string) bool) (what string, paths []string) {
	var list []string
	for _, f := range findings {
		path := cmp.Or(f.OldPath, f.Path) // the side that loses the tests
		if allowed(path) {
			continue
		}
		if list = append(list, fmt.Sprintf("%s: %s: %s", f.Path, f.Kind, f.Detail)); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	if more := len(list) - mostDescribed; more > 0 {
		list = append(list[:mostDescribed], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(list, "; "), paths
}

// Reads reports whether FindWeakened reads the file at this path; the content of any other may be
// empty, but not nil. Rust keeps tests in product files, and a skip in conftest.py affects every
// test below it.
func Reads(path string) bool {
	l := languageOf(path)
	return IsTest(path) || isConftest(path) || l != nil && l.inline
}

// FindWeakened lists how a diff weakens tests, by path. A test may be renamed, but not in resolved
// files: there a conflict was resolved, and a test from the other side may have replaced it.
func FindWeakened(changes []Change, resolved ...string) []Finding {
	arrived := map[string]int{} // contents of new test files
	diffs, pairs := readPairs(changes)
	for _, p := range pairs {
		if p.Before == nil && p.is != nil {
			arrived[extension(p.Path)+" "+string(p.After)]++
		}
	}
	for _, m := range pairMoves(pairs) {
		diffs[m.was.file.lang.family].follow(m)
	}
	var found []Finding
	for _, p := range pairs {
		found = append(found, p.diff(diffs).judge(p, arrived, slices.Contains(resolved, p.Path))...)
	}
	slices.SortStableFunc(found, func(a, b Finding) int { return strings.Compare(a.Path, b.Path) })
	return found
}

// readPairs reads the changed files on both sides, and what those of one family declare.
func readPairs(changes []Change) (diffs map[string]*diff, pairs []*pair) {
	diffs = map[string]*diff{}
	for _, c := range changes {
		p := &pair{Change: c}
		if was := cmp.Or(c.OldPath, c.Path); c.Before != nil && Reads(was) {
			p.was = readFile(was, c.Before)
		}
		if c.After != nil && Reads(c.Path) {
			p.is = readFile(c.Path, c.After)
		}
		pairs = append(pairs, p)
		p.diff(diffs).add(p)
	}
	return diffs, pairs
}

// follow makes a test that was renamed the earlier one's successor.
func (d *diff) follow(m move) {
	if m.was.name != m.is.name && d.missing[m.was.name] > 0 && d.missing[m.is.name] < 0 {
		d.missing[m.was.name]--
		d.missing[m.is.name]++
		d.renamed[m.is.declaration] = m.was
	}
}

// pair is a changed file, read on both sides.
type pair struct {
	Change
	was, is *file // nil if absent or not read
}

// diff returns the diff of the pair's language family.
func (p *pair) diff(all map[string]*diff) *diff {
	path := p.Path
	if p.was != nil {
		path = p.was.path
	}
	family := extension(path)
	if l := languageOf(path); l != nil {
		family = l.family
	}
	if all[family] == nil {
		all[family] = &diff{was: map[key][]located{}, missing: map[string]int{}, helpers: map[string]bool{}, renamed: map[*declaration]located{}}
	}
	return all[family]
}

// located is a declaration with its file.
type located struct {
	*declaration
	file *file
}

// key identifies a declaration in a file, or in any file if nil.
type key struct {
	file *file
	name string
	test bool
}

// diff is what all changed files of one family declare.
type diff struct {
	was     map[key][]located
	missing map[string]int           // how many fewer there are of a name
	helpers map[string]bool          // names that are not tests now
	fewer   int                      // how many fewer tests there are
	renamed map[*declaration]located // earlier versions of tests with a new name
}

func (d *diff) add(p *pair) {
	count := func(f *file, by int) {
		for i := range f.list {
			one := &f.list[i]
			if by > 0 {
				for _, k := range [...]key{{f, one.name, one.test}, {nil, one.name, one.test}} {
					d.was[k] = append(d.was[k], located{one, f})
				}
			} else if !one.test {
				d.helpers[one.name] = true
			}
			if !one.test || by > 0 && f.isHollow(one) {
				continue
			}
			d.missing[one.name] += by
			d.fewer += by
		}
	}
	if p.was != nil {
		count(p.was, +1)
	}
	if p.is != nil {
		count(p.is, -1)
	}
}

func (d *diff) judge(p *pair, arrived map[string]int, resolved bool) (found []Finding) {
	report := func(kind, format string, args ...any) {
		found = append(found, Finding{Path: p.Path, OldPath: p.OldPath, Kind: kind, Detail: fmt.Sprintf(format, args...)})
	}
	if kind, how := p.leaves(); kind != "" {
		key := extension(p.was.path) + " " + string(p.Before)
		if arrived[key] > 0 {
			arrived[key]-- // a rename that git did not detect
		} else if lost, moved := d.lostBy(p); len(lost) > 0 {
			report(kind, "%s, with %s: %s", how, text.Count(len(lost), "test"), text.List(lost, 5))
		} else if !moved {
			report(kind, "%s", how)
		}
		return found
	}
	if p.was != nil && (d.fewer > 0 || resolved) {
		if lost, _ := d.lostBy(p); len(lost) > 0 {
			are := " are"
			if len(lost) == 1 {
				are = " is"
			}
			report("removed", "%s gone: %s", text.Count(len(lost), "test")+are, text.List(lost, 5))
		}
	}
	if p.is == nil {
		return found
	}
	gated, known := false, p.was != nil || isConftest(p.Path)
	for i := range p.is.list {
		one := &p.is.list[i]
		was, ok := d.earlier(p, one)
		if !ok {
			continue
		}
		known = known || one.test
		if gate := p.is.gate; one.test && gate != "" && gate != was.file.gate && !gated {
			gated = true
			report("skipped", "%s: it is now behind %s", text.Clip(one.name, 120), gate)
		}
		d.compare(was, located{one, p.is}, report)
	}
	skips, focus := 0, 0
	if p.was != nil {
		skips, focus = p.was.skips, p.was.focus
	}
	if n := p.is.skips - skips; n > 0 && known {
		report("skipped", "outside the tests: %s more", text.Count(n, "skip marker"))
	}
	if n := p.is.focus - focus; n > 0 {
		report("skipped", "%s such as .only more, which keep all other tests from being run", text.Count(n, "marker"))
	}
	return found
}

// compare compares a test or helper with its earlier version.
func (d *diff) compare(was, is located, report func(kind, format string, args ...any)) {
	name := text.Clip(is.name, 120)
	if n := is.skips - was.skips; n > 0 {
		report("skipped", "%s: %s more", name, text.Count(n, "skip marker"))
	}
	switch {
	case !is.test || was.file.isHollow(was.declaration):
	case is.file.isHollow(is.declaration):
		report("emptied", "%s: nothing is left in its body", name)
	case was.file.asserts(was.declaration, nil) && !is.file.asserts(is.declaration, d.helpers):
		report("emptied", "%s: no assertion is left", name)
	}
}

// earlier returns the earlier version of a declaration: in the same file, or in another of the
// diff. Several with one name match one to one; further ones are compared with the last, since a
// hollow copy further down replaces it.
func (d *diff) earlier(p *pair, one *declaration) (located, bool) {
	for _, k := range [...]key{{p.was, one.name, one.test}, {nil, one.name, one.test}} {
		if list := d.was[k]; len(list) > 1 {
			d.was[k] = list[1:]
			return list[0], true
		} else if len(list) == 1 {
			return list[0], true
		}
	}
	was, ok := d.renamed[one]
	return was, ok
}

// lostBy lists the tests of a file that are found nowhere. Moved reports whether everything it
// declared is found elsewhere: its tests, or else its helpers.
func (d *diff) lostBy(p *pair) (lost []string, moved bool) {
	tests, helpers := 0, true
	for i := range p.was.list {
		one := &p.was.list[i]
		switch {
		case !one.test:
			helpers = helpers && d.helpers[one.name]
		case p.was.isHollow(one):
		default:
			tests++
			if d.missing[one.name] > 0 {
				d.missing[one.name]--
				lost = append(lost, text.Clip(one.name, 120))
			}
		}
	}
	return lost, tests > 0 || len(p.was.list) > 0 && helpers
}

// leaves returns whether a test file goes, and how.
func (p *pair) leaves() (kind, how string) {
	isTestFile := func(path string, f *file) bool {
		return IsTest(path) || f != nil && slices.ContainsFunc(f.list, func(d declaration) bool { return d.test })
	}
	switch {
	case p.was == nil || !isTestFile(p.was.path, p.was):
	case p.After == nil:
		return "deleted", "the test file is deleted"
	case p.OldPath != "" && !isTestFile(p.Path, p.is):
		return "deleted", "the test file " + p.OldPath + " is renamed to something that is not a test"
	case len(bytes.TrimSpace(p.Before)) > 0 && len(bytes.TrimSpace(p.After)) == 0:
		return "emptied", "the test file is left blank"
	case p.is == nil || !isTestFile(p.is.path, p.is):
	case p.was.lang != nil && p.was.lang.family == "shell" && p.was.countChecks() > 0 && p.is.countChecks() == 0:
		return "emptied", "nothing is left in the test file that can fail"
	}
	return "", ""
}
