package quality

import (
	"fmt"
	"strings"

	"warp/internal/core/text"
)

// verdict collects what the comparison of one family finds.
type verdict struct {
	*ledger
	left     map[string]*farewell // files that are gone or blank, by key
	findings []Finding
	gated    map[[2]string]bool // gates already reported, by file
}

// judge compares the two sides of a family.
func (v *verdict) judge() {
	v.match()
	v.settle()
	v.gains()
	for _, u := range v.before {
		if f := v.left[u.key]; f != nil && u.test && !u.optional {
			f.tests++
		} else if f != nil && !u.scope {
			f.helpers++
		}
	}
	for _, u := range v.gone {
		v.missing(u)
	}
	for _, p := range v.pairs {
		v.compare(p.was, p.is)
	}
	for _, u := range v.fresh {
		v.added(u)
	}
}

func (v *verdict) report(u *unit, kind, format string, args ...any) {
	f := Finding{Path: u.key, Kind: kind, Detail: u.label() + fmt.Sprintf(format, args...)}
	if !u.scope {
		f.Tests = []string{u.name}
	}
	v.findings = append(v.findings, f)
}

// label says which test a finding is about.
func (u *unit) label() string {
	name := text.Clip(u.name, 120)
	switch {
	case u.scope:
		return "outside the tests: "
	case u.test:
		return name + ": "
	}
	return "helper " + name + ": "
}

// missing judges a unit that the new side does not have.
func (v *verdict) missing(u *unit) {
	f := v.left[u.key]
	switch {
	case u.optional:
	case u.test && !u.live && !strings.HasPrefix(u.name, "mod "), u.test && u.total == 0 && u.trivial > 0:
		// it tested nothing
	case u.test:
		v.missingTest(u, f)
	case f != nil && u.scope:
		f.lostScope = f.lostScope || u.total > 0
	case f != nil:
		f.lostHelper = true
	}
}

// missingTest looks for what became of a test. A new one that took over from it
// is held to it; an old one that took it in is held to itself already.
func (v *verdict) missingTest(u *unit, f *farewell) {
	heir := v.heir(u)
	switch {
	case heir != nil && heir.isNew && !heir.judged:
		heir.judged = true
		v.around(u, heir)
	case heir != nil, v.dissolved(u):
	case f != nil:
		f.lost = append(f.lost, u.name)
	default:
		v.report(u, "removed", "the test is gone, with %s", plural(u.total, "assertion"))
	}
}

// compare judges a unit that both sides have.
func (v *verdict) compare(was, is *unit) {
	if is.test && was.live && !is.live {
		v.report(is, "emptied", "nothing is left in its body")
		return
	}
	v.around(was, is)
	lost := was.total - is.total
	switch {
	case lost > 0 && !tabled(was, is) && !v.regained(was, is, lost):
		v.report(is, "weakened", "assertions went from %d to %d", was.total, is.total)
	case lost <= 0 && is.weak > was.weak && is.total-is.weak < was.total-was.weak:
		v.report(is, "weakened", "comparisons became checks that there is a value")
	case lost <= 0 && is.subtests < was.subtests && is.loops <= was.loops:
		v.report(is, "removed", "subtests went from %d to %d", was.subtests, is.subtests)
	case lost <= 0 && shrunk(was, is) && !v.regained(was, is, 0):
		v.report(is, "weakened", "the cases of its tables went from %d to %d", was.rows, is.rows)
	}
}

// around judges what stands around the assertions: skips, gates, handlers, and
// assertions that are none.
func (v *verdict) around(was, is *unit) {
	if is.skips > was.skips {
		v.report(is, "skipped", "it gained %s", plural(is.skips-was.skips, "skip"))
	}
	v.gate(was, is)
	if is.swallows > was.swallows {
		v.report(is, "weakened", "a new handler swallows failures")
	}
	if is.trivial > was.trivial {
		v.report(is, "weakened", "%s", plural(is.trivial-was.trivial, "new assertion")+" that always holds")
	}
}

// gate reports once for each file that its tests no longer run by default.
func (v *verdict) gate(was, is *unit) {
	id := [2]string{is.key, is.gate}
	if is.gate == "" || is.gate == was.gate || !is.test || v.gated[id] {
		return
	}
	v.gated[id] = true
	v.report(is, "skipped", "it is now behind %s", is.gate)
}

// added judges a unit that only the new side has. A new test may skip itself
// under a condition, as slow and platform tests do.
func (v *verdict) added(u *unit) {
	if u.judged {
		return
	}
	skips := u.hard
	if isConftest(u.key) {
		skips = u.skips // reaches tests that are not new
	}
	if skips > 0 {
		v.report(u, "skipped", "new, with %s", plural(skips, "skip"))
	}
	if u.trivial > 0 {
		v.report(u, "weakened", "%s", plural(u.trivial, "new assertion")+" that always holds")
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
