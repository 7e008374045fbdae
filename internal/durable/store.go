// Package durable is the only writer of state. It guarantees that an update
// that was acknowledged survives a kill, a full disk and a power cut, at a
// price that does not grow with the history, and that a failed one changed
// nothing; that readers never see half a document; and that whatever is
// damaged is set aside, never deleted, and rebuilt from the journal.
//
// One writer at a time: Update takes an exclusive lock on a separate file
// that is never removed, writes the snapshot's successor beside it, appends a
// checksummed row to the journal, syncs both, and renames. What documents mean
// is left to the packages that own them.
package durable

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"warp/internal/core/event"
	"warp/internal/core/lossless"
)

// Names under the store's folder.
const (
	lockName    = ".warp-drive.lock"
	stateFolder = "state"
	journalName = "events.jsonl"
)

// Config is what a store needs from outside.
type Config struct {
	Dir  string // the project's .claude folder
	FS   FS     // nil: the operating system's
	Now  func() time.Time
	PID  int
	Wait time.Duration // for the lock; 0: ten seconds
	// SegmentSize is where the journal rotates; 0: 16 MiB.
	SegmentSize int64
	// Signer has the key with which rows and documents are signed and checked;
	// nil: they are neither.
	Signer Signer
	// First is called with the folder before the first write to it: what is to be
	// ready before there is anything. Nil: nothing is.
	First func(dir string)
}

// Store is the state of one project.
type Store struct {
	folder
	now     func() time.Time
	pid     int
	wait    time.Duration
	journal *journal
	config  Config
}

// New names a store. Nothing is read or made yet.
func New(c Config) *Store {
	s := &Store{folder: folder{c.FS, c.Dir}, now: c.Now, pid: c.PID, wait: c.Wait, config: c}
	if s.fs == nil {
		s.fs = OS{}
	}
	if s.wait == 0 {
		s.wait = 10 * time.Second
	}
	if c.SegmentSize == 0 {
		c.SegmentSize = 16 << 20
	}
	s.journal = &journal{fs: s.fs, path: filepath.Join(s.dir, stateFolder, journalName), limit: c.SegmentSize, now: c.Now, signer: c.Signer, mark: markOf(c)}
	return s
}

// At is the store of another folder, with the same clock, process and key.
func (s *Store) At(dir string) *Store {
	c := s.config
	c.Dir = dir
	return New(c)
}

// Now is the store's clock.
func (s *Store) Now() time.Time { return s.now() }

// Dir is the store's folder.
func (s *Store) Dir() string { return s.dir }

// Exists reports whether the store's folder is there: a look must not make one.
func (s *Store) Exists() bool {
	_, err := s.fs.Lstat(s.dir)
	return err == nil
}

// Try takes the lock and gives it back: it says why nothing could be written.
func (s *Store) Try() error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return s.makeFolders()
}

// lock waits for the store's lock, but not for ever.
func (s *Store) lock() (unlock func(), err error) {
	if err := s.ownFolder(); err != nil {
		return nil, err
	}
	name := filepath.Join(s.dir, lockName)
	if s.config.First != nil {
		if _, err := s.fs.Lstat(name); isNotExist(err) {
			s.config.First(s.dir)
		}
	}
	if t, ok := s.fs.(interface {
		TryLock(string) (io.Closer, bool)
	}); ok {
		if c, free := t.TryLock(name); free {
			return func() { _ = c.Close() }, nil
		}
	}
	type got struct {
		c   io.Closer
		err error
	}
	ch := make(chan got, 1)
	go func() {
		c, err := s.fs.Lock(name)
		ch <- got{c, err}
	}()
	timer := time.NewTimer(s.wait)
	defer timer.Stop()
	select {
	case g := <-ch:
		if g.err != nil {
			return nil, fmt.Errorf("locking %q: %w", name, g.err)
		}
		return func() { _ = g.c.Close() }, nil
	case <-timer.C:
		go func() { // whenever the lock comes, it is not wanted any more
			if g := <-ch; g.err == nil {
				_ = g.c.Close()
			}
		}()
		return nil, &LockedError{What: name}
	}
}

// Append adds rows that observers make to the journal. They are not synced:
// they tell of things, they do not decide any.
func (s *Store) Append(kind string, data ...any) error { return s.add(kind, data, false) }

// AppendSynced adds rows from which something is decided later: once it returns
// they survive a power cut, all of them for the price of one sync. On an error
// none of them counts.
func (s *Store) AppendSynced(kind string, data ...any) error { return s.add(kind, data, true) }

func (s *Store) add(kind string, data []any, sync bool) error {
	if len(data) == 0 {
		return nil
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.makeFolders(); err != nil {
		return err
	}
	rows := make([]event.Row, len(data))
	for i, x := range data {
		rows[i] = event.Row{At: event.Stamp(s.now()), Kind: kind, PID: s.pid, Data: lossless.Encode(x, nil)}
	}
	return s.journal.add(rows, sync)
}

// Events lets fn see every row of the journal, the oldest segment first, until
// it returns false. It tells how many lines were damaged. With the key, each
// row's standing says whether something may be decided from it.
func (s *Store) Events(fn func(event.Row) bool) (damaged int, err error) {
	segments, err := s.journal.segments()
	if err != nil {
		return 0, err
	}
	chained := s.journal.chain(fn)
	for _, path := range segments {
		n, more, err := s.journal.scan(path, chained)
		damaged += n
		if err != nil || !more {
			return damaged, err
		}
	}
	return damaged, nil
}
