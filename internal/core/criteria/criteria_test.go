package criteria

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCheckboxesAreCriteria(t *testing.T) {
	got, err := Parse(strings.Join([]string{
		"# Title", "", "Some - [ ] text", "- [ ] AC-01: parse mail", "* [x] **AC-02**: keep it", "+ [X] third, by position",
		"- [] none", "- [ ]none", "- [ ] ", "-[ ] none", "1. [ ] AC-10 – numbered", "  - [ ] nested one", "```", "- [ ] AC-99: in a fence", "```",
		"~~~md", "```", "- [ ] also fenced", "~~~", "- [ ] AC-x: named by position\r",
	}, "\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Criterion{
		{"AC-01", "parse mail", false, 4}, {"AC-02", "keep it", true, 5}, {"AC-03", "third, by position", true, 6},
		{"AC-10", "numbered", false, 11}, {"AC-05", "nested one", false, 12}, {"AC-06", "AC-x: named by position", false, 20},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTwoOfOneNameAreAnError(t *testing.T) {
	_, err := Parse("- [ ] AC-02: a\n- [ ] b\n- [x] AC-2: c")
	if err == nil || err.Error() != "line 3: the criterion AC-2 appears twice, first on line 1" {
		t.Errorf("got %v", err)
	}
}

func TestANameThatIsTakenIsNotGivenAgain(t *testing.T) {
	marked, err := Parse("- [ ] AC-01: `warp` prints\n- [ ] **AC-02:** `x` is *new*\n- [ ] `AC-03` – **both**\n- [ ] AC-04: __init__ runs\n")
	if err != nil || len(marked) != 4 || marked[0].Text != "`warp` prints" || marked[1].Text != "`x` is *new*" || marked[2].Text != "**both**" || marked[3].Text != "__init__ runs" {
		t.Errorf("marked up: %+v, %v", marked, err)
	}
	got, err := Parse("- [ ] plain\n- [ ] AC-01: named\n- [ ] other\n- [ ] AC-3: three\n")
	var ids []string
	for _, c := range got {
		ids = append(ids, c.ID)
	}
	if want := "AC-02 AC-01 AC-04 AC-3"; err != nil || strings.Join(ids, " ") != want {
		t.Errorf("%v, %v, want %s", ids, err, want)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("- [ ] AC-01: x\n* [x] y\n```\n1. [ ] z")
	f.Add("- [x] AC-1–")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Parse(text)
		if err != nil {
			return
		}
		for _, c := range list {
			if c.ID == "" || c.Line < 1 || strings.ContainsAny(c.ID, " \n") {
				t.Fatalf("%q: %+v", text, c)
			}
		}
	})
}
