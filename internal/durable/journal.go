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

// journal is the append-only file of events and its older segments. All writes happen under the
// store's lock.
type journal struct {
	fs    FS
	path  string
	limit int64
	now   func() time.Time

	signer Signer // nil if nothing is signed
	mark   string // the file that records how far the journal got; "" if there is none
	tail   atomic.Pointer[tail]
}

// size returns the length of the current segment, 0 if there is none.
func (j *journal) size() int64 {
	info, err := j.fs.Lstat(j.path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// appending is an append to the journal in progress.
type appending struct {
	j      *journal
	f      File
	prefix []byte // the newline that ends a torn line
	size   int64  // the journal's size before the append
	offset int64  // where the new row starts
	mac    string // the last signed row's signature; set by spell
}

// begin opens the journal, or a new segment of it, and finds the offset of the next row.
func (j *journal) begin(newSegment bool) (*appending, error) {
	if newSegment {
		if err := j.rotate(); err != nil {
			return nil, err
		}
	}
	a := &appending{j: j}
	if err := a.open(); err != nil {
		if a.f != nil {
			a.close()
		}
		return nil, err
	}
	return a, nil
}

func (a *appending) open() (err error) {
	a.f, err = a.j.fs.Open(a.j.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("opening the journal: %w", err)
	}
	info, err := a.f.Stat()
	if err != nil {
		return fmt.Errorf("opening the journal: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("opening the journal: %q is not a file", a.j.path)
	}
	a.size, a.offset = info.Size(), info.Size()
	if a.size == 0 {
		// Sync before the first byte, so that a journal with content is durable.
		if err := a.j.fs.SyncDir(filepath.Dir(a.j.path)); err != nil {
			return fmt.Errorf("opening the journal: %w", err)
		}
		return nil
	}
	last := make([]byte, 1)
	if _, err := a.f.ReadAt(last, a.size-1); err != nil {
		return fmt.Errorf("reading the journal: %w", err)
	}
	if last[0] != '\n' {
		// A crash or a full disk tore the last line: end it, so that it does not spoil the next
		// one.
		a.prefix = []byte{'\n'}
		a.offset++
	}
	return nil
}

// write appends rows, and syncs them if asked. If it fails, the caller must undo it.
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

func (a *appending) undo() error {
	a.j.tail.Store(nil)
	if err := a.f.Truncate(a.size); err != nil {
		return fmt.Errorf("removing a row from the journal: %w", err)
	}
	return a.f.Sync()
}

// sync makes durable what a dead process may have left in the page cache.
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

func (a *appending) close() { _ = a.f.Close() } // everything that matters was synced

// add appends rows that belong to no document, synced if something depends on them. It rotates
// late: rows that no document has taken in yet should stay in the current segment, the one that is
// read.
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

// stampOfSegment is the time format in the names of full segments.
const stampOfSegment = "20060102T150405.000"

// rotate renames the current segment to an older one, which stays until clean-up.
func (j *journal) rotate() error {
	dir := filepath.Dir(j.path)
	stamp := j.now().UTC().Format(stampOfSegment)
	segments, err := j.segments()
	if err != nil {
		return err
	}
	for _, path := range segments { // the clock may have been set back, but names must sort in the order of the rows
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
		case !isNotExist(err): // it may exist: never overwrite it
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

// segments lists the journal's files, oldest first.
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

// from reads the rows of the current segment starting at an offset. The first row must begin
// exactly there and be intact, or from returns none. Damaged rows after it and a torn last line are
// skipped.
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
