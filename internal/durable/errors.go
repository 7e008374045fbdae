package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// ErrHeld means that another process holds a lock.
var ErrHeld = errors.New("another process holds the lock")

// MissingError means that there is no such document.
type MissingError struct{ Path string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("there is no %q", e.Path)
}

// IsMissing reports whether err is a MissingError.
func IsMissing(err error) bool {
	var m *MissingError
	return errors.As(err, &m)
}

// readError formats its message on demand: a missing file is mostly no error at all, and formatting
// took a hook longer than looking for the file.
type readError struct {
	path string
	why  error
}

func (e *readError) Error() string { return fmt.Sprintf("reading %q: %v", e.path, e.why) }

func (e *readError) Unwrap() error { return e.why }

// DamagedError means that a document exists but cannot be used.
type DamagedError struct {
	Path string
	Why  error

	healable bool // it can be set aside and rebuilt
}

func (e *DamagedError) Error() string { return fmt.Sprintf("state %q is damaged: %v", e.Path, e.Why) }

func (e *DamagedError) Unwrap() error { return e.Why }

func damaged(err error) bool {
	var d *DamagedError
	return errors.As(err, &d)
}

func healable(err error) bool {
	var d *DamagedError
	return errors.As(err, &d) && d.healable
}

// TooNewError means that a newer program wrote the document.
type TooNewError struct {
	Path    string
	Version int64
	Known   int
}

func (e *TooNewError) Error() string {
	return fmt.Sprintf("state %q has version %d, this warp knows up to %d: it was left alone; upgrade warp", e.Path, e.Version, e.Known)
}

// LockedError means that another process holds the lock or lease.
type LockedError struct {
	What string
	PID  int           // 0 if unknown
	Age  time.Duration // time since the holder's last heartbeat, if it has one
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("%s was locked by another process for too long; find it with fuser or lsof, then try again", e.What)
	}
	return fmt.Sprintf("%s is held by process %d (last heartbeat %s ago)", e.What, e.PID, e.Age.Round(time.Second))
}

// patience is how often RetryBusy tries. Many sessions writing at once can keep a store busy for
// longer than a person would wait.
const patience = 30

// RetryBusy retries do while the store is busy, or while an agent running in parallel was removing
// the folder.
func RetryBusy(do func() error) (err error) {
	for range patience {
		err = do()
		locked := (*LockedError)(nil)
		busy := errors.As(err, &locked) && locked.PID == 0
		if removed := errors.Is(err, fs.ErrNotExist) && !IsMissing(err); !busy && !removed {
			break
		}
	}
	return err
}
