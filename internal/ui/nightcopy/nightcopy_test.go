package nightcopy_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/evidence"
	"warp/internal/ui/feed"
	"warp/internal/ui/nightcopy"
)

var update = flag.Bool("update", false, "write the golden file")

var dusk = time.Date(2026, 11, 14, 20, 0, 0, 0, time.UTC)

func stamp(minutes int) string { return at(minutes).Format(time.RFC3339) }

func at(minutes int) time.Time { return dusk.Add(time.Duration(minutes) * time.Minute) }

// words are what others have written, in a night.
type words struct{ project, title, text, file, model, url string }

var harmless = words{"shop", "Greet people by name", "It says hello to everyone who comes in", "greet.go", "opus", "https://tracker.invalid/a/b/pulls/3"}

// newNight is a night in which one issue was merged, one failed and a loop ran.
func newNight(w words) nightcopy.Night {
	b, n := &evidence.Book{}, 0
	next := func() int { n++; return n }
	run := func(end int, r evidence.Run) {
		b.Runs = append(b.Runs, evidence.Entry[evidence.Run]{N: next(), At: stamp(end), Row: r})
	}
	b.Written = append(b.Written, evidence.Entry[evidence.Written]{N: next(), At: stamp(0), Row: evidence.Written{Issue: "42", Criteria: []evidence.Criterion{{ID: "AC-01", Text: w.text}, {ID: "AC-02", Text: "It says goodbye"}}}})
	run(4, evidence.Run{Issue: "42", Role: "plan", Agent: "claude", Model: w.model, End: "done", MicroUSD: 120_000, Input: 9000, Output: 700, Seconds: 240})
	run(25, evidence.Run{Issue: "42", Chunk: 1, Role: "code", Agent: "claude", Model: w.model, End: "done", Criteria: []string{"AC-01", "AC-02"}, MicroUSD: 1_750_000, Input: 40_000, Output: 9_000, CacheRead: 900_000, Seconds: 1200})
	b.Tests = append(b.Tests, evidence.Entry[evidence.Tested]{N: next(), At: stamp(27), Row: evidence.Tested{Issue: "42", Chunk: 1, Stage: "chunk", Passed: true, Seconds: 80}})
	run(31, evidence.Run{Issue: "42", Chunk: 1, Role: "verify", Agent: "claude", Model: "haiku", End: "done", Criteria: []string{"AC-01", "AC-02"}, MicroUSD: 90_000, Input: 8_000, Seconds: 200})
	for _, id := range []string{"AC-01", "AC-02"} {
		b.Verdicts = append(b.Verdicts, evidence.Entry[evidence.Verdict]{N: next(), At: stamp(31), Row: evidence.Verdict{Issue: "42", Chunk: 1, ID: id, Met: true, Reason: "the test " + w.file + " shows it"}})
	}
	b.Commits = append(b.Commits, evidence.Entry[evidence.Commit]{N: next(), At: stamp(32), Row: evidence.Commit{Issue: "42", Chunk: 1, Hash: "0123456789abcdef", Subject: "feat: " + w.title, Criteria: []string{"AC-01", "AC-02"}, Files: 2, Insertions: 40, Deletions: 3}})
	b.Outcomes = append(b.Outcomes, evidence.Entry[evidence.Outcome]{N: next(), At: stamp(33), Row: evidence.Outcome{Issue: "42", Title: w.title, Result: evidence.Pull, Commit: "0123456789abcdef", Branch: "warp/42", Pull: w.url}})
	run(70, evidence.Run{Issue: "43", Chunk: 1, Role: "code", Agent: "claude", Model: w.model, End: "timed_out", Why: w.text, Criteria: []string{"AC-01"}, Unpriced: true, Seconds: 2000})
	b.Interventions = append(b.Interventions, evidence.Entry[evidence.Intervened]{N: next(), At: stamp(70), Row: evidence.Intervened{Issue: "43", What: "destroyed", Text: "reset --hard was undone in " + w.file, Kept: "refs/warp/kept/1"}})
	b.Decisions = append(b.Decisions, evidence.Entry[evidence.Decision]{N: next(), At: stamp(130), Row: evidence.Decision{Issue: "43", Question: "Which database? " + w.text, Answer: w.title, By: "ann"}})
	b.Skips = append(b.Skips, evidence.Entry[evidence.Skipped]{N: next(), At: stamp(131), Row: evidence.Skipped{Issue: "43", Chunk: 1, Criteria: []string{"AC-01"}, Why: "it did not end in time: " + w.text}})
	b.Outcomes = append(b.Outcomes, evidence.Entry[evidence.Outcome]{N: next(), At: stamp(132), Row: evidence.Outcome{Issue: "43", Title: "Store " + w.title, Result: evidence.Failed, Why: w.text, Do: "warp evidence 43"}})
	b.PassedOver = append(b.PassedOver, evidence.Entry[evidence.PassedOver]{N: next(), At: stamp(133), Row: evidence.PassedOver{Issue: "44", Title: w.title, Why: w.text}})
	b.Others = append(b.Others, evidence.Entry[evidence.Run]{N: next(), At: stamp(150), Row: evidence.Run{Work: "session auth", Role: "iterate", Agent: "claude", Model: "haiku", MicroUSD: 300_000, Seconds: 60}})
	f := &feed.Feed{Project: w.project, Book: b, Inbox: []feed.Asked{{Question: feed.Question{ID: "q1", Issue: "43", Text: w.text}, Asked: at(72), AnsweredAt: at(130)}}}
	loop := feed.Item{Kind: feed.Loop, Name: "auth", State: feed.Done, Result: w.title, Cost: evidence.Cost{Runs: 1, MicroUSD: 300_000}}
	from := dusk.Add(-8 * time.Hour)
	d := b.Digest(from)
	d.Waiting = append(d.Waiting, evidence.Waiting{What: "question", Name: "q2", Issue: "43", Text: w.text, Do: "warp answer q2"})
	return nightcopy.Night{From: from, Now: at(600), Digest: d, Work: []feed.Item{loop}, Feed: f}
}

func render(t *testing.T, n nightcopy.Night) []byte {
	t.Helper()
	page, err := nightcopy.Render(n)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

func TestASmallNight(t *testing.T) {
	const path = "testdata/night.html"
	got := render(t, newNight(harmless))
	check(t, got)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-update writes it):\n%s", path, diff)
	}
}

// Everything that a night knows is on the page, in words.
func TestWhatThePageTells(t *testing.T) {
	page := string(render(t, newNight(harmless)))
	for _, want := range []string{
		"1 issue done, 1 not done", "Greet people by name", "pull request open", "2 of 2 criteria", "It says hello to everyone who comes in", "<code>0123456789</code>", "the test greet.go shows it",
		"Passed over", "What the guard undid", "reset --hard was undone in greet.go", "refs/warp/kept/1", "Which database?", "warp answer q2", "waiting 58 min 0 s", "at least $2.26", "haiku", "not merged",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is missing", want)
		}
	}
}

// An empty night is a page as well.
func TestAnEmptyNight(t *testing.T) {
	b := &evidence.Book{}
	page := render(t, nightcopy.Night{From: dusk, Now: at(1), Digest: b.Digest(dusk), Feed: &feed.Feed{Project: "shop", Book: b}})
	check(t, page)
	if !bytes.Contains(page, []byte("0 issues done, 0 not done")) || !bytes.Contains(page, []byte("No agent ran.")) {
		t.Errorf("%s", page)
	}
}

// Titles, words of agents and names of files are written by others: nothing in them runs,
// is fetched, hides, or makes the file huge.
func TestAHostileNight(t *testing.T) {
	for _, evil := range []string{
		`<script>alert(1)</script>`, `</title></style><script src=//evil.invalid></script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`,
		`javascript:alert(1)`, "\x1b[2J\x1b]8;;http://evil.invalid\x07x", "\u202e\u2066txt.exe\u200b", "a\x00b\xff", `{{.Feed}}`, `]]><!--`, `</td></table><h1>merged`,
		"}body{display:none}", strings.Repeat("x", 10<<20), strings.Repeat("<b>", 1<<20), strings.Repeat("a\n", 1<<20),
	} {
		t.Run(fmt.Sprintf("%.20q", evil), func(t *testing.T) {
			page := render(t, newNight(words{evil, evil, evil, evil, evil, evil}))
			check(t, page)
			if len(page) > 200_000 {
				t.Errorf("it has %d bytes", len(page))
			}
		})
	}
}

// elements and attributes that a page may have; no other can run, load or lead anywhere.
var (
	elements   = list("html head meta title style body main header footer p h1 h2 h3 dl div dt dd small section ul li span code article table caption thead tbody tr th td br strong figure svg desc path text figcaption i")
	attributes = list("lang charset name content http-equiv class id scope aria-labelledby aria-label role viewBox d x y")
)

func list(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// check holds a page to what can be sent to anyone: well-formed, and nothing in it runs or
// asks a host.
func check(t *testing.T, page []byte) {
	t.Helper()
	if bytes.ContainsAny(page, "\x00\x1b\x07\u202e\u2066\u200b") {
		t.Error("something hidden is in the page")
	}
	ids := map[string]bool{}
	styles := 0
	for d := xml.NewDecoder(bytes.NewReader(page)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if !elements[e.Name.Local] {
			t.Errorf("an element %s", e.Name.Local)
		}
		if e.Name.Local == "style" {
			if styles++; styles > 1 {
				t.Error("a second style element")
			}
		}
		for _, a := range e.Attr {
			if !attributes[a.Name.Local] {
				t.Errorf("an attribute %s=%q of %s", a.Name.Local, a.Value, e.Name.Local)
			}
			if a.Name.Local == "id" && ids[a.Value] {
				t.Errorf("two elements are called %s", a.Value)
			} else if a.Name.Local == "id" {
				ids[a.Value] = true
			}
		}
	}
	if _, rest, _ := strings.Cut(string(page), "<style>"); strings.Contains(rest[:strings.Index(rest, "</style>")], "url(") || strings.Contains(rest, "@import") {
		t.Error("the style sheet fetches something")
	}
}
