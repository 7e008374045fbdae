package failure

import "strings"

// pythonNames reads pytest and unittest.
type pythonNames struct {
	tally
	ruled bool // the line before was a ruler of unittest's
}

func (p *pythonNames) line(text string) {
	if p.ruled {
		p.unittest(text)
	}
	p.ruled = len(text) >= 60 && strings.Trim(text, "=") == ""
	for _, verdict := range [...]string{"FAILED", "ERROR"} {
		p.pytest(text, verdict)
	}
}

func (p *pythonNames) end() {}

// pytest reads its summary, FAILED tests/test_a.py::test_b - message, and its
// progress: tests/test_a.py::test_b FAILED [ 50%], [gw0] [ 50%] FAILED tests/….
func (p *pythonNames) pytest(text, verdict string) {
	if strings.HasPrefix(text, "[gw") {
		if _, after, ok := strings.Cut(text, "%] "); ok {
			text = after
		}
	}
	if rest, ok := strings.CutPrefix(text, verdict+" "); ok {
		if name := pytestName(rest); isPytest(name) {
			p.once(name)
		}
		return
	}
	if name, rest, ok := strings.Cut(text, " "+verdict); ok && strings.Contains(name, "::") && isPytest(name) {
		if rest = strings.TrimSpace(rest); rest == "" || strings.HasPrefix(rest, "[") && strings.HasSuffix(rest, "%]") {
			p.once(name)
		}
	}
}

// pytestName is what stands before the message. A parameter may hold what else
// separates the two.
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

// isPytest tells whether a name is a file of Python's, alone or with a test.
func isPytest(name string) bool {
	file, _, _ := strings.Cut(name, "::")
	return strings.HasSuffix(file, ".py") && !strings.ContainsAny(file, " \t:")
}

// unittest reads the line below a ruler: FAIL: test_a (module.Class.test_a). Up
// to Python 3.10 the parentheses hold no more than the class.
func (p *pythonNames) unittest(text string) {
	verdict, rest, ok := strings.Cut(text, ": ")
	if !ok || verdict != "FAIL" && verdict != "ERROR" && verdict != "UNEXPECTED SUCCESS" {
		return
	}
	method, rest, _ := strings.Cut(rest, " (")
	class, parameters, ok := strings.Cut(rest, ")")
	if !ok {
		p.once(method)
		return
	}
	name := class
	if !strings.HasSuffix(class, "."+method) {
		name = class + "." + method
	}
	name = strings.TrimPrefix(name, "unittest.loader._FailedTest.") // a module that could not be imported
	p.once(name + parameters)
}
