package durable

import (
	"io/fs"
	"os"
	"slices"

	"warp/internal/core/event"
)

// Tail reads a growing journal, each row once. It is not safe for concurrent use.
type Tail struct {
	journal *journal
	take    func(event.Row)
	chained func(event.Row) bool
	segment fs.FileInfo   // the segment read last
	offset  int64         // how far it was read
	end     string        // the bytes before offset
	done    []fs.FileInfo // earlier segments, read to the end
}

// Tail returns a Tail that starts at the journal's first row.
func (s *Store) Tail(take func(event.Row)) *Tail {
	t := &Tail{journal: s.journal, take: take}
	t.rewind()
	return t
}

func (t *Tail) rewind() {
	t.segment, t.offset, t.end, t.done = nil, 0, "", nil
	t.chained = t.journal.chain(func(r event.Row) bool { t.take(r); return true })
}

// Rewound reports whether the part already read was replaced or cut, even if the journal has grown
// past that place again. The next Read then starts over.
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

// find returns the segment read last, which may have been renamed.
func (t *Tail) find(segments []string) (i int, info fs.FileInfo, ok bool) {
	for i, path := range slices.Backward(segments) {
		if info, err := t.journal.fs.Lstat(path); err == nil && os.SameFile(info, t.segment) {
			return i, info, true
		}
	}
	return 0, nil, false
}

// Read reads the new rows, and returns how many lines among them are damaged.
func (t *Tail) Read() (damaged int, err error) {
	segments, err := t.journal.segments()
	if err != nil {
		return 0, err
	}
	first := 0
	if t.segment != nil {
		at, _, ok := t.find(segments)
		if !ok {
			return 0, nil // Rewound reports it
		}
		first = at
	}
	for i, path := range segments[first:] {
		info, err := t.journal.fs.Lstat(path)
		if err != nil {
			return damaged, nil // it is being rotated: the next Read finds it
		}
		// A clock set back, or a person, can rename a file so that it sorts elsewhere.
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
		at, n, _, err := t.journal.scanFrom(path, t.offset, first+i == len(segments)-1, t.chained) // only the last segment may still be written
		damaged += n
		if err != nil {
			return damaged, err
		}
		t.offset, t.end = at, t.journal.before(path, at)
	}
	return damaged, nil
}

// before returns the bytes right before an offset. They hold the row's checksum and signature, so
// no two rows end alike. It returns "" if they cannot be read.
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
