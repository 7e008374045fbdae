package durable_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// attacks on a document that an engine is at, each with a right checksum.
var attacks = map[string]func(t *testing.T, f *faultfs.FS){
	"edited": func(t *testing.T, f *faultfs.FS) {
		f.WriteFile(stateAt, []byte(strings.Replace(string(f.Files()[stateAt]), `"count": 2`, `"count": 70`, 1)))
	},
	"written by the same program without the key": func(t *testing.T, f *faultfs.FS) {
		update(t, docOn(f, roomy), func(tx *durable.Tx[state]) error { tx.Doc.Count = 70; tx.Doc.Phase = "idle"; return nil })
	},
	"a row in the journal alone": func(t *testing.T, f *faultfs.FS) {
		was := f.Files()[stateAt]
		attacksByRow(t, f)
		f.WriteFile(stateAt, was)
	},
	"a removal in the journal alone": func(t *testing.T, f *faultfs.FS) {
		was := f.Files()[stateAt]
		_, err := docOn(f, roomy).Remove()
		must(t, err)
		f.WriteFile(stateAt, was)
	},
	"damaged, with a row to rebuild it from": func(t *testing.T, f *faultfs.FS) {
		attacksByRow(t, f)
		f.WriteFile(stateAt, []byte("{"))
	},
	"written with another key": func(t *testing.T, f *faultfs.FS) {
		update(t, signedDoc(f, key("another")), func(tx *durable.Tx[state]) error { tx.Doc.Count = 70; return nil })
	},
}

func attacksByRow(t *testing.T, f *faultfs.FS) {
	update(t, docOn(f, roomy), func(tx *durable.Tx[state]) error { tx.Doc.Count = 70; return nil })
}

func TestWhatIsNotSignedIsUndoneWhileAnEngineIsAtIt(t *testing.T) {
	for name, attack := range attacks {
		t.Run(name, func(t *testing.T) {
			f := project()
			d := signedDoc(f, own)
			update(t, d, step)
			update(t, d, busy)
			must(t, storeOn(f, roomy).Append("note", "seen"))
			attack(t, f)
			again := signedDoc(f, own) // the engine was killed
			v := read(t, again)
			if v.Doc.Count != 2 || v.Doc.Phase != "busy" || len(v.Notes) == 0 || v.Unsigned {
				t.Fatalf("found %+v, notes %q", v.Doc, v.Notes)
			}
			if d := cmp.Diff([]string{"seen"}, notes(v.Since)); d != "" {
				t.Error(d)
			}
			update(t, again, busy)
			v = read(t, signedDoc(f, own))
			if v.Doc.Count != 3 || v.Undone || len(v.Notes) > 0 || !cmp.Equal(v.Doc.Seen, []string{"seen"}) {
				t.Errorf("after the next write: %+v, notes %q", v.Doc, v.Notes)
			}
			// Readers without the key see the same, also when they have to rebuild it.
			f.WriteFile(stateAt, nil)
			if v := read(t, docOn(f, roomy)); v.Doc.Count != 3 {
				t.Errorf("without the key: %+v", v.Doc)
			}
			if v := read(t, signedDoc(f, own)); v.Doc.Count != 3 || v.Unsigned {
				t.Errorf("then with it: %+v", v)
			}
		})
	}
}

func TestWhatWasUndoneIsKept(t *testing.T) {
	f := project()
	d := signedDoc(f, own)
	update(t, d, busy)
	f.WriteFile(stateAt, []byte(`{"version":3,"phase":"idle","count":70,"items":[]}`))
	told := update(t, d, busy)
	kept := named(f, ".unsigned-")
	if len(kept) != 1 || !strings.Contains(string(f.Files()[kept[0]]), "70") || len(told) != 2 || !strings.Contains(told[1], "is kept as") {
		t.Errorf("kept %q, notes %q", kept, told)
	}
}

// When no engine is at it, what others have written is taken over, and a view
// tells that nothing of it is proven.
func TestWhatOthersWroteIsTakenOverWhenNoEngineIsAtIt(t *testing.T) {
	for name, attack := range attacks {
		if strings.Contains(name, "removal") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			f := project()
			d := signedDoc(f, own)
			update(t, d, busy)
			update(t, d, idle)
			attack(t, f)
			v := read(t, d)
			if v.Doc.Count != 70 || !v.Unsigned || v.Undone {
				t.Fatalf("found %+v (%+v)", v.Doc, v)
			}
			update(t, d, busy)
			if v := read(t, d); v.Doc.Count != 71 || v.Unsigned {
				t.Errorf("then %+v", v)
			}
			if r := last(t, f); r.Full == nil {
				t.Error("what is signed stands on something that is not")
			}
		})
	}
}

// A document that is told whole by the journal is brought back as it was signed.
func TestRebuildingWhatAnEngineIsAt(t *testing.T) {
	f := project()
	d := signedDoc(f, own)
	update(t, d, busy)
	update(t, d, busy)
	signed := f.Files()[stateAt]
	attacksByRow(t, f)
	must(t, f.Remove(stateAt))
	v, err := d.Rebuild()
	must(t, err)
	if v.Doc.Count != 2 || string(f.Files()[stateAt]) != string(signed) {
		t.Errorf("rebuilt %+v", v.Doc)
	}
}
