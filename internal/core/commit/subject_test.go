package commit

import (
	"strings"
	"testing"
	"unicode/utf8"
)

var (
	conventional = StyleOf([]string{"fix: handle a missing flag", "docs: name all flags (#4)", "feat!: drop the old API", "fix: one", "fix: two", "Merge branch 'x'"})
	scoped       = StyleOf([]string{"fix(parser): Handle tabs", "feat(cli): Print help", "chore: Release 2.0", "fix: One", "fix: Two"})
	plain        = StyleOf([]string{"Fix the docs", "Add support for time.Time (#12)", "feat: one of another kind", "Bump the version", "Keep the order (#7)", "Old (#7)", "Old (#7, try 2)"})
	unknown      = StyleOf([]string{"start", "more"})
)

func TestSubjectsInTheProjectsStyle(t *testing.T) {
	for _, c := range []struct {
		name  string
		style Style
		work  Work
		want  string
	}{
		{"as proposed", conventional, Work{Said: []string{"feat: suggest a similar flag"}, Issue: "7"}, "feat: suggest a similar flag (#7)"},
		{"an unknown style is conventional", unknown, Work{Said: []string{"Suggest a similar flag"}, Issue: "7"}, "feat: Suggest a similar flag (#7)"},
		{"no type where all have one", conventional, Work{Said: []string{"Fix the order of flags"}, Issue: "7"}, "fix: fix the order of flags (#7)"},
		{"the issue's kind", conventional, Work{Said: []string{"Order the flags"}, Kind: "fix", Issue: "7"}, "fix: order the flags (#7)"},
		{"a type where none has one", plain, Work{Said: []string{"feat(cli): suggest a similar flag"}, Issue: "7"}, "Suggest a similar flag (#7)"},
		{"a scope where none has one", conventional, Work{Said: []string{"fix(flags): keep the order"}, Issue: "7"}, "fix: keep the order (#7)"},
		{"a scope where there are some", scoped, Work{Said: []string{"fix(flags): keep the order"}, Issue: "7"}, "fix(flags): Keep the order (#7)"},
		{"a type in capitals", conventional, Work{Said: []string{"Feat: Suggest a similar flag"}, Issue: "7"}, "feat: suggest a similar flag (#7)"},
		{"names keep their letters", conventional, Work{Said: []string{"feat: GitHub logins work"}, Issue: "7"}, "feat: GitHub logins work (#7)"},
		{"its own number behind it", conventional, Work{Said: []string{"feat: suggest a similar flag (#7)"}, Issue: "7"}, "feat: suggest a similar flag (#7)"},
		{"the next proposal", conventional, Work{Said: []string{"feat: x.", "fix: keep the order"}, Issue: "7"}, "fix: keep the order (#7)"},
		{"one that another commit has", plain, Work{Said: []string{"Keep the order"}, Title: "Flags", Issue: "7", Part: "part 2 of 2"}, "Flags (#7, part 2 of 2)"},
		{"no proposal", conventional, Work{Title: "Suggest a similar flag.", Issue: "7"}, "feat: suggest a similar flag (#7)"},
		{"no proposal, several chunks", plain, Work{Title: "suggest a similar flag", Issue: "7", Part: "part 1 of 2"}, "Suggest a similar flag (#7, part 1 of 2)"},
		{"no proposal, conventional title", plain, Work{Title: "fix(cli): hold the order", Issue: "7"}, "Hold the order (#7)"},
		{"a long title stays whole", plain, Work{Title: "Suggest a similar flag when a long flag is not known to the program", Issue: "1234"}, "Suggest a similar flag when a long flag is not known to the program (#1234)"},
		{"a person is mentioned", plain, Work{Said: []string{"Show @ada what fails"}, Issue: "7"}, "Show (at)ada what fails (#7)"},
		{"a title that earlier drives used", plain, Work{Title: "Old", Issue: "7"}, "Old (#7, try 3)"},
		{"nothing", plain, Work{}, "Update"},
	} {
		if got := c.style.Subject(c.work); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	long := plain.Subject(Work{Title: strings.Repeat("wordy ", 60), Issue: "7"})
	if utf8.RuneCountInString(long) > 110 || !strings.HasSuffix(long, "wordy… (#7)") {
		t.Errorf("%q", long)
	}
}

func TestFormOfAProposal(t *testing.T) {
	for said, want := range map[string]string{
		"feat: suggest a similar flag": "", "Suggest a similar flag": "", "parser: keep tabs": "", "実装を追加する方法を説明します": "",
		"":                              "empty",
		"add one\nand two":              "several lines",
		"add one\x1b[31m":               "control",
		"add \u202egnp":                 "control",
		strings.Repeat("long ", 13):     "longer than 60",
		"Add one.":                      "period",
		"Fixes #12 at last":             "names an issue",
		"Fix the bug of GH-12":          "names an issue",
		"See https://example.org/x now": "names an issue",
		"Merge branch main":             "another kind",
		"fixup! add one":                "another kind",
		"wip: half of it":               "another kind",
		"feat: done":                    "one word",
	} {
		if got := formOf(said); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}

func TestMessage(t *testing.T) {
	said := "## What I did\nAn unknown long flag now names the closest known one, if at most two letters of it differ.\n\n- the distance is counted\n  in letters, not in bytes, so that flags in other scripts are found as well\n- AC-02: tests\n```go\nx\n```\nWarp-Drive: #9 chunk 1/1 session 5\nFixes #3 for @ada"
	want := `feat: x (#1)

What I did
An unknown long flag now names the closest known one, if at most two
letters of it differ.

- the distance is counted in letters, not in bytes, so that flags in
  other scripts are found as well
- AC-02 tests

x

Warp-Drive no. 9 chunk 1/1 session 5 Fixes no. 3 for (at)ada

AC-01: Flags work, fixes no. 3
Refs: #1
`
	if got := Message("feat: x (#1)", said, Trailer("AC-01", "Flags\nwork, fixes #3"), "Refs: #1"); got != want {
		t.Errorf("got:\n%s", got)
	}
	if got := Message("feat: x", " \n", "Refs: #1"); got != "feat: x\n\nRefs: #1\n" {
		t.Errorf("%q", got)
	}
	if body := body(strings.Repeat("A sentence of words. ", 5000)); utf8.RuneCountInString(body) > maxBody+50 || !strings.Contains(body, "…") {
		t.Errorf("%d characters", len(body))
	}
}

func FuzzSubject(f *testing.F) {
	f.Add("feat(a)!: b c", "Title")
	f.Fuzz(func(t *testing.T, said, title string) {
		for _, s := range []Style{conventional, scoped, plain, unknown} {
			got := s.Subject(Work{Said: []string{said}, Title: title, Issue: "1"})
			if strings.ContainsAny(got, "\r\n\x1b") || !strings.HasSuffix(got, " (#1)") || utf8.ValidString(said) && utf8.ValidString(title) && !utf8.ValidString(got) {
				t.Fatalf("%q, %q: %q", said, title, got)
			}
		}
		for line := range strings.Lines(body(said)) {
			if strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "warp-drive:") {
				t.Fatalf("%q: %q", said, line)
			}
		}
	})
}

func TestWhatAnAuthorSays(t *testing.T) {
	for message, want := range map[string][2]string{
		"feat: a (#1)\n": {"feat: a (#1)", ""},
		"feat: a\n\nIt is kept.\n\nAC-01: one\nRefs: #1\n":    {"feat: a", "It is kept."},
		"feat: a\n\nAC-01: one\nRefs: #1\n":                   {"feat: a", ""},
		"feat: a\n\nOne.\n\n- two\n- three: yes\n":            {"feat: a", "One.\n\n- two\n- three: yes"},
		"Merge\n\nIt says: this\nand more\n\nReviewed-by: me": {"Merge", "It says: this\nand more"},
	} {
		if subject, said := Split(message); subject != want[0] || said != want[1] {
			t.Errorf("%q: %q, %q", message, subject, said)
		}
	}
	if list := Parts("# A title\nof words\n> quoted\nmore\n\n#12 is kept\n- one\n  two"); strings.Join(list, "|") != "A title|of words quoted more||#12 is kept|- one two" {
		t.Errorf("%q", list)
	}
}
