// Package durable is the only writer of state. It guarantees that an acknowledged update survives a
// kill, a full disk and a power cut; that a failed update changes nothing; that readers never see
// half a document; and that damaged files are set aside, never deleted, and rebuilt from the
// journal. The cost of an update does not grow with the history.
//
// There is one writer at a time. Update takes an exclusive lock on a separate file that is never
// removed, writes the new snapshot next to the old one, appends a checksummed row to the journal,
// syncs both, and renames. The meaning of documents is left to the packages that own them.
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

// Config holds a store's dependencies and settings.
type Config struct {
	Dir  string // the project's .claude folder
	FS   FS     // nil means the operating system's
	Now  func() time.Time
	PID  int
	Wait time.Duration // for the lock; 0 means ten seconds
	// SegmentSize is the size at which the journal rotates; 0 means 16 MiB.
	SegmentSize int64
	// Signer signs and checks rows and documents. If nil, they are not signed.
	Signer Signer
	// First, if set, is called with the folder before the first write to it.
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

// New returns a store. It reads and creates nothing yet.
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

// At returns the store of another folder, with the same clock, process and key.
func (s *Store) At(dir string) *Store {
	c := s.config
	c.Dir = dir
	return New(c)
}

// Now returns the time by the store's clock.
func (s *Store) Now() time.Time { return s.now() }

// Dir returns the store's folder.
func (s *Store) Dir() string { return s.dir }

// Exists reports whether the store's folder exists. Readers ask, so that they do not create it.
func (s *Store) Exists() bool {
	_, err := s.fs.Lstat(s.dir)
	return err == nil
}

// Try takes and releases the lock, and returns why a write would fail.
func (s *Store) Try() error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	return s.makeFolders()
}

// lock waits a limited time for the store's lock.
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
		go func() { // release the lock if it still arrives
			if g := <-ch; g.err == nil {
				_ = g.c.Close()
			}
		}()
		return nil, &LockedError{What: name}
	}
}

// Append adds observers' rows to the journal. They are not synced, because nothing is decided from
// them.
func (s *Store) Append(kind string, data ...any) error { return s.add(kind, data, false) }

// AppendSynced adds rows from which something is decided later. Once it returns they survive a
// power cut, all for the price of one sync. On an error none of them counts.
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

// Events calls fn for every row of the journal, oldest segment first, until fn returns false. It
// returns the number of damaged lines. With a key, each row's Standing shows whether it can be
// trusted.
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
