package nightreport_test

import (
	"strings"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/lossless"
	"warp/internal/core/nightreport"
)

func ends(results ...evidence.Result) (a nightreport.Report) {
	for _, r := range results {
		a.Ends = append(a.Ends, nightreport.End{Outcome: evidence.Outcome{Issue: "1", Result: r}})
	}
	return a
}

// If several apply, the first of 130, 12, 3, 13, 1 is used.
func TestTheWorstReasonCounts(t *testing.T) {
	for _, c := range []struct {
		name string
		of   nightreport.Report
		want evidence.Result
	}{
		{"nothing to do", nightreport.Report{}, evidence.Merged},
		{"all merged", ends(evidence.Merged, evidence.Pull), evidence.Merged},
		{"no work", ends(evidence.NoWork), evidence.Merged},
		{"some merged", ends(evidence.Merged, evidence.Failed), evidence.Partly},
		{"some merged, one asks", ends(evidence.Person, evidence.Merged), evidence.Partly},
		{"none merged", ends(evidence.Failed, evidence.Failed), evidence.Failed},
		{"a person before a failure", ends(evidence.Failed, evidence.Person), evidence.Person},
		{"partly before a person", ends(evidence.Person, evidence.Partly), evidence.Partly},
		{"a budget before all of these", ends(evidence.Merged, evidence.Person, evidence.Budget), evidence.Budget},
		{"stopped before all", ends(evidence.Budget, evidence.Merged, evidence.Stopped), evidence.Stopped},
		{"passed over", nightreport.Report{Passed: []nightreport.Issue{{Number: "4"}}}, evidence.Person},
		{"passed over, since it is done", nightreport.Report{Passed: []nightreport.Issue{{Number: "4", Settled: true}}}, evidence.Merged},
		{"merged, one passed over", nightreport.Report{Ends: ends(evidence.Merged).Ends, Passed: []nightreport.Issue{{Number: "4"}}}, evidence.Partly},
	} {
		if got := c.of.Result(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestTheAccountNamesReasonAndCommand(t *testing.T) {
	a := nightreport.Report{Began: "2026-11-16T22:00:00Z", Ended: "2026-11-16T23:09:00Z", MicroUSD: 1_470_000, Cap: 5_000_000,
		Ends: []nightreport.End{
			{Outcome: evidence.Outcome{Issue: "1", Title: "Search", Result: evidence.Merged}, MicroUSD: 260_000, Seconds: 130},
			{Outcome: evidence.Outcome{Issue: "3", Title: "Delete", Result: evidence.Failed, Why: "chunk 1: TestDelete fails\nmore"}, MicroUSD: 400_000, Unpriced: true, Seconds: 300},
		},
		Passed: []nightreport.Issue{{Number: "4", Title: "Sort", Passed: "it has no acceptance criteria", Do: "warp issue edit 4"}},
		Asks:   []nightreport.Question{{ID: "q1", Issue: "5", Text: "Which order?", Taken: "newest"}},
		Why:    "it was 07:00",
	}
	want := `1 merged, 1 failed, 1 passed over, 1 question for you: $1.47 of $5.00, 1 h 9 min
✓ #1 Search: merged, $0.26, 2 min 10 s
    warp evidence 1
✗ #3 Delete: failed, at least $0.40, 5 min 0 s: chunk 1: TestDelete fails
    warp evidence 3
· #4 Sort: passed over: it has no acceptance criteria
    warp issue edit 4
? #5 q1 asks: Which order? (took the default: newest)
    warp answer q1
it was 07:00
`
	if got := a.Text(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := (nightreport.Report{}).Headline(); got != "nothing to do" {
		t.Errorf("an empty account says %q", got)
	}
}

// What merged criteria have cost is what the next ones will: their middle half, or all
// of them when they are few.
func TestAnEstimateIsARange(t *testing.T) {
	past := []nightreport.Past{{2, 200, 20 * time.Minute}, {1, 300, 30 * time.Minute}, {0, 9, time.Hour}}
	got := nightreport.Predict(past, 4, 2)
	want := nightreport.Estimate{Requirements: 2, Criteria: 3, Low: 400, High: 1200, Shortest: 20 * time.Minute, Longest: time.Hour}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for range 4 {
		past = append(past, nightreport.Past{Criteria: 1, MicroUSD: 200, Took: 10 * time.Minute})
	}
	if got := nightreport.Predict(past, 1, 1); got.Low != 200 || got.High != 200 {
		t.Errorf("outliers count: %+v", got)
	}
	if nightreport.Predict(nil, 3, 1).Known() {
		t.Error("nothing is known, and an estimate says otherwise")
	}
}

func TestHistoryAndMoneyAreThoseOfEachIssue(t *testing.T) {
	book := &evidence.Book{}
	take := func(at, kind string, row any) {
		book.Take(event.Row{At: at, Kind: kind, Data: lossless.Encode(row, nil)})
	}
	take("2026-11-16T22:01:00Z", event.Run, evidence.Run{Issue: "1", Epoch: 7, MicroUSD: 100, Input: 5, Output: 6})
	take("2026-11-16T22:02:00Z", event.Run, evidence.Run{Issue: "2", Epoch: 8, MicroUSD: 900, Unpriced: true})
	take("2026-11-16T22:03:00Z", event.Commit, evidence.Commit{Issue: "1", Epoch: 7, Criteria: []string{"AC-01", "AC-02"}})
	merged := evidence.Outcome{Issue: "1", Epoch: 7, Result: evidence.Merged, Started: "2026-11-16T22:00:00Z"}
	failed := evidence.Outcome{Issue: "2", Epoch: 8, Result: evidence.Failed, Started: "2026-11-16T22:00:00Z"}
	take("2026-11-16T22:05:00Z", event.Outcome, merged)
	if got := nightreport.History(book); len(got) != 1 || got[0] != (nightreport.Past{Criteria: 2, MicroUSD: 100, Took: 5 * time.Minute}) {
		t.Errorf("history: %+v", got)
	}
	got := nightreport.Conclude(book, []evidence.Outcome{merged, failed}, "2026-11-16T22:10:00Z")
	if len(got) != 2 || got[0].MicroUSD != 100 || got[0].Tokens != 11 || got[0].Seconds != 300 || got[1].MicroUSD != 900 || !got[1].Unpriced || got[1].Seconds != 600 {
		t.Errorf("ends: %+v", got)
	}
	if text := (nightreport.Report{Ends: got}).Text(); !strings.Contains(text, "#2: failed, at least $0.0009") {
		t.Errorf("money is missing in %s", text)
	}
}

// A pull request that is followed in the same night has several drives of one issue; a
// drive that was resumed is one.
func TestTheMoneyOfAnIssueIsThatOfAllItsDrives(t *testing.T) {
	book := &evidence.Book{}
	take := func(at, kind string, row any) {
		book.Take(event.Row{At: at, Kind: kind, Data: lossless.Encode(row, nil)})
	}
	drive := func(issue string, epoch, cost int64, from, to string, result evidence.Result) evidence.Outcome {
		o := evidence.Outcome{Issue: issue, Epoch: epoch, Result: result, Started: "2026-11-16T" + from + ":00Z"}
		take("2026-11-16T"+to+":00Z", event.Run, evidence.Run{Issue: issue, Epoch: epoch, MicroUSD: cost, Input: 1})
		take("2026-11-16T"+to+":00Z", event.Outcome, o)
		return o
	}
	drive("1", 1, 5000, "20:00", "20:30", evidence.Failed) // of the evening before
	ends := []evidence.Outcome{
		drive("1", 7, 100, "22:00", "22:05", evidence.Pull),
		drive("2", 8, 900, "22:05", "22:06", evidence.Merged),
		drive("1", 9, 20, "23:00", "23:01", evidence.Budget),
		drive("1", 9, 3, "23:00", "23:02", evidence.Pull),
	}
	ends = append(ends, ends[3]) // journalled and told
	got := nightreport.Conclude(book, ends, "2026-11-17T07:00:00Z")
	if len(got) != 2 || got[0].Outcome.Issue != "2" || got[0].MicroUSD != 900 {
		t.Fatalf("%+v", got)
	}
	if e := got[1]; e.Outcome.Epoch != 9 || e.Outcome.Result != evidence.Pull || e.MicroUSD != 123 || e.Tokens != 3 || e.Seconds != 7*60 {
		t.Errorf("%+v", e)
	}
}
