package durable

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"warp/internal/core/event"
)

// maxLine bounds a line of the journal: a row holds at most a whole document.
const maxLine = 2 * MaxSize

// largest bounds what is read of a segment. Segments rotate long before; a larger file is a hole or
// a flood that something else made.
func (j *journal) largest() int64 { return max(16*j.limit, 4*maxLine) }

// scan calls fn for each intact row of one segment in order, until fn returns false. It counts and
// skips lines that are torn, glued together or garbage.
func (j *journal) scan(path string, fn func(event.Row) bool) (damaged int, more bool, err error) {
	_, damaged, more, err = j.scanFrom(path, 0, false, fn)
	return damaged, more, err
}

// scanFrom scans from an offset and returns where the last whole line ends. With ended, it leaves a
// last line without a newline for later: another process may still be writing it.
func (j *journal) scanFrom(path string, from int64, ended bool, fn func(event.Row) bool) (at int64, damaged int, more bool, err error) {
	at = from
	f, err := j.fs.Open(path, os.O_RDONLY, 0)
	if isNotExist(err) {
		return at, 0, true, nil
	}
	if err != nil {
		return at, 0, false, fmt.Errorf("reading the journal: %w", err)
	}
	defer f.Close()
	left := io.NewSectionReader(f, from, max(0, j.largest()-from))
	r := bufio.NewReaderSize(left, 1<<16)
	var reader event.Reader
	for {
		line, length, whole, err := readLine(r)
		if err != nil {
			return at, damaged, false, fmt.Errorf("reading the journal %q: %w", path, err)
		}
		if len(line) > 0 && (whole || !ended) {
			row, bad := reader.Parse(string(line))
			row.Offset = at
			row.Standing = j.check(string(line))
			switch {
			case bad != nil:
				damaged++
			case !fn(row):
				return at, damaged, false, nil
			}
		}
		if !whole {
			if at+length >= j.largest() {
				damaged++
			}
			return at, damaged, true, nil
		}
		at += length
	}
}

// readLine reads one line without its newline and returns its whole length. It cuts a line past
// maxLine, to bound memory; the checksum of that line cannot match.
func readLine(r *bufio.Reader) (line []byte, length int64, ended bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		length += int64(len(part))
		if len(line) < maxLine {
			line = append(line, part...)
		}
		switch {
		case err == nil:
			return bytes.TrimSuffix(line, []byte{'\n'}), length, true, nil
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF):
			return line, length, false, nil
		default:
			return nil, 0, false, err
		}
	}
}

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
