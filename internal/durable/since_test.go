package durable_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// waits checks which observers' rows a reader is told.
func waits(t *testing.T, f durable.FS, want ...string) {
	t.Helper()
	if got := notes(read(t, docOn(f, roomy)).Since); !cmp.Equal(got, want) {
		t.Errorf("told %q, want %q", got, want)
	}
}

// Observers' rows wait until an update writes, however often it is tried, and
// are told exactly once.
func TestObserversRowsWaitForTheUpdateThatWrites(t *testing.T) {
	f, d, _ := lived(t, 1)
	s := storeOn(f, roomy)
	waits(t, f)
	must(t, s.Append("note", "a", "b"))
	must(t, s.Append("other", "not a note"))
	must(t, s.Append("note", "c"))
	waits(t, f, "a", "b", "c")
	if rows := read(t, d).Since; len(rows) != 4 || rows[2].Kind != "other" || rows[0].PID != 42 || rows[0].At == "" {
		t.Errorf("told %+v", rows)
	}
	boom := errors.New("boom")
	if _, err := d.Update(func(tx *durable.Tx[state]) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	waits(t, f, "a", "b", "c")
	f.Limit(used(f))
	_, err := d.Update(step)
	checkFull(t, err)
	f.Limit(-1)
	waits(t, f, "a", "b", "c")
	update(t, d, step)
	waits(t, f)
	must(t, s.Append("note", "d"))
	update(t, d, step)
	if v := read(t, d); !cmp.Equal(v.Doc.Seen, []string{"a", "b", "c", "d"}) {
		t.Errorf("seen %q", v.Doc.Seen)
	}
}

// They wait for a document that is not there yet, and one that is not there
// any more keeps its own to itself.
func TestObserversRowsWaitForADocument(t *testing.T) {
	f := project()
	d := docOn(f, roomy)
	must(t, storeOn(f, roomy).Append("note", "a"))
	update(t, d, step)
	must(t, storeOn(f, roomy).Append("note", "b"))
	_, err := d.Remove()
	must(t, err)
	must(t, storeOn(f, roomy).Append("note", "c"))
	update(t, d, step)
	if v := read(t, d); !cmp.Equal(v.Doc.Seen, []string{"c"}) || v.Rev != 3 || v.Doc.Count != 1 {
		t.Errorf("seen %q, revision %d", v.Doc.Seen, v.Rev)
	}
}

// Repairing the document neither takes them in nor tells them twice.
func TestObserversRowsOutlastRepair(t *testing.T) {
	for name, harm := range map[string]func(f *faultfs.FS, text string){
		"damaged": func(f *faultfs.FS, _ string) { f.WriteFile(stateAt, nil) },
		"behind":  func(f *faultfs.FS, text string) { f.WriteFile(stateAt, []byte(text)) },
		"edited by hand": func(f *faultfs.FS, _ string) {
			f.WriteFile(stateAt, []byte(strings.Replace(string(f.Files()[stateAt]), "idle", "busy", 1)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, d, text := lived(t, 2)
			must(t, storeOn(f, roomy).Append("note", "a"))
			update(t, d, step)
			must(t, storeOn(f, roomy).Append("note", "b"))
			harm(f, text)
			waits(t, f, "b")
			waits(t, f, "b")
			update(t, d, step)
			if v := read(t, d); !cmp.Equal(v.Doc.Seen, []string{"a", "b"}) || len(notes(v.Since)) > 0 {
				t.Errorf("seen %q, since %q", v.Doc.Seen, notes(v.Since))
			}
		})
	}
}

// An append that fails leaves nothing behind: no row, and no half of one.
func TestAnAppendThatFailsLeavesNothing(t *testing.T) {
	whole, _, _ := lived(t, 1)
	base := whole.Ops()
	must(t, storeOn(whole, roomy).Append("note", "a", "b"))
	for n := base + 1; n <= whole.Ops(); n++ {
		for _, how := range []faultfs.Fault{faultfs.ShortWrite, faultfs.Errno(syscall.EIO)} {
			f, _, _ := lived(t, 1)
			before := string(f.Files()[eventsAt])
			f.Fail(n, how)
			err := storeOn(f, roomy).Append("note", "a", "b")
			if after := string(f.Files()[eventsAt]); err != nil && after != before {
				t.Errorf("%v at %d: %v left %q", how, n, err, after[len(before):])
			} else if err == nil {
				waits(t, f, "a", "b")
			}
		}
	}
}
