package durable

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"warp/internal/core/event"
)

// journal is the append-only file of events and its older segments. All
// writing happens under the store's lock.
type journal struct {
	fs    FS
	path  string
	limit int64
	now   func() time.Time

	signer Signer // nil: nothing is signed
	mark   string // the file that tells how far it went; "": none does
	tail   atomic.Pointer[tail]
}

// size is the length of the current segment; an absent one has none.
func (j *journal) size() int64 {
	info, err := j.fs.Lstat(j.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// appending is one row on its way into the journal.
type appending struct {
	j      *journal
	f      File
	prefix []byte // what ends a torn line
	size   int64  // of the journal before
	offset int64  // of the row
	mac    string // of the last signed row, once rows are spelled
}

// begin opens the journal, or a new segment of it, and finds out where the
// next row will stand.
func (j *journal) begin(newSegment bool) (*appending, error) {
	if newSegment {
		if err := j.rotate(); err != nil {
			return nil, err
		}
	}
	a := &appending{j: j}
	return a, a.open()
}

func (a *appending) open() (err error) {
	a.f, err = a.j.fs.Open(a.j.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening the journal: %w", err)
	}
	info, err := a.f.Stat()
	if err != nil {
		a.close()
		return fmt.Errorf("opening the journal: %w", err)
	}
	if !info.Mode().IsRegular() {
		a.close()
		return fmt.Errorf("opening the journal: %q is not a file", a.j.path)
	}
	a.size, a.offset = info.Size(), info.Size()
	if a.size == 0 {
		// Before the first byte: a journal that holds something is durable.
		if err := a.j.fs.SyncDir(filepath.Dir(a.j.path)); err != nil {
			a.close()
			return fmt.Errorf("opening the journal: %w", err)
		}
		return nil
	}
	last := make([]byte, 1)
	if _, err := a.f.ReadAt(last, a.size-1); err != nil {
		a.close()
		return fmt.Errorf("reading the journal: %w", err)
	}
	if last[0] != '\n' {
		// A crash or a full disk tore the last line: end it, so that it
		// spoils no other.
		a.prefix = []byte{'\n'}
		a.offset++
	}
	return nil
}

// write appends rows, and syncs them. When that fails the caller must undo it.
func (a *appending) write(lines []byte, sync bool) error {
	lines = append(a.prefix, lines...)
	_, err := a.f.Write(lines)
	if err == nil && sync {
		err = a.f.Sync()
	}
	if err != nil {
		return fmt.Errorf("appending to the journal: %w", err)
	}
	a.written(int64(len(lines)))
	return nil
}

// undo removes what was written.
func (a *appending) undo() error {
	a.j.tail.Store(nil)
	if err := a.f.Truncate(a.size); err != nil {
		return fmt.Errorf("removing a row from the journal: %w", err)
	}
	return a.f.Sync()
}

// sync makes durable what a process that died may have left in the cache.
func (j *journal) sync() error {
	f, err := j.fs.Open(j.path, os.O_RDWR, 0)
	if isNotExist(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("syncing the journal: %w", err)
	}
	return errors.Join(f.Sync(), f.Close())
}

func (a *appending) close() { _ = a.f.Close() } // what matters was synced

// add appends rows that are no document's, synced where something depends on
// them. It rotates late: rows that no document has taken in yet should stay in
// the segment that is read.
func (j *journal) add(rows []event.Row, sync bool) error {
	a, err := j.begin(j.size() >= 2*j.limit)
	if err != nil {
		return err
	}
	defer a.close()
	lines, err := a.spell(rows...)
	if err != nil {
		return err
	}
	if err := a.write(lines, sync); err != nil {
		return errors.Join(err, a.undo())
	}
	if sync {
		j.setMark(a.mac)
	}
	return nil
}

// stampOfSegment is the time in the name of a file that is full.
const stampOfSegment = "20060102T150405.000"

// rotate sets the current segment aside; it is kept until clean-up.
func (j *journal) rotate() error {
	dir := filepath.Dir(j.path)
	stamp := j.now().UTC().Format(stampOfSegment)
	segments, err := j.segments()
	if err != nil {
		return err
	}
	for _, path := range segments { // a clock may have been set back since; their order is that of their rows
		was, _ := strings.CutPrefix(filepath.Base(path), "events-")
		if len(was) > len(stampOfSegment) {
			if _, err := time.Parse(stampOfSegment, was[:len(stampOfSegment)]); err == nil {
				stamp = max(stamp, was[:len(stampOfSegment)])
			}
		}
	}
	for n := 0; ; n++ {
		to := filepath.Join(dir, fmt.Sprintf("events-%s-%03d.jsonl", stamp, n))
		switch _, err := j.fs.Lstat(to); {
		case err == nil:
			continue
		case !isNotExist(err): // it may be there: nothing is overwritten
			return fmt.Errorf("rotating the journal: %w", err)
		}
		if err := j.fs.Rename(j.path, to); err != nil {
			return fmt.Errorf("rotating the journal: %w", err)
		}
		if err := j.fs.SyncDir(dir); err != nil {
			return fmt.Errorf("rotating the journal: %w", err)
		}
		return nil
	}
}

// segments lists the journal's files, the oldest first.
func (j *journal) segments() ([]string, error) {
	entries, err := j.fs.ReadDir(filepath.Dir(j.path))
	if isNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal's folder: %w", err)
	}
	var paths []string
	current := false
	for _, e := range entries {
		switch name := e.Name(); {
		case name == journalName:
			current = true
		case strings.HasPrefix(name, "events-") && strings.HasSuffix(name, ".jsonl"):
			paths = append(paths, filepath.Join(filepath.Dir(j.path), name))
		}
	}
	slices.Sort(paths)
	if current {
		paths = append(paths, j.path)
	}
	return paths, nil
}

// from reads the rows of the current segment from an offset on. The first row
// must begin exactly there and be whole, else there are none. Damaged rows
// behind it are passed over; so is a last line that is torn.
func (j *journal) from(offset int64) ([]event.Row, error) {
	f, err := j.fs.Open(j.path, os.O_RDONLY, 0)
	if isNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	if offset < 0 || offset >= info.Size() || info.Size()-offset > 16*j.limit {
		return nil, nil
	}
	text := make([]byte, info.Size()-offset)
	n, err := f.ReadAt(text, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading the journal: %w", err)
	}
	lines := string(text[:n])
	rows := make([]event.Row, 0, strings.Count(lines, "\n")+1)
	at := offset
	var reader event.Reader
	for line := range strings.Lines(lines) {
		text := strings.TrimSuffix(line, "\n")
		r, err := reader.Parse(text)
		r.Offset, r.Standing = at, j.check(text)
		at += int64(len(line))
		if err != nil {
			if len(rows) == 0 {
				return nil, nil
			}
			continue
		}
		rows = append(rows, r)
	}
	return rows, nil
}
