package tokens

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var prices = PriceTable{{Model: "cheap", Rate: Rate{Input: 1_000_000, Output: 2_000_000, CacheRead: 100_000, CacheWrite: 1_250_000}}}

func at(day, hour int) time.Time { return time.Date(2026, 11, day, hour, 0, 0, 0, time.UTC) }

func entry(when time.Time, issue string, chunk int, phase, model string, in int64) Entry {
	return Entry{At: when, Project: "/p", Session: "s" + issue, Place: Place{Issue: issue, Chunk: chunk, Phase: phase}, Model: model, Source: Transcript, Tokens: Tokens{Input: in}}
}

var some = []Entry{
	entry(at(14, 23), "42", 1, "coding", "cheap", 1000),
	entry(at(15, 1), "42", 10, "testing", "cheap", 500),
	entry(at(15, 2), "42", 2, "coding", "odd", 7),
	entry(at(1, 1), "9", 1, "coding", "cheap", 1),
	entry(at(15, 3), "", 0, "", "cheap", 2),
	{At: at(15, 4), Place: Place{Issue: "42", Chunk: 2, Phase: "coding"}, Model: "odd", Source: Run, Paid: true, MicroUSD: 77, Tokens: Tokens{Output: 3}},
	{At: at(6, 4), Place: Place{Issue: "42", Chunk: 2, Phase: "coding"}, Source: Run, Unpriced: true, MicroUSD: 5, Tokens: Tokens{Output: 4}},
}

func TestTabulate(t *testing.T) {
	type line struct {
		Name          string
		Tokens, Money int64
		Unknown       int64
	}
	brief := func(t Table) (out []line) {
		for _, l := range append(t.Lines, t.Total) {
			out = append(out, line{l.Name, l.Sum(), l.MicroUSD, l.Unknown})
		}
		return out
	}
	total := line{"total", 1517, 1000 + 500 + 1 + 2 + 77 + 5, 11}
	for by, want := range map[By][]line{
		ByIssue: {{"#9", 1, 1, 0}, {"#42", 1514, 1582, 11}, {elsewhere, 2, 2, 0}, total},
		ByChunk: {{"#9 chunk 1", 1, 1, 0}, {"#42 chunk 1", 1000, 1000, 0}, {"#42 chunk 2", 14, 82, 11}, {"#42 chunk 10", 500, 500, 0}, {elsewhere, 2, 2, 0}, total},
		ByPhase: {{"coding", 1015, 1083, 11}, {"testing", 500, 500, 0}, {elsewhere, 2, 2, 0}, total},
		ByModel: {{"cheap", 1503, 1503, 0}, {"odd", 10, 77, 7}, {"(no model named)", 4, 5, 4}, total},
		ByDay:   {{"2026-11-01", 1, 1, 0}, {"2026-11-06", 4, 5, 4}, {"2026-11-15", 1512, 1579, 7}, total},
	} {
		zone := time.FixedZone("CET", 3600)
		if diff := cmp.Diff(want, brief(Tabulate(some, by, prices, zone))); diff != "" {
			t.Errorf("%s -want +got:\n%s", by, diff)
		}
	}
	if got := Tabulate(some, ByModel, prices, time.UTC).Total.Models; !cmp.Equal(got, []string{"", "odd"}) {
		t.Errorf("%q", got)
	}
}

// A price is rounded once, not with each message.
func TestManySmallMessages(t *testing.T) {
	var list []Entry
	for range 1000 {
		list = append(list, Entry{Model: "cheap", Tokens: Tokens{CacheRead: 1}})
	}
	if got := Tabulate(list, ByModel, prices, time.UTC).Total.MicroUSD; got != 100 {
		t.Errorf("%d", got)
	}
}

func TestTrend(t *testing.T) {
	got := TrendOf(some, at(15, 12), prices)
	if got.Last.Sum() != 1512 || got.Before.Sum() != 4 || got.Last.MicroUSD != 1579 {
		t.Errorf("%+v", got)
	}
}

func TestDeltasAreWhatTheLedgerLacks(t *testing.T) {
	first := Deltas(some, nil, "next_chunk", at(15, 12), prices)
	if len(first) != len(some) {
		t.Fatalf("%+v", first)
	}
	if again := Deltas(some, first, "next_chunk", at(15, 13), prices); len(again) != 0 {
		t.Errorf("%+v", again)
	}
	more := append([]Entry{entry(at(15, 14), "42", 1, "coding", "cheap", 30)}, some...)
	second := Deltas(more, first, "requirement_done", at(15, 15), prices)
	usd := 0.00003
	want := []Row{{TS: "2026-11-15T15:00:00.000Z", Kind: DeltaRow, Event: "requirement_done", Project: "/p", Session: "s42", Issue: "42", Chunk: 1, Phase: "coding",
		Model: "cheap", Tokens: Tokens{Input: 30}, CostUSD: &usd, Source: Transcript}}
	if diff := cmp.Diff(want, second, cmpopts.IgnoreFields(Row{}, "Key")); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	// Rows and entries tell the same.
	var back []Entry
	for _, r := range append(first, second...) {
		line, err := r.Line()
		read, ok := ParseRow(line)
		if err != nil || !ok || !cmp.Equal(read, r) {
			t.Fatalf("%s: %+v", line, read)
		}
		back = append(back, read.Entry())
	}
	now, then := Tabulate(more, ByModel, prices, time.UTC).Total, Tabulate(back, ByModel, prices, time.UTC).Total
	if now.Tokens != then.Tokens || now.Unknown != then.Unknown || now.MicroUSD-5 != then.MicroUSD { // what is known to be too little is not in the ledger
		t.Errorf("%+v, from the ledger %+v", now, then)
	}
	keys := map[string]bool{}
	for _, r := range append(first, second...) {
		keys[r.Key] = true
	}
	if len(keys) != len(first)+len(second) {
		t.Error("two rows have one key")
	}
	// Less than before, since a transcript was lost, is nothing new.
	if rows := Deltas(some[:1], append(first, second...), "next_chunk", at(15, 16), prices); len(rows) != 0 {
		t.Errorf("%+v", rows)
	}
}

func TestRowsOfOthersAreNone(t *testing.T) {
	for _, line := range []string{``, `{}`, `{"kind":"delta"}`, `{"kind":"x","key":"1"}`, `[]`, `{"kind":"delta","key":"1","input":"7"}`} {
		if r, ok := ParseRow([]byte(line)); ok {
			t.Errorf("%s: %+v", line, r)
		}
	}
}
