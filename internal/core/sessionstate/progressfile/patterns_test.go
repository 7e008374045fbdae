package progressfile

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func lessons(texts ...string) (list []Pattern) {
	for i, text := range texts {
		list = append(list, Pattern{ID: fmt.Sprintf("%012x", i+1), Text: text})
	}
	return list
}

func TestPatternsAreReplacedAndWhatOthersWroteStays(t *testing.T) {
	text := Add(New("a", "make test"), login())
	text = strings.Replace(text, "implementation)\n", "implementation)\n- Errors are wrapped ONCE.\n", 1)
	text = SetPatterns(text, lessons("errors are wrapped once", "tables are singular", "use make gen"), 4096)
	want := `# Progress: a

Verify: make test

## Codebase Patterns
(Patterns discovered during implementation)
- Errors are wrapped ONCE.
- tables are singular <!-- learned 000000000002 -->
- use make gen <!-- learned 000000000003 -->

---
`
	if !strings.HasPrefix(text, want) || !strings.HasSuffix(text, login().String()+"\n---\n") {
		t.Errorf("%s", text)
	}
	got := SetPatterns(text, lessons("", "tables are singular"), 4096)
	if want := strings.Replace(text, "- use make gen <!-- learned 000000000003 -->\n", "", 1); got != want {
		t.Errorf("what was forgotten is there:\n%s", got)
	}
	if got := SetPatterns(text, nil, 4096); strings.Contains(got, "learned") || !strings.Contains(got, "wrapped ONCE.\n\n---\n") {
		t.Errorf("%s", got)
	}
	if got := SetPatterns(text, lessons("a pattern that has no room", "b"), 40); strings.Contains(got, "no room") || !strings.Contains(got, "- b <!--") {
		t.Errorf("%s", got)
	}
}

func TestPatternsFindTheirPlace(t *testing.T) {
	section := login().String() + "\n---\n"
	ours := "- p <!-- learned 000000000001 -->"
	for text, want := range map[string]string{
		"# x\n\n---\n\n" + section: "# x\n\n---\n\n## Codebase Patterns\n" + ours + "\n\n---\n\n" + section,
		section:                    "## Codebase Patterns\n" + ours + "\n\n---\n\n" + section,
		"# x\n\n## Codebase Patterns\n\n## Notes\n- mine\n\n---\n\n" + section: "# x\n\n## Codebase Patterns\n" + ours + "\n\n## Notes\n- mine\n\n---\n\n" + section,
		section + "\n## Codebase Patterns\n- mine\n":                           section + "\n## Codebase Patterns\n- mine\n" + ours + "\n",
	} {
		if got := SetPatterns(text, lessons("p"), 4096); got != want {
			t.Errorf("%s\nbecomes\n%s", text, got)
		}
	}
}

func TestALessonStandsInOneSectionOnly(t *testing.T) {
	text := SetPatterns(New("a", ""), lessons("known before"), 4096)
	one := Section{Iteration: 1, At: day, Learnings: []string{"Known, before", "new", "NEW.", "!?"}}
	two := Section{Iteration: 2, At: day, Learnings: []string{"new?", "newer"}}
	text = Add(Add(text, one), two)
	if n := strings.Count(text, "- Learning: "); n != 2 || !strings.Contains(text, "<!-- iteration 1 -->\n- Learning: new\n") || !strings.Contains(text, "<!-- iteration 2 -->\n- Learning: newer\n") {
		t.Errorf("%s", text)
	}
}

// Whatever stands in a file and whatever is learned: nothing of the file is lost, what
// is ours is bounded, said once, and can be taken out again.
// A line of dashes above our pattern becomes a rule when the pattern goes.
func TestDashesAboveAPattern(t *testing.T) {
	text := "## Codebase Patterns\n---\n- x <!-- learned 0123456789ab -->\n## Earlier\n- Learning: a\n"
	got := SetPatterns(text, lessons("a"), 34)
	if want := "## Codebase Patterns\n- a <!-- learned 000000000001 -->\n---\n## Earlier\n- Learning: a\n"; got != want || SetPatterns(got, lessons("a"), 34) != want {
		t.Errorf("%q", got)
	}
}

func TestSetPatternsHolds(t *testing.T) {
	pieces := []string{
		"---\n", "\n", "## Codebase Patterns\n", "## Earlier\n", "## 2025-01-10 - iteration 4\n", "<!-- iteration 4 -->\n", "- a pattern\n", "- Learning: a\n",
		"# Progress: a\n", "## ", "text", "- x <!-- learned 0123456789ab -->\n", "- ", "\xff", "---",
	}
	words := rapid.SampledFrom([]string{"a", "a pattern", "b.", "B", "<!-- learned 0123456789ab -->", "---\n## Codebase Patterns", "", strings.Repeat("long ", 200), "\x1b[2J"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 40).Draw(t, "pieces"), "")
		list := lessons(rapid.SliceOfN(words, 0, 6).Draw(t, "lessons")...)
		most := rapid.IntRange(0, 500).Draw(t, "most")
		got := SetPatterns(text, list, most)
		if again := SetPatterns(got, list, most); again != got {
			t.Fatalf("not the same again:\n%q\n%q", got, again)
		}
		for l := range strings.Lines(text) {
			if l = strings.Trim(l, "\n"); !promoted.MatchString(l) && !strings.Contains(got, l) {
				t.Fatalf("%q is lost: %q", l, got)
			}
		}
		n := 0
		for _, p := range list {
			if l := p.line(); strings.Contains(got, l+"\n") || strings.HasSuffix(got, l) {
				n += len(l) + 1
			}
		}
		if n > most {
			t.Fatalf("%d bytes of %d: %q", n, most, got)
		}
		without := SetPatterns(got, nil, most)
		for _, p := range list {
			if strings.Contains(without, p.line()) {
				t.Fatalf("%q stays: %q", p.line(), without)
			}
		}
	})
}
