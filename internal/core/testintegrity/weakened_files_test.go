package testintegrity

import "testing"

const (
	goA    = "package a\nfunc TestA(t *testing.T) { require.Equal(t, 11, A(\"one\")); require.Equal(t, 22, A(\"two\")) }\n"
	goB    = "package a\nfunc TestB(t *testing.T) { require.Equal(t, 33, B(\"three\")) }\n"
	goHelp = "package a\nfunc newServer(t *testing.T) *Server { return start(t) }\n"
	pyA    = "def test_a():\n    assert a(5) == 6\n"
)

// Whole diffs: what happens to one file is judged in the light of the others.
func TestWeakenedFiles(t *testing.T) {
	for _, c := range []struct {
		name    string
		changes []Change
		want    string
	}{
		{"deleted in every language", []Change{
			{Path: "a_spec.rb", Before: []byte("it")}, {Path: "b.bats", Before: []byte("@test")}, {Path: "CTests.cs", Before: []byte("[Fact]")},
			{Path: "DTest.php", Before: []byte("<?php")}, {Path: "ETests.swift", Before: []byte("func test")},
			{Path: "testdata/script/f.txtar", Before: []byte("exec f")}, {Path: "test/g.c", Before: []byte("int main")},
		}, "deleted deleted deleted deleted deleted deleted deleted"},
		{"blanked in a language that is not read", []Change{{Path: "a_spec.rb", Before: []byte("it"), After: []byte("\n\t")}}, "emptied"},
		{"was blank already", []Change{{Path: "a_spec.rb", Before: []byte(" "), After: []byte("")}}, ""},
		{"skipped in a language whose tests are not read", []Change{{Path: "a_spec.rb", Before: []byte("it"), After: []byte("xit")}}, "skipped"},
		{"no test deleted", []Change{{Path: "a.rb", Before: []byte("x")}, {Path: "tests/fixtures/a.json", Before: []byte("{}")},
			{Path: "src/__snapshots__/a.test.ts.snap", Before: []byte("x")}, {Path: "conftest.py", Before: []byte("x = 1")}}, ""},

		{"renamed to a test", []Change{{Path: "y_test.go", OldPath: "x_test.go", Before: []byte(goA), After: []byte(goA)}}, ""},
		{"renamed to no test", []Change{{Path: "x_test.go.bak", OldPath: "x_test.go", Before: []byte(goA), After: []byte(goA)}}, "deleted"},
		{"renamed to testdata", []Change{{Path: "testdata/x_test.go", OldPath: "x_test.go", Before: []byte(goA), After: []byte(goA)}}, "deleted"},
		{"renamed to no test in another language", []Change{{Path: "a.rb", OldPath: "a_spec.rb", Before: []byte("it"), After: []byte("it")}}, "deleted"},
		{"renamed to another system", []Change{{Path: "x_windows_test.go", OldPath: "x_test.go", Before: []byte(goA), After: []byte(goA)}}, "skipped"},
		{"renamed to what pytest leaves out", []Change{{Path: "tests/old_a.py", OldPath: "tests/test_a.py", Before: []byte(pyA), After: []byte(pyA)}}, "skipped"},
		{"moved to what pytest leaves out", []Change{{Path: "tests/test_a.py", Before: []byte(pyA)}, {Path: "tests/old_a.py", After: []byte(pyA)}}, "skipped"},
		{"renamed to what go test leaves out", []Change{{Path: "test/x.go", OldPath: "x_test.go", Before: []byte(goA), After: []byte(goA)}}, "skipped"},
		{"renamed to what jest leaves out", []Change{{Path: "test/a.js", OldPath: "test/a.test.js", Before: []byte("it('a', () => { expect(f(1)).toBe(2) })"), After: []byte("it('a', () => { expect(f(1)).toBe(2) })")}}, "skipped"},
		{"renamed to what jest collects", []Change{{Path: "__tests__/a.js", OldPath: "test/a.test.js", Before: []byte("it('a', () => { expect(f(1)).toBe(2) })"), After: []byte("it('a', () => { expect(f(1)).toBe(2) })")}}, ""},
		{"a rename that is not marked", []Change{{Path: "a_spec.rb", Before: []byte("it")}, {Path: "b_spec.rb", After: []byte("it")}}, ""},
		{"one copy for two files", []Change{{Path: "a_spec.rb", Before: []byte("it")}, {Path: "b_spec.rb", Before: []byte("it")},
			{Path: "c_spec.rb", After: []byte("it")}}, "deleted"},
		{"copied over another test", []Change{{Path: "a_spec.rb", Before: []byte("it")}, {Path: "b_spec.rb", Before: []byte("other"), After: []byte("it")}}, "deleted"},
		{"copied to a kind of file no one reads", []Change{{Path: "a_spec.rb", Before: []byte("it")}, {Path: "test/a.sh", After: []byte("it")}}, "deleted"},

		{"test moved to another file", []Change{{Path: "x_test.go", Before: []byte(goA + goB[10:]), After: []byte(goA)}, {Path: "y_test.go", After: []byte(goB)}}, ""},
		{"all tests moved", []Change{{Path: "x_test.go", Before: []byte(goA + goB[10:])},
			{Path: "a_test.go", After: []byte(goA)}, {Path: "b_test.go", After: []byte(goB)}}, ""},
		{"all tests moved out of a blank file", []Change{{Path: "x_test.go", Before: []byte(goA), After: []byte("")}, {Path: "a_test.go", After: []byte(goA)}}, ""},
		{"some tests moved", []Change{{Path: "x_test.go", Before: []byte(goA + goB[10:])}, {Path: "b_test.go", After: []byte(goB)}}, "deleted"},
		{"moved behind a constraint", []Change{{Path: "x_test.go", Before: []byte(goA)}, {Path: "y_test.go", After: []byte("//go:build slow\n" + goA)}}, "skipped"},
		{"moved to a file that is no test", []Change{{Path: "x_test.go", Before: []byte(goA), After: []byte("package a\n")}, {Path: "x.go", After: []byte(goA)}}, "removed"},
		{"helpers moved", []Change{{Path: "x_test.go", Before: []byte(goHelp)}, {Path: "y_test.go", After: []byte(goHelp + "\n")}}, ""},
		{"neither tests nor helpers deleted", []Change{{Path: "x_test.go", Before: []byte("package a\nvar x = 1\n")}}, "deleted"},
		{"helpers deleted", []Change{{Path: "x_test.go", Before: []byte(goHelp)}, {Path: "y_test.go", After: []byte(goA)}}, "deleted"},
		{"tests moved and a helper dropped", []Change{{Path: "x_test.go", Before: []byte(goA + "func help() {}\n")}, {Path: "y_test.go", After: []byte(goA)}}, ""},
		{"inline test moved to a file", []Change{
			{Path: "src/a.rs", Before: []byte("#[cfg(test)]\nmod tests {\n#[test]\nfn a() { assert_eq!(f(9), 8); }\n}"), After: []byte("#[cfg(test)]\nmod tests;")},
			{Path: "src/a/tests.rs", After: []byte("#[test]\nfn a() { assert_eq!(f(9), 8); }")}}, ""},
		{"file of the product with tests renamed", []Change{{Path: "src/b.rs", OldPath: "src/a.rs",
			Before: []byte("#[test]\nfn a() { assert_eq!(f(9), 8); }"), After: []byte("#[test]\nfn a() { assert_eq!(f(9), 8); }")}}, ""},
		{"helper in another file of the diff", []Change{
			{Path: "help_test.go", After: []byte("package a\nfunc same(t *testing.T, a, b int) { if a != b { t.Fatal(a) } }\n")},
			{Path: "x_test.go", Before: []byte(goA), After: []byte("package a\nfunc TestA(t *testing.T) { same(t, 11, A(\"one\")); same(t, 22, A(\"two\")) }\n")}}, ""},
		{"helper the diff does not show", []Change{{Path: "x_test.go", Before: []byte(goA),
			After: []byte("package a\nfunc TestA(t *testing.T) { checkEqual(t, 11, A(\"one\")); checkEqual(t, 22, A(\"two\")) }\n")}}, ""},
		{"conftest that skips", []Change{{Path: "tests/conftest.py", Before: []byte("import pytest\n"),
			After: []byte("import pytest\ndef pytest_collection_modifyitems(items):\n    for i in items:\n        i.add_marker(pytest.mark.skip)\n")}}, "skipped"},
		{"conftest that leaves files out", []Change{{Path: "tests/conftest.py", Before: []byte("import pytest\n"),
			After: []byte("import pytest\ncollect_ignore = ['test_a.py']\n")}}, "skipped"},
		{"skip in an old helper of conftest", []Change{{Path: "conftest.py", Before: []byte("def setup():\n    go()\n"),
			After: []byte("def setup():\n    pytest.skip()\n")}}, "skipped"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := FindWeakened(c.changes); kinds(got) != c.want {
				t.Errorf("got %v\nwant %q", got, c.want)
			}
		})
	}
}

func TestDeletedNamesWhatIsLost(t *testing.T) {
	var src string
	for _, n := range []string{"A", "B", "C", "D", "E", "F", "G"} {
		src += "func Test" + n + "(t *testing.T) { require.Equal(t, " + n + "(), want" + n + ") }\n"
	}
	got := FindWeakened([]Change{{Path: "x_test.go", Before: []byte(src)}})
	want := "the test file is deleted, with 7 tests: TestA, TestB, TestC, TestD, TestE and 2 more"
	if len(got) != 1 || got[0].Detail != want {
		t.Errorf("got %v\nwant %s", got, want)
	}
	got = FindWeakened([]Change{{Path: "x.bak", OldPath: "x_test.go", Before: []byte(goB), After: []byte(goB)}})
	want = "the test file x_test.go is renamed to something that is not a test, with 1 test: TestB"
	if len(got) != 1 || got[0].Detail != want {
		t.Errorf("got %v\nwant %s", got, want)
	}
	got = FindWeakened([]Change{{Path: "x_test.go", Before: []byte(goA + goB)}, {Path: "y_test.go", After: []byte(goB)}})
	want = "the test file is deleted, with 1 test: TestA"
	if len(got) != 1 || got[0].Detail != want {
		t.Errorf("got %v\nwant %s", got, want)
	}
}
