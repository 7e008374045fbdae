package durable_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"warp/internal/core/event"
	"warp/internal/durable"
)

// Each row is taken once, across rotations, however often the journal is looked at.
func TestATailTakesEachRowOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude")
	store := durable.New(durable.Config{Dir: dir, Now: time.Now, PID: 1, SegmentSize: 300})
	var got []int64
	tail := store.Tail(func(r event.Row) {
		n, _ := r.Data.Get("n").Int()
		got = append(got, n)
	})
	for n := range 40 {
		if err := store.Append("x", map[string]int{"n": n}); err != nil {
			t.Fatal(err)
		}
		if n%3 == 0 {
			if again, err := tail.Rewound(); again || err != nil {
				t.Fatalf("row %d: %v %v", n, again, err)
			}
			if damaged, err := tail.Read(); damaged > 0 || err != nil {
				t.Fatalf("row %d: %d %v", n, damaged, err)
			}
		}
	}
	if segments, _ := filepath.Glob(filepath.Join(dir, "state", "events-*")); len(segments) < 2 {
		t.Fatalf("it did not rotate: %q", segments)
	}
	if len(got) != 40 || fmt.Sprint(got) != fmt.Sprint(count(40)) {
		t.Errorf("%v", got)
	}
}

func count(n int) (list []int64) {
	for i := range n {
		list = append(list, int64(i))
	}
	return list
}

// A line on its way is taken when it is whole, and a journal that was replaced is read anew.
func TestATailWaitsForWholeLinesAndNoticesAnotherJournal(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude")
	store := durable.New(durable.Config{Dir: dir, Now: time.Now, PID: 1})
	rows := 0
	tail := store.Tail(func(event.Row) { rows++ })
	if err := store.Append("x", map[string]int{"n": 1}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "state", "events.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	other := event.Row{At: "x", Kind: "y"}.Line()
	for len(other) < len(whole) {
		other = append(other, '\n')
	}
	for _, c := range []struct {
		text  string
		again bool
		rows  int
	}{
		{string(whole[:20]), false, 0},
		{string(whole), false, 1},
		{string(whole) + string(whole), false, 2},
		{string(whole), true, 3},                 // cut
		{string(other) + string(other), true, 5}, // cut, and grown past where it was read
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		again, err := tail.Rewound()
		if err != nil || again != c.again {
			t.Fatalf("%d bytes: rewound %v, %v", len(c.text), again, err)
		}
		if _, err := tail.Read(); err != nil || rows != c.rows {
			t.Fatalf("%d bytes: %d rows, %v", len(c.text), rows, err)
		}
	}
}

// A clock that was set back names a full file as if it were older; a kill can cut the end of
// the last line of one.
func TestATailTakesEachRowOnceWhateverFilesAreCalled(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude")
	store := durable.New(durable.Config{Dir: dir, Now: time.Now, PID: 1})
	var got []int64
	read := func(tail *durable.Tail) {
		t.Helper()
		if again, err := tail.Rewound(); again || err != nil {
			t.Fatal(again, err)
		}
		if _, err := tail.Read(); err != nil {
			t.Fatal(err)
		}
	}
	take := func(r event.Row) {
		n, _ := r.Data.Get("n").Int()
		got = append(got, n)
	}
	path := filepath.Join(dir, "state", "events.jsonl")
	tail := store.Tail(take)
	for i, name := range []string{"events-20260301T000000.000-000.jsonl", "events-20260201T000000.000-000.jsonl", "events-20260101T000000.000-000.jsonl"} {
		for n := range 2 {
			if err := store.Append("x", map[string]int{"n": 2*i + n}); err != nil {
				t.Fatal(err)
			}
		}
		if i == 0 {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(path, info.Size()-1); err != nil {
				t.Fatal(err)
			}
		}
		read(tail)
		if err := os.Rename(path, filepath.Join(dir, "state", name)); err != nil {
			t.Fatal(err)
		}
		read(tail)
	}
	if err := store.Append("x", map[string]int{"n": 6}); err != nil {
		t.Fatal(err)
	}
	read(tail)
	if fmt.Sprint(got) != fmt.Sprint(count(7)) {
		t.Errorf("%v", got)
	}
	got = nil
	read(store.Tail(take))
	if len(got) != 7 {
		t.Errorf("a new one takes %v", got)
	}
}

func TestARotationIsTheNewest(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".claude")
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	store := durable.New(durable.Config{Dir: dir, Now: func() time.Time { return now }, PID: 1, SegmentSize: 300})
	var got []int64
	for n := range 20 {
		if err := store.Append("x", map[string]int{"n": n}); err != nil {
			t.Fatal(err)
		}
		now = now.Add(-time.Hour)
	}
	if _, err := store.Events(func(r event.Row) bool {
		n, _ := r.Data.Get("n").Int()
		got = append(got, n)
		return true
	}); err != nil || fmt.Sprint(got) != fmt.Sprint(count(20)) {
		t.Errorf("%v, %v", got, err)
	}
}
