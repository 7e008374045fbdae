package progressfile

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func long(n int, pattern string) string {
	text := strings.Replace(New("a", "make test"), "(Patterns", pattern+"\n(Patterns", 1)
	for i := range n {
		s := login()
		s.Iteration, s.Items, s.Summary = i+1, nil, fmt.Sprintf("did the %dth thing", i+1)
		text = Add(text, s)
	}
	return text
}

func TestASmallFileStays(t *testing.T) {
	if got, dropped := Condense(documented, 1<<20); got != documented || dropped != "" {
		t.Errorf("%q %q", got, dropped)
	}
}

func TestOldSectionsBecomeLinesAndTheOldestANumber(t *testing.T) {
	text := long(100, "- errors are wrapped once")
	got, dropped := Condense(text, 4096)
	if len(got) > 4096 || !strings.HasPrefix(got, "# Progress: a\n\nVerify: make test\n\n## Codebase Patterns\n- errors are wrapped once\n") {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
	if !strings.HasSuffix(text, got[strings.LastIndex(got, "## 2025"):]) || strings.Count(got, "\n## 2025") < 5 {
		t.Errorf("the newest are not whole:\n%s", got)
	}
	p := read(got)
	if n := p.lines.gone + len(p.lines.lines) + len(p.sections); n != 100 || p.lines.gone == 0 || len(p.lines.lines) == 0 {
		t.Errorf("%d of 100 are accounted for, %d gone:\n%s", n, p.lines.gone, got)
	}
	if want := fmt.Sprintf("- 2025-01-10 - iteration %d: did the %[1]dth thing <!-- iteration %[1]d -->", p.lines.gone+1); p.lines.lines[0] != want {
		t.Errorf("%q", p.lines.lines[0])
	}
	if !strings.HasPrefix(strings.TrimSpace(after(got)), "## Earlier") {
		t.Errorf("%s", after(got))
	}
	if !strings.HasPrefix(dropped, "## 2025-01-10 - iteration 1\n<!-- iteration 1 -->\n- did the 1th thing\n- Files: ") {
		t.Errorf("%s", dropped[:200])
	}
	again := login()
	again.Iteration = p.lines.gone + 1
	if Add(got, again) != got {
		t.Error("a condensed iteration was added again")
	}
}

// A file that grows and is condensed each time never loses count, and hands each
// section out once.
func TestCondensingGoesOn(t *testing.T) {
	text, full := New("a", ""), ""
	for i := range 300 {
		s := login()
		s.Iteration = i + 1
		var dropped string
		text, dropped = Condense(Add(text, s), least)
		full += dropped
	}
	p := read(text)
	if n := p.lines.gone + len(p.lines.lines) + len(p.sections); n != 300 {
		t.Errorf("%d of 300:\n%s", n, text)
	}
	for i := range 300 {
		mark := fmt.Sprintf("\n<!-- iteration %d -->\n", i+1)
		if n := strings.Count(full, mark) + strings.Count(text, mark); n != 1 {
			t.Errorf("iteration %d is there whole %d times", i+1, n)
		}
	}
}

func TestWhatSomebodyWroteAmongTheCondensedIsHandedOut(t *testing.T) {
	text := New("a", "") + "\n## Earlier\n- a note by hand\n- 2025-01-10 - iteration 1: x <!-- iteration 1 -->\n" + strings.Repeat("- more\n", 400) + "\n---\n"
	got, dropped := Condense(text, least)
	if !strings.Contains(dropped, "- a note by hand\n") || strings.Contains(dropped, "iteration 1") || !strings.Contains(got, "older ones") {
		t.Errorf("%s\n\n%s", got, dropped)
	}
}

func TestTooManyPatternsKeepTheNewest(t *testing.T) {
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf("- pattern %d", i))
	}
	got, dropped := Condense(long(30, strings.Join(many, "\n")), 4096)
	if len(got) > 4096 || !strings.Contains(got, "- pattern 999\n") || !strings.Contains(got, "(older ones are in the full text)") || !strings.Contains(got, "## 2025-01-10 - iteration 30") {
		t.Errorf("%s", got)
	}
	if !strings.Contains(dropped, "- pattern 0\n") {
		t.Error("the old ones are lost")
	}
}

func TestPatternsAreFoundWhereverTheyStand(t *testing.T) {
	hand := "- a\n```yaml\n---\nkind: x\n```\n"
	for _, text := range []string{
		strings.Replace(long(50, ""), "(Patterns", hand+"(Patterns", 1),
		long(50, "") + "\n## Codebase Patterns\n" + hand + "\n---\n",
		"# Progress: a\n\n---\n\n## Codebase Patterns\n" + hand + "\n---\n" + after(long(50, "")),
		"## Codebase Patterns\n" + hand + "\n---\n" + after(long(50, "")),
	} {
		got, _ := Condense(text, least)
		if !strings.Contains(got, strings.TrimSpace(hand)) || strings.Contains(got, "a## ") {
			t.Errorf("%s", got)
		}
	}
}

func FuzzCondense(f *testing.F) {
	f.Add(documented, 10)
	f.Add(long(60, "- p"), 3000)
	f.Add(strings.Repeat("## Earlier\n(7 older ones are in the full text)\nx\n---\n", 60), 0)
	f.Add(strings.Repeat("## Codebase Patterns\n- a\n\n---\n", 90), 0)
	f.Add(strings.Repeat("\xff", 9000), 0)
	f.Add(strings.Repeat("# x\n---\n", 600)+"\n## Codebase Patterns\n- p\n---\n## ---\n---", 0)
	f.Fuzz(func(t *testing.T, text string, most int) { holds(t, text, most%(1<<16)) })
}

// Files made of what matters are tried more often than a fuzzer finds them.
func TestCondenseHolds(t *testing.T) {
	pieces := []string{
		"---\n", "\n", "## Codebase Patterns\n", "## Earlier\n", "(3 older ones are in the full text)\n", "## 2025-01-10 - iteration 4\n", "<!-- iteration 4 -->\n",
		"- a pattern\n", "# Progress: a\n", "## ", "text", "\r\n", "- ", strings.Repeat("é", 300), strings.Repeat("a line\n", 100), "\xff", "---",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 80).Draw(t, "pieces"), "")
		holds(t, text, rapid.IntRange(0, 6000).Draw(t, "most"))
	})
}

// holds is what Condense promises.
func holds(t interface{ Fatalf(string, ...any) }, text string, most int) {
	got, dropped := Condense(text, most)
	if len(got) > max(most, least) {
		t.Fatalf("%d bytes of %d", len(got), most)
	}
	if again, more := Condense(got, most); again != got || more != "" {
		t.Fatalf("not the same again: %q", again)
	}
	both := slices.Concat(strings.Split(got, "\n"), strings.Split(dropped, "\n"))
	there := make(map[string]bool, len(both))
	for _, l := range both {
		there[l] = true
	}
	for l := range strings.Lines(text) {
		l = strings.TrimSuffix(l, "\n")
		known := l == rule || l == patterns || l == earlier || counted(l) > 0 || ours(l)
		if !there[l] && strings.TrimSpace(l) != "" && !known {
			t.Fatalf("%q is lost", l)
		}
	}
	if p := read(text); len(p.patterns) <= max(most, least)/2 {
		for l := range strings.Lines(p.patterns) {
			if !strings.Contains(got, strings.TrimSuffix(l, "\n")) {
				t.Fatalf("the pattern %q is not in %q", l, got)
			}
		}
	}
	s := Section{Iteration: 77_777, At: day, Summary: text, Learnings: []string{text}}
	if with := Add(got, s); Add(with, s) != with || !strings.HasPrefix(with, strings.TrimRight(got, "\n")) {
		t.Fatalf("not added once: %q", with)
	}
}
