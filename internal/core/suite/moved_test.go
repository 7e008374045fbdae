package suite

import (
	"strings"
	"testing"

	"warp/internal/core/testintegrity"
	"warp/internal/core/testoutput"
)

func TestWithoutMoved(t *testing.T) {
	for name, c := range map[string]struct {
		before, now string // names that passed, separated by |
		move        testintegrity.Move
		left        string
	}{
		"go":                 {"shop TestA", "shop TestB", testintegrity.Move{OldPath: "a_test.go", OldName: "TestA", Path: "a_test.go", Name: "TestB"}, ""},
		"go, subtests":       {"shop TestA/x|shop TestA/y", "shop/in TestB/x|shop/in TestB/y", testintegrity.Move{OldPath: "a_test.go", OldName: "TestA", Path: "in/a_test.go", Name: "TestB"}, ""},
		"go, one is lost":    {"shop TestA/x|shop TestA/y", "shop TestB/x", testintegrity.Move{OldPath: "a_test.go", OldName: "TestA", Path: "a_test.go", Name: "TestB"}, "shop TestA/y"},
		"go, a longer name":  {"shop TestAll", "shop TestB", testintegrity.Move{OldPath: "a_test.go", OldName: "TestA", Path: "a_test.go", Name: "TestB"}, "shop TestAll"},
		"unittest":           {"tests.test_a.A.test_x", "tests.test_b.B.test_x", testintegrity.Move{OldPath: "tests/test_a.py", OldName: "test_x", Path: "tests/test_b.py", Name: "test_x"}, ""},
		"pytest":             {"tests/test_a.py::A::test_x[1]", "tests/test_b.py::test_y[1]", testintegrity.Move{OldPath: "tests/test_a.py", OldName: "test_x", Path: "tests/test_b.py", Name: "test_y"}, ""},
		"pytest, other case": {"tests/test_a.py::test_x[1]", "tests/test_b.py::test_y[2]", testintegrity.Move{OldPath: "tests/test_a.py", OldName: "test_x", Path: "tests/test_b.py", Name: "test_y"}, "tests/test_a.py::test_x[1]"},
		"node, a group":      {"cart > adds tax", "basket > adds tax", testintegrity.Move{OldPath: "a.test.js", OldName: "adds tax", Path: "a.test.js", Name: "adds tax"}, ""},
		"jest, a template":   {"a.test.js > adds 1", "b.test.js > sums 1", testintegrity.Move{OldPath: "a.test.js", OldName: "adds %i", Path: "b.test.js", Name: "sums %i"}, ""},
		"jest, files alone":  {"test/a.test.js [as a whole]", "test/b.test.js [as a whole]", testintegrity.Move{OldPath: "test/a.test.js", OldName: "adds", Path: "test/b.test.js", Name: "adds"}, ""},
		"a script":           {"tests/a.sh", "tests/b.sh", testintegrity.Move{OldPath: "tests/a.sh", Path: "tests/b.sh"}, ""},
		"two, and one left":  {"p TestA|q TestA", "p TestB", testintegrity.Move{OldPath: "p/a_test.go", OldName: "TestA", Path: "p/a_test.go", Name: "TestB"}, "q TestA"},
		"quotes":             {"it's one", "it's \"two\"", testintegrity.Move{OldPath: "a.test.js", OldName: `it\'s one`, Path: "a.test.js", Name: `it\'s \"two\"`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			run := func(names string) testoutput.Run {
				r := testoutput.Run{}
				for name := range strings.SplitSeq(names, "|") {
					r[name] = testoutput.Passed
				}
				return r
			}
			left := WithoutMoved(strings.Split(c.before, "|"), run(c.before), run(c.now), []testintegrity.Move{c.move})
			if got := strings.Join(left, "|"); got != c.left {
				t.Errorf("left %q, want %q", got, c.left)
			}
		})
	}
}
