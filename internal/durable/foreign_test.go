package durable_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/event"
	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// last is the journal's last row of the document.
func last(t *testing.T, f *faultfs.FS) (r event.Row) {
	t.Helper()
	all, _ := rows(t, storeOn(f, roomy))
	for _, row := range all {
		if row.Doc != "" {
			r = row
		}
	}
	return r
}

// Whatever others make of the snapshot wins over the journal, and the next
// write tells the whole document again.
func TestASnapshotOfSomebodyElseWins(t *testing.T) {
	for _, test := range []struct {
		name   string
		meddle func(f *faultfs.FS, text string)
		rev    int64
	}{
		{"written without the store's member", func(f *faultfs.FS, text string) {
			f.WriteFile(stateAt, []byte(`{"version":3,"phase":"busy","count":70,"items":[]}`))
		}, 3},
		{"edited by hand", func(f *faultfs.FS, text string) {
			f.WriteFile(stateAt, []byte(strings.Replace(text, `"count": 3`, `"count": 70`, 1)))
		}, 3},
		{"edited by hand, nonsense in the store's member", func(f *faultfs.FS, text string) {
			text = strings.Replace(text, `"count": 3`, `"count": 70`, 1)
			f.WriteFile(stateAt, []byte(strings.Replace(text, `"rev": 3`, `"rev": -9223372036854775808`, 1)))
		}, 3},
		{"the journal was removed", func(f *faultfs.FS, text string) {
			f.WriteFile(stateAt, []byte(strings.Replace(text, `"count": 3`, `"count": 70`, 1)))
			must(t, f.Remove(eventsAt))
			must(t, f.Remove(home+"/state"))
		}, 3},
		{"the journal is another one", func(f *faultfs.FS, text string) {
			f.WriteFile(stateAt, []byte(strings.Replace(text, `"count": 3`, `"count": 70`, 1)))
			f.WriteFile(eventsAt, event.Row{At: "x", Kind: "edit"}.Line())
		}, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, d, text := lived(t, 3)
			test.meddle(f, text)
			if v := read(t, d); v.Doc.Count != 70 || v.Rev != test.rev || len(v.Notes) > 0 {
				t.Fatalf("found %+v, revision %d, notes %q", v.Doc, v.Rev, v.Notes)
			}
			must(t, storeOn(f, roomy).Append("note", "x"))
			update(t, d, step)
			if r := last(t, f); r.Full == nil || r.Rev != test.rev+1 {
				t.Errorf("the next row is %+v", r)
			}
			if v := read(t, d); v.Doc.Count != 71 || !cmp.Equal(v.Doc.Seen, []string{"x"}) {
				t.Errorf("found %+v", v.Doc)
			}
			if err := lasting(f, setting{segment: roomy}); err != nil {
				t.Error(err)
			}
			update(t, d, step)
			if r := last(t, f); r.Patch == nil {
				t.Errorf("the row after that is %+v", r)
			}
		})
	}
}

// The snapshot wins, too, when it is to be removed and the journal is gone.
func TestRemovingWithoutAJournal(t *testing.T) {
	f, d, _ := lived(t, 2)
	must(t, f.Remove(eventsAt))
	must(t, f.Remove(home+"/state"))
	_, err := d.Remove()
	must(t, err)
	if got, _, _ := look(docOn(f.AfterPowerCut(faultfs.DropAll), roomy)); got != missing {
		t.Errorf("found %s", got)
	}
}

// Two documents share a journal without knowing of each other.
func TestDocumentsDoNotMix(t *testing.T) {
	f, d, _ := lived(t, 2)
	other := kind
	other.Name = "other"
	e := durable.Open(storeOn(f, roomy), "other.json", other)
	for range 3 {
		update(t, e, step)
		update(t, d, step)
	}
	f.WriteFile(stateAt, nil)
	f.WriteFile(home+"/other.json", nil)
	if v, w := read(t, d), read(t, e); v.Doc.Count != 5 || w.Doc.Count != 3 || v.Rev != 5 || w.Rev != 3 {
		t.Errorf("found %+v and %+v", v.Doc, w.Doc)
	}
	must(t, storeOn(f, roomy).Append("note", "x"))
	for range 3 {
		update(t, e, func(tx *durable.Tx[state]) error { tx.Doc.Count++; return nil })
	}
	f.WriteFile(stateAt, []byte(`{"version":3,"count":9}`))
	if v := read(t, d); v.Rev != 5 || !cmp.Equal(notes(v.Since), []string{"x"}) {
		t.Errorf("beside another: revision %d, since %q", v.Rev, notes(v.Since))
	}
}

func TestUpdateWithoutAChangeToMake(t *testing.T) {
	f, d, text := lived(t, 1)
	boom := func(tx *durable.Tx[state]) error { tx.Doc.Count = 99; return durableTestError }
	if _, err := d.Update(boom); err != durableTestError {
		t.Errorf("got %v", err)
	}
	_, err := d.Update(func(tx *durable.Tx[state]) error { tx.Doc.Phase = "dancing"; return nil })
	mentions(t, err, "the new state is invalid", "nothing was written", "dancing")
	if string(f.Files()[stateAt]) != text {
		t.Error("something was written")
	}
	_, err = d.Remove()
	must(t, err)
	_, removeErr := d.Remove()
	_, nothingErr := d.Update(func(*durable.Tx[state]) error { return nil })
	for _, err := range []error{removeErr, nothingErr} {
		if !durable.IsMissing(err) {
			t.Errorf("got %v", err)
		}
		mentions(t, err, "there is no", "drive.json")
	}
}

type testError string

func (e testError) Error() string { return string(e) }

const durableTestError = testError("fn says no")

func TestRebuildBringsBackWhatWasRemoved(t *testing.T) {
	f, d, text := lived(t, 3)
	if _, err := docOn(project(), roomy).Rebuild(); err == nil {
		t.Error("rebuilt from nothing")
	} else {
		mentions(t, err, "the journal has no row of it")
	}
	must(t, f.Remove(stateAt)) // by hand: it stays away
	if got, _, _ := look(d); got != missing {
		t.Errorf("found %s", got)
	}
	v, err := d.Rebuild()
	must(t, err)
	if string(f.Files()[stateAt]) != text || v.Rev != 3 || len(v.Notes) != 1 {
		t.Errorf("rebuilt %s, notes %q", f.Files()[stateAt], v.Notes)
	}
	_, err = d.Remove()
	must(t, err)
	_, err = d.Rebuild()
	must(t, err)
	if v := read(t, d); v.Doc.Count != 3 {
		t.Errorf("rebuilt after a removal: %+v", v.Doc)
	}
	update(t, d, step)
	if err := lasting(f, setting{segment: roomy}); err != nil {
		t.Error(err)
	}
	f, d, _ = lived(t, 3)
	f.WriteFile(stateAt, []byte(`{"version":3,"count":9}`)) // good, but not wanted
	v, err = d.Rebuild()
	must(t, err)
	if aside := named(f, ".damaged-"); v.Doc.Count != 3 || len(aside) != 1 || !strings.Contains(v.Notes[0], "the old content is set aside as") {
		t.Errorf("rebuilt %+v, aside %q, notes %q", v.Doc, aside, v.Notes)
	}
}
