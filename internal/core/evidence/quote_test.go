package evidence

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// every calls each page with the same words in all places that take words of
// others.
func every(words string) map[string][2]string {
	b := &Book{
		Runs:          one(Run{Issue: "42", Chunk: 1, Role: words, Agent: words, Model: words, End: words, Why: words, Summary: words, Criteria: []string{"AC-01"}}),
		Verdicts:      one(Verdict{Issue: "42", Chunk: 1, ID: "AC-01", Reason: words}),
		Gates:         one(Gate{Issue: "42", Chunk: 1, Event: words, Gate: words, Reason: words, Log: words}),
		Tests:         one(Tested{Issue: "42", Chunk: 1, Stage: words, Command: words, Broke: []string{words, words}, Excerpt: words, Failing: []string{words}}),
		Commits:       one(Commit{Issue: "42", Chunk: 1, Hash: words, Subject: words, Criteria: []string{"AC-01"}}),
		Filed:         one(Filed{Issue: "42", Chunk: 1, What: words, Title: words}),
		Interventions: one(Intervened{Issue: "42", Chunk: 1, What: words, Text: words, Kept: words}),
		Decisions:     one(Decision{Issue: "42", Chunk: 1, Question: words, Answer: words, By: words}),
		Skips:         one(Skipped{Issue: "42", Chunk: 1, Criteria: []string{words}, Why: words, Kept: words}),
		Outcomes:      one(Outcome{Issue: "42", Title: words, Why: words, Do: words, Branch: words, Commit: words}),
	}
	s := Subject{Contents: Contents{Changes: []Change{{Hash: words, Subject: words, Said: words}, {Hash: words, Subject: words, Said: words}}, ChangedTests: []string{words}, Unproved: []string{words}},
		Issue: "42", Title: words, Branch: words, Level: 2, User: "ada", Criteria: []Named{{ID: "AC-01", Text: words, Done: true}, {ID: words, Text: words}},
		Chunk: 1, Total: 2, Started: words, Ended: words}
	d := Decision{Question: words, Options: []string{words}, Default: words, Answer: words, By: words}
	pages := map[string][2]string{"pull": {"", PullBody(b, s)}, "closing": {"", ClosingComment(b, s, words)}}
	add := func(name string) func(title, body string) {
		return func(title, body string) { pages[name] = [2]string{title, body} }
	}
	add("chunk")(ChunkReport(b, s))
	add("session")(SessionSummary(b, s))
	add("abort")(AbortReport(b, s, words, words))
	add("bug")(BugDeferred(b, s, b.Skips[0].Row))
	add("todo")(Todo(s, d))
	add("decision")(DecisionRecord(s, d))
	add("lesson")(Lesson(s, words))
	return pages
}

func one[T any](row T) []Entry[T] { return []Entry[T]{{1, "2026-11-15T01:00:00.000Z", row}} }

// unquoted is a Markdown text without its code, as CommonMark tells it.
func unquoted(t interface {
	Helper()
	Fatalf(string, ...any)
}, body string) string {
	t.Helper()
	var text []string
	fence := ""
	for line := range strings.Lines(body) {
		marks := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		switch {
		case fence == "" && len(marks) >= 3 && !strings.Contains(line[len(marks):], "`"):
			fence = marks
		case fence != "" && len(marks) >= len(fence) && strings.TrimSpace(line) == marks:
			fence = ""
		case fence == "":
			text = append(text, line)
		}
	}
	if fence != "" {
		t.Fatalf("a block is left open:\n%s", body)
	}
	var out strings.Builder
	for _, line := range text { // no span goes over a line's end
		for line != "" {
			at := strings.IndexByte(line, '`')
			if at < 0 {
				out.WriteString(line)
				break
			}
			out.WriteString(line[:at])
			line = line[at:]
			n := len(line) - len(strings.TrimLeft(line, "`"))
			end := closing(line[n:], n)
			if end < 0 {
				t.Fatalf("a span is left open: %q", line)
			}
			line = line[n+end+n:]
		}
	}
	return out.String()
}

// closing finds the run of exactly n backticks.
func closing(text string, n int) int {
	for at := 0; at < len(text); {
		run := len(text[at:]) - len(strings.TrimLeft(text[at:], "`"))
		if run == n {
			return at
		}
		at += max(run, 1)
	}
	return -1
}

func TestNothingThatIsQuotedIsObeyed(t *testing.T) {
	pieces := []string{"evil", "@mallory", "closes #666", "#666", "!666", "GH-666", "\n# evil\n", "\n- [x] evil\n", "`", "``", "```", "\n```\n", "~~~", "<!-- evil -->", "</details>", "https://evil.example/i/666", "[evil](x)",
		"|", "\r\n", "\u202e", "\x1b[31m", " ", "\\", "*", "$`x`$", "evil@evil.example", strings.Repeat("evil ", 2000)}
	rapid.Check(t, func(t *rapid.T) {
		words := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 8).Draw(t, "pieces"), "")
		for name, page := range every(words) {
			rest := unquoted(t, page[1])
			for line := range strings.Lines(rest) { // sentences of others stand where text does
				if heading := strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "##") && strings.Contains(line, "evil"); heading {
					t.Fatalf("%s: %q is structure:\n%s", name, line, page[1])
				}
			}
			for _, bad := range []string{"mallory", "666", "<", "~~~", "[x]", "\\", "\x1b", "\u202e", "\r"} {
				if strings.Contains(rest, bad) {
					t.Fatalf("%s: %q is outside of code:\n%s", name, bad, page[1])
				}
			}
			if got := strings.Count(rest, "@"); got > 1 {
				t.Fatalf("%s mentions %d people", name, got)
			}
			if strings.Contains(page[1], "<!--") {
				t.Fatalf("%s quotes a marker that would be known again", name)
			}
			if title := page[0]; strings.ContainsAny(title, "\n\r\x1b\u202e") || strings.Contains(title, "@m") || strings.Contains(title, "#6") || strings.Contains(title, "!6") ||
				strings.Contains(title, "GH-6") || strings.Contains(title, "://") || strings.Contains(title, "@e") || utf8.RuneCountInString(title) > 200 {
				t.Fatalf("the title %q of %s", title, name)
			}
		}
	})
}

func TestAnAddressIsALinkOnlyWhenItIsOne(t *testing.T) {
	for url, want := range map[string]string{
		"https://tracker.invalid/a/b/pulls/3":   "<https://tracker.invalid/a/b/pulls/3>",
		"https://tracker.invalid/> closes #3":   "`https://tracker.invalid/> closes #3`",
		"javascript:alert(1)":                   "`javascript:alert(1)`",
		"https://tracker.invalid/\u202egnp.txt": "`https://tracker.invalid/\\u202egnp.txt`",
	} {
		if got := link(url); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestOnlyNamesAreMentioned(t *testing.T) {
	for user, want := range map[string]string{"ada": "@ada", "a-b_c.d": "@a-b_c.d", "": "", "ada @mallory": "", "org/team": "", "a\nb": "", strings.Repeat("a", 99): ""} {
		if got := mention(user); got != want {
			t.Errorf("%q: %q", user, got)
		}
	}
}

// The longest text that every part of a page could get.
func TestPagesAreBoundedAndSayWhatIsMissing(t *testing.T) {
	long := strings.Repeat("漢", 1000)
	b := &Book{}
	s := Subject{Issue: "42", Title: long, User: "ada", Chunk: 1, Total: 1}
	for i := range 100 {
		id := "AC-" + string(rune('A'+i%26)) + strings.Repeat("x", i/26)
		s.Criteria = append(s.Criteria, Named{ID: id, Text: long, Done: true})
		b.Verdicts = append(b.Verdicts, one(Verdict{Issue: "42", Chunk: 1, ID: id, Met: true, Reason: long})...)
		b.Runs = append(b.Runs, one(Run{Issue: "42", Chunk: 1, Summary: long, Why: long})...)
		b.Tests = append(b.Tests, one(Tested{Issue: "42", Chunk: 1, Excerpt: long, Broke: slices.Repeat([]string{long}, 20)})...)
	}
	pages := []string{PullBody(b, s), ClosingComment(b, s, "")}
	_, body := ChunkReport(b, s)
	pages = append(pages, body)
	_, body = SessionSummary(b, s)
	pages = append(pages, body)
	for i, body := range pages {
		if n := len(body); n > 60_000 {
			t.Errorf("page %d has %d bytes", i, n)
		}
		if !strings.Contains(body, "@ada") || !strings.Contains(body, "40 earlier ones are left out") || !strings.Contains(body, "parts are left out") {
			t.Errorf("page %d does not say what it left out:\n%.300s", i, body)
		}
		unquoted(t, body)
	}
	if !strings.Contains(pages[0], "\n\nCloses #42\n") {
		t.Errorf("%.500s", pages[0])
	}
}
