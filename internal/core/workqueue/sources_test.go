package workqueue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/errorclass"
	"warp/internal/core/telemetry"
)

func TestAnAssessmentBecomesItems(t *testing.T) {
	got := Findings(parse(t, `{"findings":[
		{"title":"No rate limit","priority":"S1 (high)","files":["a.go",7,"b.go"],"details":"login"},
		{"title":"Typo"},{"title":"  "},{"priority":"S0"},{"title":7},"text",
		{"title":"Leak","severity":"critical","files":"c.go"}]}`))
	want := []Found{
		{Title: "No rate limit", Priority: S1, Source: FromAssess, Files: []string{"a.go", "b.go"}, Description: "login"},
		{Title: "Typo", Priority: S2, Source: FromAssess},
		{Title: "text", Priority: S2, Source: FromAssess},
		{Title: "Leak", Priority: S0, Source: FromAssess},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{`{}`, `[]`, `{"findings":{}}`, `{"findings":null}`} {
		if got := Findings(parse(t, text)); got != nil {
			t.Errorf("%s: %v", text, got)
		}
	}
	if Findings(nil) != nil {
		t.Error("an agent that said nothing found nothing")
	}
	many := `{"findings":[` + strings.TrimSuffix(strings.Repeat(`{"title":"a"},`, 300), ",") + `]}`
	if got := len(Findings(parse(t, many))); got != maxFindings {
		t.Error(got)
	}
}

func TestOnlyErrorsThatNobodyRetriesBecomeItems(t *testing.T) {
	var doc telemetry.Errors
	const message = "Exit code 1\n  File \"a.py\", line 3\n    def f(:\nSyntaxError: invalid syntax"
	for i, p := range errorclass.Policies {
		doc.Fail(telemetry.Failure{ID: fmt.Sprint("e", i), Key: fmt.Sprint(i), Class: p.Class, Tool: "Bash", Message: message}, noon)
	}
	got := Errors(doc.Errors)
	if len(got) != 2 || got[0].Title != "Bash: SyntaxError: invalid syntax" || got[0].Priority != S0 || got[1].Priority != S1 || !strings.Contains(got[0].Description, "def f(:") {
		t.Fatalf("%+v", got)
	}

	// The error stays in its document while the item is worked on: only when it
	// happens again is it news.
	q := &Queue{Iteration: 1}
	q.Add(got[0])
	must(q.Done("1"))
	if _, was := q.Add(Errors(doc.Errors)[0]); was != Known {
		t.Error(was)
	}
	doc.Fail(telemetry.Failure{Key: "3", Class: errorclass.Syntax, Tool: "Bash", Message: message}, noon)
	if _, was := q.Add(Errors(doc.Errors)[0]); was != Reopened {
		t.Error(was)
	}
	doc.Recover("", "3", noon)
	doc.Recover("", "6", noon)
	doc.Errors[0].Status = telemetry.Queued // by another tool
	if got := Errors(doc.Errors); got != nil {
		t.Errorf("%+v", got)
	}
	if q.Recovered("e") || !q.Recovered("e3") || q.Recovered("e3") || q.Items[0].Status != Done {
		t.Errorf("what recovered stays open: %+v", q.Items)
	}
	if got := telling("odd\nthing"); got != "odd" {
		t.Error(got)
	}
}

const red = `--- FAIL: TestTax (0.00s)
    cart_test.go:12: got 19, want 20
--- FAIL: TestRound (0.00s)
    cart_test.go:30: got 1, want 2
FAIL
FAIL	shop/cart	0.01s
`

func TestAFailingTestIsAnItemUntilItPasses(t *testing.T) {
	q := &Queue{Iteration: 1}
	q.Gate(GateRun{Name: "test", Status: Fail, At: noon, Output: red})
	q.Gate(GateRun{Name: "test", Status: Fail, At: noon, Output: strings.ReplaceAll(red, "0.01s", "0.02s")})
	if diff := cmp.Diff([]string{"S1 Failing: shop/cart TestRound pending", "S1 Failing: shop/cart TestTax pending"}, titles(q.Items)); diff != "" {
		t.Fatal(diff)
	}
	if d := q.Items[0].Description; !strings.Contains(d, "got 1, want 2") || strings.Contains(d, "got 19") {
		t.Error(d)
	}
	if r := q.GateResults.Get("test"); r.Status != Fail || r.Issues != 2 || r.Severity != S1 || r.Iteration != 1 || r.Timestamp != "2026-01-29T10:45:00Z" {
		t.Errorf("%+v", r)
	}

	// One of them passes now: nobody has to say so.
	q.Iteration = 2
	q.Gate(GateRun{Name: "test", Status: Fail, At: noon, Output: "--- FAIL: TestTax (0.00s)\nFAIL\nFAIL\tshop/cart\t0.01s\n"})
	if diff := cmp.Diff([]string{"S1 Failing: shop/cart TestRound done", "S1 Failing: shop/cart TestTax pending"}, titles(q.Items)); diff != "" {
		t.Error(diff)
	}
	// An agent that marks it as done while it fails gets it back.
	must(q.Done("2"))
	q.Gate(GateRun{Name: "test", Status: Fail, At: noon, Output: red})
	if q.Open() != 2 {
		t.Errorf("%+v", q.Items)
	}
	q.Gate(GateRun{Name: "test", Status: Warn, At: noon, Issues: 1, Severity: S2})
	if r := q.GateResults.Get("test"); q.Open() != 0 || r.Status != Warn || r.Issues != 1 || r.Severity != S2 || len(q.GateResults) != 1 {
		t.Errorf("%+v %+v", q.Items, r)
	}
}

func TestAGateThatNamesNothingIsOneItem(t *testing.T) {
	q := &Queue{Iteration: 1}
	q.Add(Found{Title: "mine", Source: FromPerson})
	q.Gate(GateRun{Name: "lint", Status: Fail, At: noon, Output: "a.go:1:1: unused"})
	q.Gate(GateRun{Name: "lint", Status: "odd", At: noon, Output: "b.go:2:2: shadowed"})
	if diff := cmp.Diff([]string{"S2 mine pending", "S1 The gate lint fails pending"}, titles(q.Items)); diff != "" {
		t.Fatal(diff)
	}
	if q.Items[1].Description != "b.go:2:2: shadowed" {
		t.Error(q.Items[1].Description)
	}
	q.KeepGates([]string{"test"})
	if len(q.GateResults) != 0 || q.Open() != 1 || q.Items[0].Status != Pending {
		t.Errorf("a gate that is gone wants nothing: %+v", q)
	}
}

func TestManyFailingTestsStayReadable(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "not ok %d - case %d\n  %s\n", i+1, i, strings.Repeat("x", 500))
	}
	q := &Queue{}
	q.Gate(GateRun{Name: "test", Status: Fail, At: noon, Output: b.String()})
	size := 0
	for _, it := range q.Items {
		size += len(it.Description)
	}
	if len(q.Items) != 400 || size > 400*quoteLeast {
		t.Errorf("%d items, %d bytes", len(q.Items), size)
	}
	if got := about("nothing of it here\nboom", "pkg TestX", 100); !strings.Contains(got, "boom") {
		t.Error(got)
	}
}
