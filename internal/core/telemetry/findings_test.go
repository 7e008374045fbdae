package telemetry

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/lossless"
)

const one = `{"severity":"S1","title":"x"}`

var messages = []struct {
	message string
	want    string // severity and title of each, "none" for no report
}{
	{`{"findings":[` + one + `]}`, "S1 x"},
	{"\n [" + one + `,{"severity":"low","title":"y"}] ` + "\n", "S1 x, S3 y"},
	{one, "S1 x"},
	{`{"findings":[]}`, ""},
	{"Here it is:\n```json\n[" + one + "]\n```\nThat is all.", "S1 x"},
	{"```\n[" + one + "]\n```", "S1 x"},
	{"```go\nx := []int{1}\n```\nand\n```JSON\n[" + one + "]\n```", "S1 x"},
	{"```json\n{\"a\":1}\n```\n```json\n[" + one + "]\n```", "S1 x"},
	{"```json\nnot \"findings\"\n``` but [" + one + "]", "S1 x"},
	{`Each like {"severity":"S4","title":"an example"}:` + "\n```json\n[" + one + "]\n```", "S1 x"},
	{"a ```json``` fence of one line, then [" + one + "] in prose", "S1 x"},
	{"```json\n[" + one + "]", "S1 x"}, // the fence never ends
	{"See [1] and {x}: I found {\"findings\": [" + one + "]} there.", "S1 x"},
	{`an unclosed { and "quotes and [` + one + `]`, "S1 x"},
	{`{"report":{"findings":[` + one + `]}}`, "S1 x"},
	{`[{"id":1},` + one + `,{"severity":"none","title":"z"},{"severity":"high"},7]`, "S1 x"},
	{`{"findings":[{"severity":"Critical","title":"a"},{"severity":" s4 ","title":"b"},{"severity":"MEDIUM (P2)","title":"c"},{"severity":"S5","title":"d"},{"severity":2,"title":"e"}]}`,
		"S0 a, S4 b, S2 c"},
	{`[{"severity":"high","description":"two\nlines"}]`, "S1 two lines"},
	{`{"findings":"none","severity":"S2","title":"itself"}`, "S2 itself"},
	{`{"findings":{"severity":"S2"}}`, "none"},
	{`[{"severity":"S1","title":"x","title":"twice"}]`, "none"},
	{`[{"severity":"S1","title":"x"},]`, "S1 x"}, // the array is broken, its element is not
	{`Found: [{"severity":"S1","title":"a \" ] b"}].`, `S1 a " ] b`},
	{"nothing found", "none"}, {"", "none"}, {`"findings"`, "none"}, {"[]", "none"}, {`{"severity":"S1"}`, "none"},
	{`the words "findings" and "severity" { [ "`, "none"},
}

func TestFindings(t *testing.T) {
	for _, m := range messages {
		var list []string
		found, _, _ := findingList(m.message)
		for _, f := range found {
			list = append(list, f.Severity+" "+f.Title)
		}
		told := false
		eachJSON(m.message, func(v *lossless.Value) bool { _, ok := reported(v); told = told || ok; return ok })
		got := strings.Join(list, ", ")
		if !told {
			got = "none"
		}
		if got != m.want {
			t.Errorf("%s: got %q, want %q", m.message, got, m.want)
		}
	}
}

func TestAFindingKeepsWhatElseWasSaid(t *testing.T) {
	found, recommendations, files := findingList(`{"findings":[{"line":1.0,"title":"t","severity":"high","details":["a",{"b":1}],"cwe":null,"recommendation":null}],
		"recommendations":["r","r",7,"s"],"files_analyzed":["a.go","","b.go"]}`)
	want := `{"severity":"S1","category":"","title":"t","details":"[\"a\",{\"b\":1}]","recommendation":"","line":1.0,"cwe":null}`
	if got := string(lossless.AppendCompact(nil, lossless.Encode(found[0], nil))); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if diff := cmp.Diff([][]string{{"r", "s"}, {"a.go", "b.go"}}, [][]string{recommendations, files}); diff != "" {
		t.Error(diff)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	found, _, _ := findingList("[" + strings.Repeat(one+",", 300) + one + "]")
	if len(found) != maxFindings {
		t.Errorf("%d findings", len(found))
	}
	if found, _, _ := findingList(strings.Repeat(" ", 10) + "x" + strings.Repeat("-", maxMessage) + one); found != nil {
		t.Error("searched beyond the bound")
	}
}

// Brackets that never close must not cost the square of their number: these
// would take hours.
func TestHostileMessagesEnd(t *testing.T) {
	for _, m := range []string{strings.Repeat("[", 1<<20), strings.Repeat("{[", 1<<18) + `"findings"`, strings.Repeat("[]", 1<<18) + `"severity" [`, strings.Repeat("```json\n", 1<<16) + `"severity"`} {
		if found, _, _ := findingList(m); found != nil {
			t.Errorf("%.20q…: %v", m, found)
		}
	}
}

func FuzzFindings(f *testing.F) {
	for _, m := range messages {
		f.Add(m.message)
	}
	f.Fuzz(func(t *testing.T, message string) {
		found, recommendations, files := findingList(message)
		for _, x := range found {
			if severity(x.Severity) != x.Severity || x.Title == "" || len(x.Title) > 200 {
				t.Fatalf("%+v", x)
			}
			again, ok := finding(lossless.Encode(x, nil))
			if !ok || !lossless.Equal(again.Source(), x.Source()) {
				t.Fatalf("%+v became %+v", x, again)
			}
		}
		r := NewResult(Agent{}, StopFacts{LastMessage: message}, clock(0, 0, 0))
		if len(r.Findings) != len(found) || len(r.Recommendations) != len(recommendations) || len(r.FilesAnalyzed) != len(files) {
			t.Fatalf("%+v", r)
		}
		if doc := lossless.AppendCompact(nil, lossless.Encode(r, nil)); utf8.ValidString(message) {
			if _, err := lossless.Parse(doc); err != nil {
				t.Fatalf("%v in %s", err, doc)
			}
		}
		if s := Synthesis([]Result{r, r}); len(s) > maxSynthesis || utf8.ValidString(message) && !utf8.ValidString(s) || (s == "") != (len(found) == 0) {
			t.Fatalf("%d bytes: %q", len(s), s)
		}
	})
}

func TestNewResult(t *testing.T) {
	agent := Agent{ID: "a", Type: "explorer", Task: "look", Started: "2026-01-29T10:30:00Z"}
	read := Facts{Files: []string{"b.go", "c.go"}, FilesRead: 2}
	r := NewResult(agent, StopFacts{LastMessage: `{"findings":[],"files_analyzed":["a.go","b.go"]}`, Transcript: read}, clock(10, 31, 5))
	if r.Status != Success || r.DurationSeconds != 65 || r.Metrics != (ResultMetrics{2, 0}) || !cmp.Equal(r.FilesAnalyzed, []string{"a.go", "b.go", "c.go"}) {
		t.Errorf("%+v", r)
	}
	if r := NewResult(agent, StopFacts{LastMessage: "done"}, clock(10, 29, 0)); r.Status != Success || r.DurationSeconds != 0 {
		t.Errorf("%+v", r)
	}
	for _, stop := range []StopFacts{{LastMessage: " \n"}, {LastMessage: "API Error: 529", Transcript: Facts{APIError: true}}} {
		if r := NewResult(agent, stop, clock(10, 31, 0)); r.Status != Failed || !stop.Failed() {
			t.Errorf("%+v", r)
		}
	}
	many := Facts{FilesRead: 2000}
	for i := range 2000 {
		many.Files = append(many.Files, fmt.Sprint(i))
	}
	if r := NewResult(agent, StopFacts{LastMessage: "x", Transcript: many}, clock(11, 0, 0)); len(r.FilesAnalyzed) != MaxFiles || r.Metrics.FilesRead != 2000 {
		t.Errorf("%d files, %+v", len(r.FilesAnalyzed), r.Metrics)
	}
}
