package suite

import "strings"

// pytestReader reads pytest -v and the summary of -rA, which name a test twice: within
// one session the worst result is that of the test.
type pytestReader struct {
	tally   *tally
	session map[string]Result
}

var pytestResults = map[string]Result{"PASSED": Passed, "FAILED": Failed, "ERROR": Failed, "SKIPPED": Skipped, "XFAIL": Skipped, "XPASS": Passed}

func (p *pytestReader) line(text string) bool {
	if strings.HasPrefix(text, "====") && strings.Contains(text, " test session starts ") {
		p.flush()
		return false
	}
	if strings.HasPrefix(text, "[gw") { // pytest-xdist: [gw0] [ 50%] PASSED tests/a.py::test_b
		if _, after, ok := strings.Cut(text, "%] "); ok {
			text = after
		}
	}
	first, rest, _ := strings.Cut(text, " ")
	if result, ok := pytestResults[first]; ok {
		p.test(pytestName(strings.TrimSpace(rest)), result)
		return false
	}
	if !strings.Contains(text, "::") {
		return false
	}
	text = strings.TrimRight(text, " ")
	if before, share, ok := cutLast(text, "["); ok && strings.HasSuffix(share, "%]") {
		text = strings.TrimRight(before, " ")
	}
	for word, result := range pytestResults {
		name, why, ok := strings.Cut(text, " "+word)
		if ok && (why == "" || strings.HasPrefix(why, " (") && strings.HasSuffix(why, ")")) {
			p.test(name, result)
			break
		}
	}
	return false
}

func (p *pytestReader) test(name string, r Result) {
	file, test, inFile := strings.Cut(name, "::")
	if !strings.HasSuffix(file, ".py") || strings.ContainsAny(file, " \t:") {
		return
	}
	if !inFile {
		if r == Failed {
			p.tally.whole(file, Failed) // it could not be imported
		}
		return
	}
	if test == "" || len(p.session) >= maxTests {
		return
	}
	if p.session == nil {
		p.session = map[string]Result{}
	}
	if was, ok := p.session[name]; !ok || was != Failed {
		p.session[name] = r
	}
}

// pytestName is what stands before the message of a summary. A parameter may hold what
// else separates the two.
func pytestName(text string) string {
	const separator = " - "
	name, _, _ := strings.Cut(text, separator)
	if strings.Contains(name, "[") && !strings.HasSuffix(name, "]") {
		if inner, _, ok := strings.Cut(text, "]"+separator); ok {
			return inner + "]"
		}
		return text
	}
	return name
}

func (p *pytestReader) flush() {
	for name, r := range p.session {
		p.tally.test(name, r)
	}
	p.session = nil
}

func (p *pytestReader) confirmed() {}
func (p *pytestReader) end()       { p.flush() }

// unittestReader reads python3 -m unittest -v, known by its last lines.
type unittestReader struct {
	tally   *tally
	pending string // a test whose result stands on a later line
	tests   []named
}

var unittestResults = map[string]Result{"ok": Passed, "FAIL": Failed, "ERROR": Failed, "expected failure": Passed, "unexpected success": Failed}

func (u *unittestReader) line(text string) bool {
	if rest, ok := strings.CutPrefix(text, "Ran "); ok && strings.Contains(rest, " in ") && strings.Contains(rest, " test") {
		u.fail()
		for _, n := range u.tests {
			u.tally.test(n.name, n.result)
		}
		named := len(u.tests) > 0
		u.tests = nil
		return named
	}
	for {
		name, after, ok := unittestName(text)
		if !ok {
			break
		}
		u.fail() // up to Python 3.10 nothing ends the line of a test with failing subtests
		u.pending = name
		text = strings.TrimPrefix(after, " ... ")
	}
	if u.pending == "" {
		return false
	}
	outcome := text
	if _, after, ok := cutLast(text, " ... "); ok {
		outcome = after // below a docstring
	}
	result, ok := unittestResults[strings.TrimSpace(outcome)]
	if strings.HasPrefix(outcome, "skipped ") {
		result, ok = Skipped, true
	}
	if ok {
		u.settle(result)
	}
	return false
}

// unittestName reads "test_ok (tests.test_a.A.test_ok) ... ok". Up to Python 3.10 the
// parentheses hold no more than the class.
func unittestName(text string) (name, after string, ok bool) {
	method, rest, _ := strings.Cut(text, " (")
	class, after, closed := strings.Cut(rest, ")")
	if !closed || method == "" || strings.ContainsAny(method, " \t") || !strings.Contains(class, ".") || strings.ContainsAny(class, " \t") {
		return "", "", false
	}
	if after != "" && !strings.HasPrefix(after, " ... ") {
		return "", "", false
	}
	if !strings.HasSuffix(class, "."+method) {
		class += "." + method
	}
	return class, after, true
}

func (u *unittestReader) settle(r Result) {
	if u.pending != "" && len(u.tests) < maxTests {
		u.tests = append(u.tests, named{u.pending, r})
	}
	u.pending = ""
}

// fail counts a test of which no result came, as of one with failing subtests.
func (u *unittestReader) fail() { u.settle(Failed) }

func (u *unittestReader) confirmed() { u.tests, u.pending = nil, "" }
func (u *unittestReader) end()       { u.tests = nil }
