package telemetry

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func result(kind string, findings ...Finding) Result { return Result{Type: kind, Findings: findings} }

func TestSynthesis(t *testing.T) {
	got := Synthesis([]Result{
		result("reviewer", Finding{Severity: "S2", Category: "style", Title: "Long\nfunction"}, Finding{Severity: "S1", Category: "security", Title: "no rate limit"}),
		result("security-analyst", Finding{Severity: "S0", Category: "Security", Title: "No  rate limit", Recommendation: "add one"}),
		result("security-analyst", Finding{Severity: "S1", Category: "security", Title: "No rate limit"}),
		result("", Finding{Severity: "S1", Title: "no owner"}, Finding{Severity: "S1", Category: "style", Title: "no rate limit"}),
	})
	want := `Findings of the finished agents (S0 1, S1 2, S2 1):
- S0 Security: No rate limit (security-analyst, reviewer). Recommended: add one
- S1: no owner
- S1 style: no rate limit
- S2 style: Long function (reviewer)
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Synthesis([]Result{result("reviewer"), {}}); got != "" {
		t.Errorf("of nothing: %q", got)
	}
}

func TestSynthesisFitsAndTellsWhatDoesNot(t *testing.T) {
	for n := range 120 {
		var all []Finding
		for i := range n {
			all = append(all, Finding{Severity: fmt.Sprint("S", i%5), Category: "c", Title: fmt.Sprint(i, " ", strings.Repeat("é", i*3)), Recommendation: strings.Repeat("r ", n)})
		}
		got := Synthesis([]Result{result("kind", all...)})
		if len(got) > maxSynthesis || !utf8.ValidString(got) || strings.HasSuffix(got, "more\n") && len(got) < maxSynthesis-maxSynthesisLine-20 {
			t.Fatalf("%d findings: %d bytes\n%s", n, len(got), got)
		}
		told, left := strings.Count(got, "\n")-1, 0
		if at := strings.LastIndex(got, "- and "); at >= 0 {
			told--
			fmt.Sscanf(got[at:], "- and %d more", &left)
		}
		if n > 0 && told+left != n {
			t.Errorf("%d findings: told %d, left %d\n%s", n, told, left, got)
		}
	}
}

func TestSeveritiesOfOthersDoNotFillTheHeader(t *testing.T) {
	var all []Finding
	for i := range 900 {
		all = append(all, Finding{Severity: fmt.Sprint(i, strings.Repeat("x", 900)), Title: fmt.Sprint(i)})
	}
	if got := Synthesis([]Result{result("kind", all...)}); len(got) > maxSynthesis || !strings.Contains(got, "more\n") {
		t.Errorf("%d bytes:\n%s", len(got), got)
	}
}

func TestSynthesisTellsWhatIsRecommended(t *testing.T) {
	got := Synthesis([]Result{
		{Type: "a", Findings: []Finding{{Severity: "S1", Title: "t"}}, Recommendations: []string{"use  one\nlibrary", "x"}},
		{Type: "b", Recommendations: []string{"use one library"}},
	})
	want := "Findings of the finished agents (S1 1):\n- S1: t (a)\nRecommended by them:\n- use one library\n- x\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Synthesis([]Result{{Recommendations: []string{"x"}}}); got != "Recommended by them:\n- x\n" {
		t.Errorf("got %q", got)
	}
	if got := Synthesis([]Result{{Recommendations: []string{strings.Repeat("x ", 4000)}}}); len(got) > maxSynthesis {
		t.Errorf("%d bytes", len(got))
	}
}

func TestAFileIsListedOnceHoweverItIsNamed(t *testing.T) {
	stop := StopFacts{LastMessage: `{"findings":[],"files_analyzed":["src/a.go","./src/a.go","src/b.go"]}`,
		Transcript: Facts{Files: []string{"/p/src/a.go", "/p/src", "/p/c.go"}, FilesRead: 3},
		Name: func(f string) string {
			if f == "/p/src" {
				return ""
			}
			return strings.TrimPrefix(strings.TrimPrefix(f, "/p/"), "./")
		}}
	r := NewResult(Agent{}, stop, clock(10, 0, 0))
	if got := strings.Join(r.FilesAnalyzed, " "); got != "src/a.go src/b.go c.go" || r.Metrics.FilesRead != 2 {
		t.Errorf("%s, %d read", got, r.Metrics.FilesRead)
	}
}
