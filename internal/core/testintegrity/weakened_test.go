package testintegrity

import (
	"fmt"
	"strings"
	"testing"
)

// edit is one case: a test file before and after, and the kinds of finding that
// are due, in order; none for a harmless edit.
type edit struct {
	name   string
	before string
	after  string
	want   string
}

// runEdits checks each edit on the file at path. Absent content is "-".
func runEdits(t *testing.T, path string, edits []edit) {
	t.Helper()
	for _, e := range edits {
		t.Run(e.name, func(t *testing.T) {
			got := FindWeakened([]Change{{Path: path, Before: content(e.before), After: content(e.after)}})
			if kinds(got) != e.want {
				t.Errorf("got %v\nwant %q", got, e.want)
			}
		})
	}
}

func content(s string) []byte {
	if s == "-" {
		return nil
	}
	return []byte(s)
}

func kinds(findings []Finding) string {
	var ks []string
	for _, f := range findings {
		ks = append(ks, f.Kind)
	}
	return strings.Join(ks, " ")
}

// atLeast guards the tables against being thinned out themselves.
func atLeast(t *testing.T, attacks, harmless []edit, minAttacks, minHarmless int) {
	t.Helper()
	if len(attacks) < minAttacks || len(harmless) < minHarmless {
		t.Errorf("%d attacks and %d harmless edits, want %d and %d", len(attacks), len(harmless), minAttacks, minHarmless)
	}
	for _, e := range attacks {
		if e.want == "" {
			t.Errorf("attack %q expects nothing", e.name)
		}
	}
	for _, e := range harmless {
		if e.want != "" {
			t.Errorf("harmless edit %q expects %s", e.name, e.want)
		}
	}
}

func TestWeakenedNothing(t *testing.T) {
	if got := FindWeakened(nil); len(got) != 0 {
		t.Errorf("no change: %v", got)
	}
	same := []byte("package a\nfunc TestA(t *testing.T) { t.Fatal(1) }\n")
	if got := FindWeakened([]Change{{Path: "a_test.go", Before: same, After: same}}); len(got) != 0 {
		t.Errorf("no difference: %v", got)
	}
	if got := FindWeakened([]Change{{Path: "a_test.go"}}); len(got) != 0 {
		t.Errorf("no content: %v", got)
	}
}

func TestWeakenedNamesTheTest(t *testing.T) {
	got := FindWeakened([]Change{{
		Path:   "a_test.go",
		Before: []byte("func TestSum(t *testing.T) { if a != 1 { t.Error(1) }; if b != 2 { t.Error(2) } }"),
		After:  []byte("func TestSum(t *testing.T) { t.Skip(); if a != 1 { t.Error(1) } }"),
	}})
	want := []Finding{{Path: "a_test.go", Kind: "skipped", Detail: "TestSum: 1 skip marker more"}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestWeakenedSortsByPath(t *testing.T) {
	gone := []byte("describe it")
	got := FindWeakened([]Change{
		{Path: "b_spec.rb", Before: gone}, {Path: "a_test.go", Before: []byte("func TestA(t *testing.T) { t.Fail() }")},
		{Path: "c_spec.rb", Before: gone},
	})
	var paths []string
	for _, f := range got {
		paths = append(paths, f.Path)
	}
	if p := strings.Join(paths, " "); p != "a_test.go b_spec.rb c_spec.rb" {
		t.Errorf("got %s", p)
	}
}

func TestWeakenedCutsLongNames(t *testing.T) {
	name := strings.Repeat("é", 400)
	got := FindWeakened([]Change{{Path: "a.test.js", Before: []byte("it('" + name + "', () => { expect(a).toBe(1) })"), After: []byte("// none")}})
	if len(got) != 1 || len(got[0].Detail) > 200 {
		t.Errorf("got %v", got)
	}
}

// Every language of the table knows its markers, and not those in comments.
func TestMarkers(t *testing.T) {
	for path, markers := range map[string][]string{
		"a_spec.rb":         {"xit 'adds' do", "  skip 'later'", "  pending", "fdescribe 'x' do", "it 'adds', skip: true do"},
		"a_test.exs":        {"@tag :skip", "@moduletag :skip"},
		"a.bats":            {"  skip 'later'"},
		"ATests.cs":         {"[Fact(Skip = \"later\")]", "[Ignore]", "Assert.Ignore();"},
		"ATest.php":         {"$this->markTestSkipped('later');", "self::markTestIncomplete();"},
		"ATests.swift":      {"throw XCTSkip()", "@Test(.disabled())"},
		"a_test.dart":       {"}, skip: true);", "@Skip('later')", "}, solo: true);"},
		"a_test.cc":         {"GTEST_SKIP();", "TEST(Sum, DISABLED_Adds) {", "#if 0"},
		"ATest.groovy":      {"@Ignore", "@Disabled('later')"},
		"a.test.ts":         {"describe.concurrent.skip('a', f)", "test.fixme()", "describe.only('a', f)", "fit('a', f)"},
		"ATest.java":        {"assumeThat(x, is(y));", "@org.junit.jupiter.api.Disabled"},
		"test_a.py":         {"@skip('later')", "pytestmark = pytest.mark.skipif(x)", "raise SkipTest"},
		"tests/a.rs":        {"#[cfg_attr(ci, ignore)]"},
		"a_test.go":         {"s.T().Skip()", "tb.SkipNow()"},
		"tests/conftest.py": {"collect_ignore_glob = ['*']"},
	} {
		comment := "// "
		switch extension(path) {
		case "rb", "exs", "bats", "py":
			comment = "# "
		}
		const before = "a = 1\n"
		for _, marker := range markers {
			if got := FindWeakened([]Change{{Path: path, Before: []byte(before), After: []byte(before + marker + "\n")}}); kinds(got) != "skipped" {
				t.Errorf("%s: %s: got %v", path, marker, got)
			}
			if got := FindWeakened([]Change{{Path: path, Before: []byte(before), After: []byte(before + comment + marker + "\n")}}); len(got) != 0 {
				t.Errorf("%s: %s in a comment: got %v", path, marker, got)
			}
		}
	}
}

// Another test in the place of one is a rename, but where a conflict was resolved it may
// be the other side's: then one of them is lost.
func TestAResolvedConflictKeepsTheTestsOfBothSides(t *testing.T) {
	change := Change{Path: "real.test.js", Before: []byte("test(\"one\", () => { expect(one()).toBe(1) })\n"), After: []byte("test(\"two\", () => { expect(two()).toBe(2) })\n")}
	if found := FindWeakened([]Change{change}); len(found) != 0 {
		t.Errorf("renamed: %v", found)
	}
	if found := FindWeakened([]Change{change}, "real.test.js"); len(found) != 1 || found[0].Kind != "removed" {
		t.Errorf("resolved: %v", found)
	}
}
