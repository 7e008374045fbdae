package durable_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"warp/internal/core/lossless"
	"warp/internal/durable"
	"warp/internal/testkit/faultfs"
)

// anything is a document of any members.
type anything = map[string]*lossless.Value

// scalars are literals whose spelling must survive.
var scalars = []string{"null", "true", "0", "1.50", "1e3", "-0", "9007199254740993", `""`, `"\u0041"`, `"ü\n"`, `"\ud83d\ude00"`}

func drawValue(t *rapid.T, depth int) *lossless.Value {
	pick := rapid.IntRange(0, 9).Draw(t, "kind")
	switch {
	case depth > 0 && pick == 0:
		v := &lossless.Value{Kind: lossless.Array}
		for range rapid.IntRange(0, 4).Draw(t, "elements") {
			v.Elems = append(v.Elems, drawValue(t, depth-1))
		}
		return v
	case depth > 0 && pick == 1:
		v := &lossless.Value{Kind: lossless.Object}
		for i := range rapid.IntRange(0, 3).Draw(t, "members") {
			v.Members = append(v.Members, lossless.Member{Key: fmt.Sprint("k", i), Value: drawValue(t, depth-1)})
		}
		return v
	}
	v, err := lossless.Parse([]byte(rapid.SampledFrom(scalars).Draw(t, "scalar")))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// drawEdit changes one member: it comes, goes, is replaced, or is an array that
// grows, shrinks, or loses its front while it grows.
func drawEdit(t *rapid.T, doc anything) {
	key := rapid.SampledFrom([]string{"a", "b", "c", "", "journal2", "ü"}).Draw(t, "key")
	old := doc[key]
	var elems []*lossless.Value
	if old != nil {
		elems = old.Elems
	}
	more := func() (vs []*lossless.Value) {
		for range rapid.IntRange(1, 3).Draw(t, "more") {
			vs = append(vs, drawValue(t, 2))
		}
		return vs
	}
	array := func(vs []*lossless.Value) *lossless.Value {
		return &lossless.Value{Kind: lossless.Array, Elems: vs}
	}
	switch rapid.IntRange(0, 6).Draw(t, "edit") {
	case 0:
		delete(doc, key)
	case 1:
		doc[key] = drawValue(t, 3)
	case 2, 3:
		doc[key] = array(slices.Concat(elems, more()))
	case 4:
		doc[key] = array(slices.Concat(elems[min(len(elems), 1):], more()))
	case 5:
		doc[key] = array(elems[min(len(elems), 2):])
	case 6:
		doc[key] = array(elems[:len(elems)/2])
	}
}

// However the document changes, the journal alone tells the very bytes of its
// snapshot, after every single update.
func TestReplayingTheJournalGivesTheSnapshot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := project()
		if rapid.Bool().Draw(t, "foreign") {
			f.WriteFile(stateAt, []byte(`{"c":[1,2.0,{"x":1e2}],"a":"\u0041"}`))
		}
		store := storeOn(f, rapid.SampledFrom([]int64{1, 300, 1000, roomy}).Draw(t, "segment"))
		d := durable.Open(store, "drive.json", durable.Kind[anything]{Name: "drive"})
		for range rapid.IntRange(1, 12).Draw(t, "updates") {
			_, err := d.Update(func(tx *durable.Tx[anything]) error {
				if tx.Doc == nil {
					tx.Doc = &anything{}
				}
				for range rapid.IntRange(0, 3).Draw(t, "edits") {
					drawEdit(t, *tx.Doc)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "observer") {
				if err := store.Append("note", "x"); err != nil {
					t.Fatal(err)
				}
			}
			checkRebuilt(t, f, d)
		}
	})
}

// checkRebuilt loses the snapshot in one way or another and compares.
func checkRebuilt(t *rapid.T, f *faultfs.FS, d *durable.Doc[anything]) {
	want := string(f.Files()[stateAt])
	v, err := d.Read()
	if err != nil || len(v.Notes) > 0 {
		t.Fatal(err, v.Notes)
	}
	switch rapid.SampledFrom([]string{"deleted", "emptied", "truncated", "kept"}).Draw(t, "loss") {
	case "deleted":
		if err := f.Remove(stateAt); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Rebuild(); err != nil {
			t.Fatal(err)
		}
	case "emptied":
		f.WriteFile(stateAt, nil)
	case "truncated":
		f.WriteFile(stateAt, []byte(want[:len(want)-2]))
	}
	w, err := d.Read()
	if err != nil {
		t.Fatal(err)
	}
	if got := string(f.Files()[stateAt]); got != want || !lossless.Equal(v.Tree, w.Tree) || v.Rev != w.Rev {
		t.Fatalf("revision %d became %d:\n%s\nwant\n%s", v.Rev, w.Rev, got, want)
	}
}
