package durable_test

import (
	"strings"
	"syscall"
	"testing"

	"warp/internal/core/event"
	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// told lists the notes that a journal has, whatever documents there are.
func told(t *testing.T, f durable.FS, segment int64) string {
	t.Helper()
	var rows []event.Row
	_, err := storeOn(f, segment).Events(func(r event.Row) bool { rows = append(rows, r); return true })
	must(t, err)
	return strings.Join(notes(rows), " ")
}

// rotating twice: the journal's size is far above this limit after one row.
const tiny = 1

// starts are journals that a synced row can come into.
var starts = map[string]func(t *testing.T) (*faultfs.FS, int64){
	"nothing there": func(*testing.T) (*faultfs.FS, int64) { return project(), roomy },
	"a journal":     func(t *testing.T) (*faultfs.FS, int64) { f, _, _ := lived(t, 1); return f, roomy },
	"a new segment": func(t *testing.T) (*faultfs.FS, int64) { f, _, _ := lived(t, 1); return f, tiny },
	"a torn row":    func(t *testing.T) (*faultfs.FS, int64) { return torn(t), roomy },
	"unsynced notes": func(t *testing.T) (*faultfs.FS, int64) {
		f, _, _ := lived(t, 1)
		must(t, storeOn(f, roomy).Append("other", "x"))
		return f, roomy
	},
}

func torn(t *testing.T) *faultfs.FS {
	f, _, _ := lived(t, 1)
	text := f.Files()[eventsAt]
	f.WriteFile(eventsAt, append(text, `{"at":"2026`...))
	return f
}

// What AppendSynced has acknowledged survives a power cut, for one sync of the
// journal, however many rows there are.
func TestSyncedRowsSurviveAPowerCut(t *testing.T) {
	for name, start := range starts {
		t.Run(name, func(t *testing.T) {
			f, segment := start(t)
			before := len(f.Trace())
			must(t, storeOn(f, segment).AppendSynced("note", "a", "b", "c"))
			syncs := 0
			for _, op := range f.Trace()[before:] {
				if strings.HasPrefix(op, "sync ") && strings.Contains(op, "events.jsonl") {
					syncs++
				}
			}
			if syncs != 1 {
				t.Errorf("%d syncs of the journal:\n%s", syncs, tail(f))
			}
			for _, mode := range faultfs.Modes() {
				if got := told(t, f.AfterPowerCut(mode), segment); got != "a b c" {
					t.Errorf("after a power cut, %v: %q\n%s", mode, got, tail(f))
				}
			}
		})
	}
}

// One that fails leaves no row behind, and none that comes back.
func TestASyncedAppendThatFailsLeavesNothing(t *testing.T) {
	for name, start := range starts {
		t.Run(name, func(t *testing.T) {
			whole, segment := start(t)
			base := whole.Ops()
			must(t, storeOn(whole, segment).AppendSynced("note", "a", "b"))
			failed := 0
			for n := base + 1; n <= whole.Ops(); n++ {
				for _, how := range []faultfs.Fault{faultfs.ShortWrite, faultfs.Errno(syscall.EIO), faultfs.Errno(syscall.ENOSPC)} {
					f, _ := start(t)
					f.Fail(n, how)
					err := storeOn(f, segment).AppendSynced("note", "a", "b")
					want := "a b"
					if err != nil {
						want, failed = "", failed+1
					}
					for _, mode := range faultfs.Modes() {
						if got := told(t, f.AfterPowerCut(mode), segment); got != want {
							t.Errorf("%v at %d, %v: %v, and there is %q\n%s", how, n, mode, err, got, tail(f))
						}
					}
				}
			}
			if failed == 0 {
				t.Error("nothing failed")
			}
		})
	}
}

// No rows are nothing to write: no lock, no folder.
func TestNoRowsMakeNoJournal(t *testing.T) {
	f := project()
	must(t, storeOn(f, roomy).AppendSynced("note"))
	if f.Ops() != 0 {
		t.Errorf("%s", tail(f))
	}
}
