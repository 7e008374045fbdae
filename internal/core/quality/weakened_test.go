package quality

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
			got := Weakened([]Change{{Path: path, Before: content(e.before), After: content(e.after)}})
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
	if got := Weakened(nil); len(got) != 0 {
		t.Errorf("no change: %v", got)
	}
	same := []byte("package a\nfunc TestA(t *testing.T) { t.Fatal(1) }\n")
	if got := Weakened([]Change{{Path: "a_test.go", Before: same, After: same}}); len(got) != 0 {
		t.Errorf("no difference: %v", got)
	}
	if got := Weakened([]Change{{Path: "a_test.go"}}); len(got) != 0 {
		t.Errorf("no content: %v", got)
	}
}

func TestWeakenedNamesTheTest(t *testing.T) {
	got := Weakened([]Change{{
		Path:   "a_test.go",
		Before: []byte("func TestSum(t *testing.T) { if a != 1 { t.Error(1) }; if b != 2 { t.Error(2) } }"),
		After:  []byte("func TestSum(t *testing.T) { if a != 1 { t.Error(1) } }"),
	}})
	want := []Finding{{Path: "a_test.go", Kind: "weakened", Detail: "TestSum: assertions went from 2 to 1", Tests: []string{"TestSum"}}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}

func TestWeakenedSortsByPath(t *testing.T) {
	gone := []byte("describe it")
	got := Weakened([]Change{
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
	got := Weakened([]Change{{Path: "a.test.js", Before: []byte("it('" + name + "', () => { expect(a).toBe(1) })"), After: []byte("// none")}})
	if len(got) != 1 || len(got[0].Detail) > 200 {
		t.Errorf("got %v", got)
	}
}
