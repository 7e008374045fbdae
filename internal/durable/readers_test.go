package durable_test

import (
	"fmt"
	"io/fs"
	"runtime"
	"sync"
	"testing"

	"warp/internal/durable"
)

// Readers on the real file system while others write: never an error, never
// half a document, never an old revision after a newer one.
func TestReadersNeverGoBackWhileOthersWrite(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open for reading cannot be replaced there")
	}
	dir := t.TempDir()
	open := func() *durable.Doc[state] { // each a process of its own
		return durable.Open(durable.New(durable.Config{Dir: dir, Now: clock, SegmentSize: 1500}), "drive.json", kind)
	}
	update(t, open(), step)
	const writers, readers, updates = 2, 4, 30
	var writing, reading sync.WaitGroup
	done := make(chan struct{})
	errs := make(chan error, writers+readers)
	for range writers {
		writing.Go(func() {
			for range updates {
				if _, err := open().Update(step); err != nil {
					errs <- err
					return
				}
			}
		})
	}
	reads := make([]int, readers)
	for i := range readers {
		reading.Go(func() {
			d, newest := open(), int64(0)
			for {
				v, err := d.Read()
				if err == nil {
					err = consistent(v, newest)
				}
				if err != nil {
					errs <- err
					return
				}
				newest = v.Rev
				reads[i]++
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	close(errs)
	for err := range errs {
		t.Error(err)
	}
	if v := read(t, open()); v.Doc.Count != 1+writers*updates {
		t.Errorf("%d updates were acknowledged, %d are there", 1+writers*updates, v.Doc.Count)
	}
	t.Logf("%d updates, reads %v", writers*updates, reads)
}

// consistent checks a view of a document whose count is its revision.
func consistent(v durable.View[state], newest int64) error {
	switch {
	case v.Rev < newest:
		return fmt.Errorf("revision %d after %d", v.Rev, newest)
	case int64(v.Doc.Count) != v.Rev || len(v.Doc.Items) != v.Doc.Count:
		return fmt.Errorf("revision %d has count %d and %d items", v.Rev, v.Doc.Count, len(v.Doc.Items))
	case len(v.Notes) > 0:
		return fmt.Errorf("repaired without need: %q", v.Notes)
	}
	return nil
}

// meddled is a file system where something happens just before a folder is
// listed for the first time.
type meddled struct {
	durable.FS
	meddle func()
}

func (m *meddled) ReadDir(name string) ([]fs.DirEntry, error) {
	if do := m.meddle; do != nil {
		m.meddle = nil
		do()
	}
	return m.FS.ReadDir(name)
}

// A reader that looks for its snapshot's row while others write and rotate
// again and again must not put an old document and a new revision together.
func TestAReaderThatIsOvertakenLooksAgain(t *testing.T) {
	f := project()
	update(t, docOn(f, 1), step)
	must(t, storeOn(f, 1).Append("note", "x")) // rotates: the row is in an old segment now
	must(t, storeOn(f, 1).Append("note", "y"))
	slow := &meddled{f, func() {
		for range 6 {
			update(t, docOn(f, 1), step)
		}
	}}
	v := read(t, docOn(slow, 1))
	must(t, consistent(v, 7))
	if len(v.Since) > 0 || slow.meddle != nil {
		t.Errorf("since %q", notes(v.Since))
	}
}

// A reader of a rotated journal sees the document and its revision, at every
// moment of a rotation.
func TestAReaderInTheMiddleOfARotation(t *testing.T) {
	f, _, _ := lived(t, 3)
	base := f.Ops()
	update(t, docOn(f, 1), step)
	for n := 1; n <= f.Ops()-base; n++ {
		g, _, _ := lived(t, 3)
		g.Fail(base+n, crashes[1])
		_, _ = docOn(g, 1).Update(step)
		v := read(t, docOn(g.Restart(), 1))
		if int64(v.Doc.Count) != v.Rev || v.Rev < 3 {
			t.Fatalf("operation %d: revision %d has count %d\n%s", n, v.Rev, v.Doc.Count, tail(g))
		}
	}
}
