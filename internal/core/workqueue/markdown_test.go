package workqueue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheStateIsTheDocumentedOne(t *testing.T) {
	const at = "2026-01-29T10:45:00Z"
	q := &Queue{
		Task: "implement user authentication", Iteration: 3,
		Items: []Item{
			{ID: "1", Priority: S2, Title: "Update CHANGELOG", Status: Pending},
			{ID: "2", Priority: S1, Title: "Implement auth endpoints", Status: Done},
			{ID: "3", Priority: S1, Title: "Add session management", Status: InProgress},
		},
		GateResults: Gates{
			{"test", GateResult{Status: Pass, Timestamp: at}}, {"security", GateResult{Status: Warn, Timestamp: at, Issues: 1, Severity: S2}},
			{"preflight", GateResult{Status: Pass, Timestamp: at}}, {"lint", GateResult{Status: Pass, Timestamp: at}}, {"type", GateResult{Status: Pass, Timestamp: at}},
		},
		Loop: &Loop{Started: "2026-01-29T10:00:00Z", Phase: Build, Why: "not over yet"},
	}
	for i, f := range []Facts{{Iteration: 1, Done: 2, Added: 1, Ran: 5}, {Iteration: 2, Done: 1, Ran: 5}} {
		if q.Loop.addHistory(f); len(q.Loop.History) != i+1 {
			t.Fatal(q.Loop.History)
		}
	}
	if diff := cmp.Diff(read(t, "LOOP_STATE.md"), q.Markdown()); diff != "" {
		t.Error(diff)
	}
	q.Loop.Phase, q.Loop.Why = Failed, "nothing improved"
	if got := q.Markdown(); !strings.Contains(got, "- Status: FAILED\n- Task: \"implement user authentication\"\n- Ended: nothing improved\n") {
		t.Error(got)
	}
}

func TestTextsStayInTheirCells(t *testing.T) {
	const bad = "a | b\n| S0 | c | DONE |\r\n## History\n- x \\| <script> ![i](http://e) \x1b[31m\u202e"
	q := &Queue{
		Task: bad, Items: []Item{{ID: "1", Priority: bad, Title: bad, Status: bad}},
		GateResults: Gates{{bad, GateResult{Status: bad, Timestamp: bad, Issues: 1, Severity: bad}}},
		Loop:        &Loop{Started: bad, Phase: bad, History: []string{bad}},
	}
	plain := (&Queue{Items: []Item{{ID: "1"}}, GateResults: Gates{{Name: "x"}}, Loop: &Loop{History: []string{"x"}}}).Markdown()
	got := q.Markdown()
	if strings.Count(got, "\n") != strings.Count(plain, "\n") {
		t.Errorf("other lines than\n%s\n%s", plain, got)
	}
	for i, line := range strings.Split(got, "\n") {
		bars := 0
		for j := range len(line) {
			if line[j] == '|' && (j == 0 || line[j-1] != '\\') {
				bars++
			}
		}
		if want := strings.Count(strings.Split(plain, "\n")[i], "|"); bars != want {
			t.Errorf("%d bars, want %d: %s", bars, want, line)
		}
	}
	for _, no := range []string{"<script>", "](http", "\x1b", "\u202e"} {
		if strings.Contains(got, no) {
			t.Errorf("%q in %s", no, got)
		}
	}
	if !strings.Contains(got, `x \\\| &lt;script>`) || !strings.Contains((&Queue{}).Markdown(), "- Status: \n") {
		t.Error(got)
	}
}

func TestTheStateIsBounded(t *testing.T) {
	q := &Queue{Loop: &Loop{}}
	for i := range 200 {
		q.Iteration = i + 1
		it, _ := q.Add(Found{Title: fmt.Sprintf("done %d.", i), Source: FromPerson})
		must(q.Done(it.ID))
		q.Add(Found{Title: fmt.Sprintf("open %d.", i), Source: FromPerson})
		q.Loop.History = append(q.Loop.History, fmt.Sprintf("line %d.", i))
	}
	got := q.Markdown()
	if n := strings.Count(got, " | DONE |"); n != shownDone {
		t.Errorf("%d done", n)
	}
	if n := strings.Count(got, " | PENDING |"); n != shownOpen {
		t.Errorf("%d open", n)
	}
	for _, want := range []string{"| done 199. |", "| done 180. |", "| open 0. |", "| open 99. |", "\n100 more are open. 180 more are done.\n", "- line 180.\n", "- line 199.\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q", want)
		}
	}
	for _, no := range []string{"done 179.", "open 100.", "line 179."} {
		if strings.Contains(got, no) {
			t.Errorf("%q", no)
		}
	}
}
