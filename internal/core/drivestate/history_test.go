package drivestate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warp/internal/core/lossless"
)

func TestHistoryIsBoundedAndCountsWhatItDropped(t *testing.T) {
	s := working(Merging)
	for i := 1; i <= 1500; i++ {
		now := t0.Add(time.Duration(i) * time.Second)
		must(t, s, Step{Event: PushFailed, Now: now, Limits: huge})
		if want := max(0, i+1-100); len(s.History) != min(i+1, 100) || s.HistoryDropped != want {
			t.Fatalf("after %d moves: %d rows, %d dropped, want %d dropped", i, len(s.History), s.HistoryDropped, want)
		}
	}
	for i, r := range s.History {
		if want := Stamp(t0.Add(time.Duration(1401+i) * time.Second)); r.At != want {
			t.Fatalf("row %d is of %s, want %s: the newest are kept, in order", i, r.At, want)
		}
	}
}

func TestATripWithAutomaticAbortKeepsTheBoundToo(t *testing.T) {
	s, l := working(Coding), huge
	for range 99 {
		s.History = append(s.History, Row{Phase: Coding, At: Stamp(t0)})
	}
	l.PhaseMinutes, l.PhaseEnforcement = 9, Halt
	must(t, s, Step{Event: CodeComplete, Now: t1, Limits: l})
	if len(s.History) != 100 || s.HistoryDropped != 2 || s.History[99].Phase != Aborted || s.History[98].Phase != BudgetExceeded {
		t.Errorf("%d rows, %d dropped, ending with %v", len(s.History), s.HistoryDropped, s.History[98:])
	}
}

func TestWhatRowsCarryBesidesMovesWithThem(t *testing.T) {
	var b strings.Builder
	for i := range 1200 {
		fmt.Fprintf(&b, `{"note":%d.0,"phase":"merging","at":"%d"},`, i, i)
	}
	doc, err := lossless.Parse([]byte(strings.Replace(printed(working(Merging)), `"history": [`, `"history": [`+b.String(), 1)))
	if err != nil {
		t.Fatal(err)
	}
	var s State
	if err := lossless.Decode(doc, &s); err != nil {
		t.Fatal(err)
	}
	must(t, &s, Step{Event: MergeFailed, Now: t1, Limits: huge})
	history := lossless.Encode(s, doc).Get("history").Elems
	if len(history) != 100 || s.HistoryDropped != 1102 {
		t.Fatalf("%d rows, %d dropped", len(history), s.HistoryDropped)
	}
	for i, r := range history[:98] {
		want := fmt.Sprintf(`{"note":%d.0,"phase":"merging","at":"%d"}`, i+1102, i+1102)
		if got := string(lossless.AppendCompact(nil, r)); got != want {
			t.Fatalf("row %d is %s, want %s", i, got, want)
		}
	}
}
