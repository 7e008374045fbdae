package criteria

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// Each text has exactly the criteria that are named; what must not be taken for
// one says so.
func TestCheckboxesInAnyMarkdown(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"every list mark", "- [ ] a\n* [ ] b\n+ [x] c\n1. [ ] d\n2) [X] e\n", []string{"a", "b", "c", "d", "e"}},
		{"nested by spaces", "- [ ] a\n  - [ ] b\n    - [ ] c\n1. x\n   1. [ ] d\n", []string{"a", "b", "c", "d"}},
		{"nested by four spaces", "1. [ ] a\n    - [ ] b\n        - [ ] c\n", []string{"a", "b", "c"}},
		{"nested by tabs", "-\t[ ] a\n\t- [ ] b\n\t\t- [ ]\tc\n", []string{"a", "b", "c"}},
		{"a nested list on the line of its item", "- 1. [ ] a\n", []string{"a"}},
		{"in quotes", "> - [ ] a\n>\n> > 1. [x] b\n>- [ ] c\n", []string{"a", "b", "c"}},
		{"a quote in a list", "- x\n  > - [ ] a\n", []string{"a"}},
		{"CRLF", "- [ ] a\r\n\r\n- [x] b\r\n```\r\n- [ ] not\r\n```\r\n", []string{"a", "b"}},
		{"without a last line end", "- [ ] a", []string{"a"}},
		{"after a blank line in a list", "- [ ] a\n\n  - [ ] b\n\ntext\n\n- [ ] c\n", []string{"a", "b", "c"}},
		{"after a paragraph that goes on lazily", "- x\ny\n    - [ ] a\n", []string{"a"}},
		{"fences", "```\n- [ ] not\n~~~\n- [ ] not\n```\n~~~~ md\n- [ ] not\n~~~\n- [ ] not\n~~~~\n- [ ] a\n", []string{"a"}},
		{"a fence with backticks in its line is none", "``` `x`\n- [ ] a\n", []string{"a"}},
		{"a fence is not ended by one with words", "```\n``` go\n- [ ] not\n", nil},
		{"a fence in a list ends with its item", "- ```\n  - [ ] not\n- [ ] a\n", []string{"a"}},
		{"a fence in a quote ends with it", "> ```\n> - [ ] not\n- [ ] a\n", []string{"a"}},
		{"indented code", "text\n\n    - [ ] not\n\n- x\n\n      - [ ] not\n- [ ] a\n", []string{"a"}},
		{"code in an item", "-     [ ] not\n", nil},
		{"a paragraph that goes on", "text\n    - [ ] not\n", nil},
		{"comments", "<!-- - [ ] not -->\n<!--\n- [ ] not\n\n- [ ] not\n--> - [ ] not\n- [ ] a <!-- b -->\n", []string{"a <!-- b -->"}},
		{"a comment in an item", "- <!--\n  - [ ] not\n  -->\n- [ ] a\n", []string{"a"}},
		{"preformatted text", "<pre>\n- [ ] not\n</pre>\n- [ ] a\n", []string{"a"}},
		{"a line across the page", "* * *\n    - [ ] not\n- - -\n- [ ] a\n", []string{"a"}},
		{"no checkbox", "- [] not\n- [y] not\n- [ ]not\n-[ ] not\n- x [ ] not\n1.[ ] not\n[ ] not\n1234567890. [ ] not\n- [ ]\t\n", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			list, err := Parse(test.text)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range list {
				got = append(got, c.Text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCheckChangesOneByte(t *testing.T) {
	const text = "> 1) [X] AC-07: x\r\n\n\t- [ ] not\n- [ ] b\n"
	for _, test := range []struct {
		id   string
		done bool
		want string
	}{
		{"AC-02", true, "> 1) [X] AC-07: x\r\n\n\t- [ ] not\n- [x] b\n"},
		{"AC-07", false, "> 1) [ ] AC-07: x\r\n\n\t- [ ] not\n- [ ] b\n"},
		{"AC-07", true, text},
		{"AC-02", false, text},
	} {
		got, err := Check(text, test.id, test.done)
		if err != nil || got != test.want {
			t.Errorf("%s %v: %q, %v", test.id, test.done, got, err)
		}
	}
	for text, why := range map[string]string{
		"- [ ] a\n- [ ] b\n":             "there is no criterion AC-09; the text has AC-01, AC-02",
		"none":                           "there is no criterion AC-09: the text has no checkboxes (- [ ] …)",
		"- [ ] AC-09: a\n- [ ] AC-09: b": "line 2: the criterion AC-09 appears twice, first on line 1",
	} {
		if got, err := Check(text, "AC-09", true); err == nil || err.Error() != why || got != "" {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// holds checks every box of a text off and on again.
func holds(t interface{ Fatalf(string, ...any) }, text string) {
	list, err := Parse(text)
	if err != nil {
		return
	}
	ids := func(text string) (ids []string) {
		list, err := Parse(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, c := range list {
			ids = append(ids, c.ID+" "+c.Text)
		}
		return ids
	}
	for i, c := range list {
		other, err := Check(text, c.ID, !c.Done)
		if err != nil {
			t.Fatalf("%q, %s: %v", text, c.ID, err)
		}
		if n := differ(text, other); n != 1 {
			t.Fatalf("%q, %s: %d bytes changed: %q", text, c.ID, n, other)
		}
		if !slices.Equal(ids(text), ids(other)) {
			t.Fatalf("%q, %s: the names moved: %q", text, c.ID, other)
		}
		if after, _ := Parse(other); after[i].Done == c.Done || after[i].Line != c.Line {
			t.Fatalf("%q, %s: another box: %q", text, c.ID, other)
		}
		back, err := Check(other, c.ID, c.Done)
		if err != nil || strings.ReplaceAll(back, "[x]", "[X]") != strings.ReplaceAll(text, "[x]", "[X]") || !c.Done && back != text {
			t.Fatalf("%q, %s: came back as %q, %v", text, c.ID, back, err)
		}
	}
}

func differ(a, b string) int {
	if len(a) != len(b) {
		return -1
	}
	n := 0
	for i := range len(a) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

func TestAnyBoxComesBackByteForByte(t *testing.T) {
	piece := rapid.SampledFrom([]string{"- ", "* ", "1. ", "[ ] ", "[x] ", "[X] ", "AC-02: ", "a", "> ", "  ", "    ", "\t", "\n", "\r\n", "```", "~~~", "<!--", "-->", "é", "\x00", "<pre>", "</pre>", "# ", "---"})
	rapid.Check(t, func(t *rapid.T) {
		holds(t, strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), ""))
	})
}

func FuzzCheck(f *testing.F) {
	f.Add("- [ ] AC-01: x\n* [x] y\n```\n1. [ ] z")
	f.Add("> - <!-- \t- [X] a\r\n-->\n>\t1)\t[ ] b")
	f.Fuzz(func(t *testing.T, text string) { holds(t, text) })
}

func TestProseIsWhatIsNeitherCodeNorComment(t *testing.T) {
	var got []string
	for line := range Prose("# a\n> - b\r\n```\nnot\n```\n    not\n<!-- not -->\n- [ ] c\nd\n    e\n") {
		got = append(got, line)
	}
	if diff := cmp.Diff([]string{"# a", "b", "[ ] c", "d", "e"}, got); diff != "" {
		t.Error(diff)
	}
}

// A text made to be costly is not.
func TestDeepNestingIsBounded(t *testing.T) {
	text := strings.Repeat("- + ", 50_000) + "[ ] a\n" + strings.Repeat("\n", 50_000) + "- [ ] b\n"
	if list, err := Parse(text); err != nil || len(list) != 1 || list[0].Text != "b" {
		t.Errorf("%v, %v", list, err)
	}
}
