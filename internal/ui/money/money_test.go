package money_test

import (
	"bytes"
	"encoding/csv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/evidence"
	"warp/internal/ui/money"
)

// book is a week: 42 is merged, 43 failed, 44 failed once and was merged then, 45 goes on
// after it had failed.
func book() *evidence.Book {
	b, n := &evidence.Book{}, 0
	next := func() int { n++; return n }
	run := func(at, issue, work, model string, micro int64, input int64) {
		e := evidence.Entry[evidence.Run]{N: next(), At: at, Row: evidence.Run{Issue: issue, Work: work, Model: model, Agent: "claude", MicroUSD: micro, Input: input, Output: 10, CacheRead: 100, CacheWrite: 1, Unpriced: micro == 0}}
		if work != "" {
			b.Others = append(b.Others, e)
			return
		}
		b.Runs = append(b.Runs, e)
	}
	end := func(at, issue, title string, r evidence.Result) {
		b.Outcomes = append(b.Outcomes, evidence.Entry[evidence.Outcome]{N: next(), At: at, Row: evidence.Outcome{Issue: issue, Title: title, Result: r}})
	}
	commit := func(issue string, ids ...string) {
		b.Commits = append(b.Commits, evidence.Entry[evidence.Commit]{N: next(), Row: evidence.Commit{Issue: issue, Hash: issue, Criteria: ids}})
	}
	run("2026-11-10T23:30:00Z", "42", "", "opus", 2_000_000, 1000)
	run("2026-11-11T01:00:00Z", "42", "", "haiku", 400_000, 500)
	commit("42", "AC-01", "AC-02")
	end("2026-11-11T02:00:00Z", "42", "Greet", evidence.Merged)
	run("2026-11-11T03:00:00Z", "43", "", "opus", 1_000_000, 9)
	end("2026-11-11T04:00:00Z", "43", "=HYPERLINK(1)", evidence.Failed)
	run("2026-11-13T03:00:00Z", "44", "", "opus", 500_000, 9)
	end("2026-11-13T04:00:00Z", "44", "Store", evidence.Failed)
	run("2026-11-13T05:00:00Z", "44", "", "", 100_000, 9)
	commit("44", "AC-01")
	end("2026-11-13T06:00:00Z", "44", "Store", evidence.Merged)
	end("2026-11-13T06:10:00Z", "45", "Again", evidence.Failed)
	run("2026-11-13T07:00:00Z", "45", "", "opus", 0, 9)
	run("2026-11-13T08:00:00Z", "", "session auth", "opus", 300_000, 9)
	return b
}

func name(work string) string { return strings.Replace(work, "session", "loop", 1) }

var start = time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)

func TestWhatBecameOfTheMoney(t *testing.T) {
	s := money.Count(book(), start, name)
	got := map[string]money.Fate{}
	for _, w := range s.Works {
		got[w.Issue+w.Name] = w.Fate
	}
	want := map[string]money.Fate{"42": money.Merged, "43": money.NotMerged, "44": money.Merged, "45": money.UnderWay, "loop auth": money.Other}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if s.Works[0].Issue != "42" || s.Works[0].Cost.MicroUSD != 2_400_000 || s.Works[0].Criteria != 2 {
		t.Errorf("the dearest is %+v", s.Works[0])
	}
	if s.Total.MicroUSD != 4_300_000 || s.Total.Unpriced != 1 || s.Fates[money.NotMerged].MicroUSD != 1_000_000 || s.Fates[money.Merged].MicroUSD != 3_000_000 {
		t.Errorf("%+v, %+v", s.Total, s.Fates)
	}
	// What failed is paid by what was merged: (3.00 + 1.00) for three criteria.
	if each, known := s.PerCriterion(); !known || each.MicroUSD != 1_333_333 || s.Criteria != 3 {
		t.Errorf("%d for each of %d", each.MicroUSD, s.Criteria)
	}
	if s.Tokens != (money.Tokens{Input: 1000 + 500 + 5*9, Output: 70, CacheRead: 700, CacheWrite: 7}) {
		t.Errorf("%+v", s.Tokens)
	}
	if len(s.Trend) != 2 || s.Trend[0].MicroUSD != 1_200_000 || s.Trend[1].MicroUSD != 600_000 {
		t.Errorf("%+v", s.Trend)
	}
}

// Days are those of the reader, and a day without a run is a day.
func TestDays(t *testing.T) {
	for _, c := range []struct {
		zone *time.Location
		want string
	}{
		{time.UTC, "2026-11-10 opus 2; 2026-11-11 haiku 0.4 opus 1; 2026-11-12; 2026-11-13 claude 0.1 opus 0.8"},
		{time.FixedZone("EAST", 9*3600), "2026-11-11 haiku 0.4 opus 3; 2026-11-12; 2026-11-13 claude 0.1 opus 0.8"},
	} {
		var days []string
		for _, d := range money.Count(book(), start.In(c.zone), name).Days {
			words := []string{d.Date.Format("2006-01-02")}
			for _, m := range d.Models {
				words = append(words, m.Name, strings.TrimRight(strings.TrimRight(evidence.Dollars(m.Cost.MicroUSD)[1:], "0"), "."))
			}
			days = append(days, strings.Join(words, " "))
		}
		if got := strings.Join(days, "; "); got != c.want {
			t.Errorf("%v: %s", c.zone, got)
		}
	}
}

func TestSince(t *testing.T) {
	s := money.Count(book(), time.Date(2026, 11, 13, 0, 0, 0, 0, time.UTC), name)
	if s.Total.Runs != 4 || len(s.Days) != 1 || len(s.Works) != 3 {
		t.Errorf("%+v", s)
	}
}

func TestNothing(t *testing.T) {
	s := money.Count(&evidence.Book{}, start, name)
	if _, known := s.PerCriterion(); known || len(s.Days) != 0 {
		t.Errorf("%+v", s)
	}
}

// A clock that stood at 1970 for a run makes no list of 20,000 days.
func TestAClockThatWasWrong(t *testing.T) {
	b := book()
	b.Runs[0].At = "1970-01-01T00:00:00Z"
	if s := money.Count(b, time.Time{}, name); len(s.Days) > 400 || s.Days[0].Date.Year() != 2025 || s.Days[len(s.Days)-1].Cost.Runs == 0 {
		t.Errorf("%d days", len(s.Days))
	}
}

func TestCSV(t *testing.T) {
	var out bytes.Buffer
	if err := money.Count(book(), start, name).WriteCSV(&out); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&out).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"day|2026-11-11|haiku|||" + "|1|611|0|0.4|0",
		"issue||42|Greet|merged|2|2|1722|0|2.4|0",
		"issue||43|'=HYPERLINK(1)|not merged|0|1|120|0|1|0", // no formula
		"work||loop auth||no issue||1|120|0|0.3|0",
		"total|||||3|7|2322|0|4.3|1",
	} {
		found := false
		for _, r := range rows {
			found = found || strings.Join(r, "|") == want
		}
		if !found {
			t.Errorf("no row %s in\n%v", want, rows)
		}
	}
}
