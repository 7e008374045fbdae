package durable_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"warp/internal/core/event"
)

// first is the first row of a document in a segment.
func first(t *testing.T, text []byte) event.Row {
	t.Helper()
	for line := range strings.Lines(string(text)) {
		if r, err := new(event.Reader).Parse(strings.TrimSuffix(line, "\n")); err == nil && r.Doc != "" {
			return r
		}
	}
	t.Fatal("a segment without the document")
	return event.Row{}
}

func TestARotationBeginsWithTheWholeDocumentAndKeepsOldSegments(t *testing.T) {
	f := project()
	d := docOn(f, rotating)
	var history []byte
	for i := range 30 {
		before := f.Files()
		update(t, d, step)
		after := f.Files()
		for name, data := range before {
			if strings.Contains(name, "/events-") && !bytes.Equal(after[name], data) {
				t.Fatalf("update %d changed the old segment %s", i, name)
			}
		}
	}
	segments := named(f, "/events-")
	if len(segments) < 5 {
		t.Fatalf("only %q", segments)
	}
	for _, name := range append(segments, eventsAt) {
		text := f.Files()[name]
		if first(t, text).Full == nil {
			t.Errorf("%s begins with a change", name)
		}
		history = append(history, text...)
	}
	var revs []int64
	all, damaged := rows(t, storeOn(f, rotating))
	for _, r := range all {
		revs = append(revs, r.Rev)
	}
	if len(revs) != 30 || !slices.IsSorted(revs) || damaged != 0 || bytes.Count(history, []byte("\n")) != 30 {
		t.Errorf("revisions %v, %d damaged", revs, damaged)
	}
}

// A row in the journal costs what changed, not what is there.
func TestARowDoesNotGrowWithTheDocument(t *testing.T) {
	f := project()
	d := docOn(f, roomy)
	sizes := []int{}
	for range 200 {
		before := len(f.Files()[eventsAt])
		update(t, d, step)
		sizes = append(sizes, len(f.Files()[eventsAt])-before)
	}
	if last := sizes[199]; last > sizes[1]+20 {
		t.Errorf("the second row took %d bytes, the last %d", sizes[1], last)
	}
}

// The revision never goes back, and observers' rows wait for the document
// across a rotation that came to nothing.
func TestARotationThatCameToNothingLosesNothing(t *testing.T) {
	f, d, _ := lived(t, 3)
	must(t, storeOn(f, roomy).Append("note", "x"))
	segment := home + "/state/events-20260102T030405.678-000.jsonl"
	must(t, f.Rename(eventsAt, segment)) // and then the power went
	check := func(when string, since ...string) {
		t.Helper()
		if v := read(t, d); v.Rev != 3 || !cmp.Equal(notes(v.Since), since) || len(v.Notes) > 0 {
			t.Errorf("%s: revision %d, since %q, notes %q", when, v.Rev, notes(v.Since), v.Notes)
		}
	}
	check("without a current segment", "x")
	must(t, storeOn(f, roomy).Append("note", "y"))
	check("with one that has no document", "x", "y")
	update(t, d, step)
	if r := first(t, f.Files()[eventsAt]); r.Full == nil || r.Rev != 4 {
		t.Errorf("the new segment begins with %+v", r)
	}
	if v := read(t, d); !cmp.Equal(v.Doc.Seen, []string{"x", "y"}) || len(v.Since) > 0 {
		t.Errorf("seen %q, since %q", v.Doc.Seen, notes(v.Since))
	}
}

// Observers alone rotate late, and the document is still told.
func TestObserversRotateLate(t *testing.T) {
	f := project()
	d := docOn(f, rotating)
	update(t, d, step)
	var want []string
	for i := 0; len(named(f, "/events-")) == 0; i++ {
		if size := len(f.Files()[eventsAt]); size > 3*rotating {
			t.Fatalf("a segment of %d bytes", size)
		}
		want = append(want, fmt.Sprint(i))
		must(t, storeOn(f, rotating).Append("note", want[i]))
	}
	if v := read(t, d); v.Rev != 1 || !cmp.Equal(notes(v.Since), want) {
		t.Errorf("revision %d, since %q", v.Rev, notes(v.Since))
	}
	f.WriteFile(stateAt, nil)
	if v := read(t, d); v.Doc.Count != 1 || !cmp.Equal(notes(v.Since), want) {
		t.Errorf("rebuilt: count %d, since %q", v.Doc.Count, notes(v.Since))
	}
	update(t, d, step)
	if err := lasting(f, setting{segment: rotating}); err != nil {
		t.Error(err)
	}
}

// A removal is known as one, also when the journal was about to rotate.
func TestARemovalIsKnownAcrossSegments(t *testing.T) {
	for _, segment := range []int64{1, rotating, roomy} {
		f := project()
		d := docOn(f, segment)
		for range 3 {
			update(t, d, step)
		}
		if known, removed := d.Known(); !known || removed {
			t.Errorf("segments of %d: known %v, removed %v", segment, known, removed)
		}
		_, err := d.Remove()
		must(t, err)
		for range 3 {
			must(t, storeOn(f, segment).Append("note", "x"))
		}
		if known, removed := d.Known(); !known || !removed {
			t.Errorf("segments of %d: known %v, removed %v", segment, known, removed)
		}
		if v, err := d.Rebuild(); err != nil || v.Doc.Count != 3 {
			t.Errorf("segments of %d: rebuilt %+v, %v", segment, v.Doc, err)
		}
	}
}

// With the old segment's name taken, the next free one is used.
func TestARotationOverwritesNoSegment(t *testing.T) {
	f := project()
	taken := home + "/state/events-20260102T030405.678-000.jsonl"
	f.WriteFile(taken, []byte("mine\n"))
	d := docOn(f, 1)
	update(t, d, step)
	update(t, d, step)
	if string(f.Files()[taken]) != "mine\n" || len(named(f, "/events-")) != 2 {
		t.Errorf("segments %q", named(f, "/events-"))
	}
}
