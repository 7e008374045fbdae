package criteria

import (
	"slices"
	"strings"
	"testing"
)

func TestMatchesAny(t *testing.T) {
	for _, c := range []struct {
		pattern, path string
		want          bool
	}{
		{"a_test.go", "a_test.go", true}, {"a_test.go", "x/a_test.go", false}, {"./a_test.go", "a_test.go", true}, {"a_test.go", "./a_test.go", true},
		{"tests/", "tests/a/b.py", true}, {"tests/", "tests", false}, {"tests", "tests/a.py", false}, {"tests/*", "tests/a.py", true}, {"tests/*", "tests/a/b.py", false},
		{"**/a_test.go", "a_test.go", true}, {"**/a_test.go", "x/y/a_test.go", true}, {"tests/**", "tests/a/b", true}, {"tests/**/b", "tests/b", true},
		{"a/**/b/**/c", "a/x/b/y/z/c", true}, {"a/**/b/**/c", "a/x/b/y/z/d", false}, {"**", "x/y", true}, {"**/*.snap", "x/y.snap", true},
		{"*.snap", "x/y.snap", false}, {"[", "[", true}, {"[", "x", false}, {"", "x", false}, {"x", "", false}, {"a b", "a b", true}, {`x/y`, `x\y`, true},
		{"a", "a/b", false}, {"a/b", "a", false},
	} {
		if got := MatchesAny([]string{"nothing", c.pattern}, c.path); got != c.want {
			t.Errorf("%q, %q: %v", c.pattern, c.path, got)
		}
	}
	if MatchesAny(nil, "x") {
		t.Error("an empty list names nothing")
	}
}

func TestAllowedTestChanges(t *testing.T) {
	for criterion, want := range map[string][]string{
		"The parser reads floats.":                                            {},
		"allow-test-change: parser_test.go":                                   {"parser_test.go"},
		"Remove it.\n  allow-test-change: tests/old/\n- Allow-Test-Change: x": {"tests/old/", "x"},
		"Drop v1 (allow-test-change: v1/**).":                                 {"v1/**"},
		"Drop v1, `allow-test-change: a_test.go`, and more":                   {"a_test.go"},
		"allow-test-change: `my tests/a.py`, b.py, ./c.py":                    {"my tests/a.py", "b.py", "c.py"},
		"**allow-test-change:** a.py.":                                        {"a.py"},
		"allow-test-change: a.py allow-test-change: a.py":                     {"a.py"},
		"disallow-test-change: a.py":                                          {},
		"allow-test-change:":                                                  {},
		"allow-test-change: /etc/passwd, ../x, C:\\x, a/../../b":              {},
		"allow-test-changes: a.py":                                            {},
	} {
		if got := AllowedTestChanges([]string{criterion}); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", criterion, got, want)
		}
	}
}

func FuzzAllowedTestChanges(f *testing.F) {
	f.Add("allow-test-change: `a b`, c")
	f.Fuzz(func(t *testing.T, text string) {
		for _, p := range AllowedTestChanges([]string{text}) {
			if !IsInTree(p) {
				t.Fatalf("%q leaves the tree", p)
			}
			MatchesAny([]string{p}, text)
		}
	})
}

// What is advised is read.
func TestExplainAllowing(t *testing.T) {
	paths := []string{"a_test.go", "my tests/b.py", "c,d.sh", "e."}
	if got := AllowedTestChanges([]string{"It is so" + ExplainAllowing(paths)}); !slices.Equal(got, paths) {
		t.Errorf("got %q", got)
	}
	if got := ExplainAllowing(nil); !strings.HasSuffix(got, "allow-test-change: PATH") {
		t.Error(got)
	}
}
