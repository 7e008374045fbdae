package durable

import (
	"io/fs"
	"os"
	"slices"

	"warp/internal/core/event"
)

// Tail reads a journal as it grows: each row once. It is used by one goroutine.
type Tail struct {
	journal *journal
	take    func(event.Row)
	chained func(event.Row) bool
	segment fs.FileInfo   // the one that was read last
	offset  int64         // how far
	end     string        // what it had before that
	done    []fs.FileInfo // those that were read before it, to their ends
}

// Tail begins at the journal's first row.
func (s *Store) Tail(take func(event.Row)) *Tail {
	t := &Tail{journal: s.journal, take: take}
	t.rewind()
	return t
}

func (t *Tail) rewind() {
	t.segment, t.offset, t.end, t.done = nil, 0, "", nil
	t.chained = t.journal.chain(func(r event.Row) bool { t.take(r); return true })
}

// Rewound reports whether what was read is no longer how the journal begins: it was
// replaced, or cut, also when it has grown past that place again. The next Read begins anew.
func (t *Tail) Rewound() (bool, error) {
	segments, err := t.journal.segments()
	if err != nil || t.segment == nil {
		return false, err
	}
	if i, at, ok := t.find(segments); ok && at.Size() >= t.offset && t.journal.before(segments[i], t.offset) == t.end {
		return false, nil
	}
	t.rewind()
	return true, nil
}

// find is the segment that was read last, which may have another name by now.
func (t *Tail) find(segments []string) (i int, info fs.FileInfo, ok bool) {
	for i, path := range slices.Backward(segments) {
		if info, err := t.journal.fs.Lstat(path); err == nil && os.SameFile(info, t.segment) {
			return i, info, true
		}
	}
	return 0, nil, false
}

// Read takes the rows that are new, and tells how many lines among them are damaged.
func (t *Tail) Read() (damaged int, err error) {
	segments, err := t.journal.segments()
	if err != nil {
		return 0, err
	}
	first := 0
	if t.segment != nil {
		at, _, ok := t.find(segments)
		if !ok {
			return 0, nil // Rewound says so
		}
		first = at
	}
	for i, path := range segments[first:] {
		info, err := t.journal.fs.Lstat(path)
		if err != nil {
			return damaged, nil // rotated at this moment: the next reading finds it
		}
		// A clock that was set back, or a person, names a file so that it stands elsewhere.
		if slices.ContainsFunc(t.done, func(was fs.FileInfo) bool { return os.SameFile(was, info) }) {
			continue
		}
		if t.segment != nil && i > 0 {
			t.done = append(t.done, t.segment)
		}
		if i > 0 || t.segment == nil {
			t.segment, t.offset, t.end = info, 0, ""
		}
		if info.Size() == t.offset {
			continue
		}
		at, n, _, err := t.journal.scanFrom(path, t.offset, first+i == len(segments)-1, t.chained) // only the last may still be written
		damaged += n
		if err != nil {
			return damaged, err
		}
		t.offset, t.end = at, t.journal.before(path, at)
	}
	return damaged, nil
}

// before is what a segment has right before an offset: the checksum and the signature of a
// row are there, and with them no two rows end alike. "" where that cannot be read.
func (j *journal) before(path string, offset int64) string {
	f, err := j.fs.Open(path, os.O_RDONLY, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	text := make([]byte, min(offset, 64))
	if _, err := f.ReadAt(text, offset-int64(len(text))); err != nil {
		return ""
	}
	return string(text)
}
