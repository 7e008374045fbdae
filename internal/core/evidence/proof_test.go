package evidence

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// journal makes a book of rows, a minute apart.
func journal(rows ...any) *Book {
	b := &Book{}
	for i, r := range rows {
		b.Take(event.Row{At: minute(i), Kind: kind(r), Data: lossless.Encode(r, nil)})
	}
	return b
}

func minute(i int) string {
	return "2026-11-15T01:" + string(rune('0'+i/10)) + string(rune('0'+i%10)) + ":00.000Z"
}

func moment(i int) time.Time { return time.Date(2026, 11, 15, 1, i, 0, 0, time.UTC) }

func kind(r any) string {
	switch r.(type) {
	case Run:
		return event.Run
	case Plan:
		return event.Plan
	case Decision:
		return event.Decision
	case Verdict:
		return event.Verdict
	case Gate:
		return event.Gate
	case Tested:
		return event.Tested
	case Commit:
		return event.Commit
	case Filed:
		return event.Filed
	case Intervened:
		return event.Intervened
	case Skipped:
		return event.Skipped
	case Outcome:
		return event.Outcome
	case Written:
		return event.Criteria
	case Tick:
		return event.Criterion
	}
	return ""
}

func TestStatus(t *testing.T) {
	id := []string{"AC-01"}
	commit := Commit{Issue: "1", Chunk: 1, Hash: "a", Criteria: id}
	wip := Commit{Issue: "1", Chunk: 1, Hash: "b", Criteria: id, WIP: true}
	yes, no := Verdict{Issue: "1", ID: "AC-01", Met: true}, Verdict{Issue: "1", ID: "AC-01"}
	on, off := Tick{Issue: "1", ID: "AC-01", Checked: true}, Tick{Issue: "1", ID: "AC-01"}
	skip := Skipped{Issue: "1", Chunk: 1, Criteria: id, Why: "no progress"}
	for name, c := range map[string]struct {
		rows []any
		want Status
	}{
		"a verdict alone":                  {[]any{yes}, Open},
		"work in progress":                 {[]any{yes, wip}, Open},
		"committed":                        {[]any{no, yes, commit}, Met},
		"committed and ticked":             {[]any{yes, on, commit}, Met},
		"ticked afterwards":                {[]any{yes, commit, on}, Met},
		"committed, then found to be open": {[]any{yes, commit, on, no}, Open},
		"committed, then opened again":     {[]any{yes, commit, on, off}, Open},
		"only ticked":                      {[]any{on}, Checked},
		"ticked, then judged":              {[]any{on, no}, Open},
		"given up":                         {[]any{no, skip}, GivenUp},
		"given up, then done":              {[]any{no, skip, yes, commit}, Met},
	} {
		a := journal(c.rows...).Account("1")
		if len(a.Criteria) != 1 || a.Criteria[0].Status != c.want || a.Criteria[0].Met != (c.want == Met || c.want == Checked) {
			t.Errorf("%s: %+v, want %s", name, a.Criteria, c.want)
		}
	}
}

// A later session numbers its chunks anew: what its first chunk did is not what
// the first chunk of the session before did.
func TestChunksOfAnotherSession(t *testing.T) {
	a := journal(
		Written{Issue: "1", Criteria: []Criterion{{"AC-01", "a"}, {"AC-02", "b"}, {"AC-03", "c"}}},
		Run{Issue: "1", Role: "plan", Criteria: []string{"AC-01", "AC-02", "AC-03"}, MicroUSD: 1000},
		Gate{Issue: "1", Chunk: 1, Event: "code_complete", Gate: "first", Passed: true},
		Run{Issue: "1", Chunk: 1, Criteria: []string{"AC-01", "AC-02"}, MicroUSD: 10},
		Run{Issue: "1", Chunk: 1, Role: "verify", MicroUSD: 1},
		Tested{Issue: "1", Chunk: 1, Stage: "chunk", Command: "one", Passed: true},
		Commit{Issue: "1", Chunk: 1, Hash: "aaa", Criteria: []string{"AC-01", "AC-02"}},
		Gate{Issue: "1", Chunk: 1, Event: "report_filed", Gate: "after", Passed: true},
		Run{Issue: "1", Chunk: 1, Criteria: []string{"AC-03"}, MicroUSD: 100},
		Gate{Issue: "1", Chunk: 1, Event: "code_complete", Gate: "second"},
		Gate{Issue: "1", Chunk: 1, Event: "merged", Gate: "last", Passed: true},
		Tested{Issue: "1", Chunk: 1, Stage: "final", Command: "all", Passed: true},
		Run{Issue: "2", Chunk: 1, Criteria: []string{"AC-01"}, MicroUSD: 5000},
	).Account("1")
	type line struct {
		Cost  int64
		Gates []string
		Tests int
		With  []string
	}
	var got []line
	for _, p := range a.Criteria {
		l := line{Cost: p.Cost.MicroUSD, Tests: len(p.Tests), With: p.With}
		for _, g := range p.Gates {
			l.Gates = append(l.Gates, g.Gate)
		}
		got = append(got, l)
	}
	want := []line{{11, []string{"first", "after"}, 1, []string{"AC-02"}}, {11, []string{"first", "after"}, 1, []string{"AC-01"}}, {100, []string{"second"}, 0, nil}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if a.Cost.MicroUSD != 1111 || len(a.Gates) != 4 || len(a.Tests) != 2 {
		t.Errorf("%+v", a)
	}
}

func TestSettledGatesRememberRefusals(t *testing.T) {
	got := Settled([]Gate{{Gate: "a", Event: "x"}, {Gate: "b", Event: "x", Passed: true}, {Gate: "a", Event: "x", Reason: "again"}, {Gate: "a", Event: "x", Passed: true}, {Gate: "a", Event: "y"}})
	want := []Settlement{{Gate{Gate: "a", Event: "x", Passed: true}, 2}, {Gate{Gate: "b", Event: "x", Passed: true}, 0}, {Gate{Gate: "a", Event: "y"}, 0}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestDigest(t *testing.T) {
	b := journal(
		Outcome{Issue: "1", Title: "Old", Result: Merged},
		Run{Issue: "1", Chunk: 1, MicroUSD: 7},
		Run{Issue: "2", Chunk: 1, MicroUSD: 1}, // minute 2: from here on
		Commit{Issue: "2", Chunk: 1, Hash: "a", Criteria: []string{"AC-01"}},
		Outcome{Issue: "2", Title: "New", Result: Merged, Commit: "a"},
		Outcome{Issue: "3", Title: "Pull", Result: Pull, Pull: "https://tracker.invalid/3"},
		Outcome{Issue: "4", Title: "Stuck", Result: Person, Why: "w", Do: "d"},
		Outcome{Issue: "5", Title: "Again", Result: Budget},
		Run{Issue: "5", Chunk: 1, MicroUSD: 2}, // it goes on
		Filed{Issue: "4", What: "todo", Number: 9, Title: "todo: x"},
		Filed{Issue: "4", What: "report", Number: 10},
		Intervened{Issue: "4", What: "commit", Text: "took back"},
		Written{Issue: "6", Criteria: []Criterion{{"AC-01", "read only"}}},
		Outcome{Result: NoWork},
	)
	d := b.Digest(moment(2))
	names := func(items []Item) (out []string) {
		for _, i := range items {
			out = append(out, i.Issue+" "+i.Title+" "+string(i.Result))
		}
		return out
	}
	if diff := cmp.Diff([]string{"2 New merged", "3 Pull pull_request"}, names(d.Done)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"4 Stuck needs_person", "5 Again "}, names(d.NotDone)); diff != "" {
		t.Error(diff)
	}
	if d.Cost.MicroUSD != 3 || len(d.Interventions) != 1 || d.NoWork != minute(13) || d.Done[0].Met != 1 || d.Done[0].Cost.MicroUSD != 1 {
		t.Errorf("%+v", d)
	}
	var waits []string
	for _, w := range d.Waiting {
		waits = append(waits, w.What+" "+w.Issue)
	}
	if diff := cmp.Diff([]string{"pull 3", "todo 4"}, waits); diff != "" {
		t.Error(diff)
	}
	if d := b.Digest(moment(14)); !d.Empty() {
		t.Errorf("%+v", d)
	}
}
