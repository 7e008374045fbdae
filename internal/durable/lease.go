package durable

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// Beat is the interval between heartbeats of a lease's holder.
const Beat = 30 * time.Second

// Process identifies one process across reused PIDs and machines.
type Process struct {
	PID   int
	Stamp string // opaque start stamp; "" when the system has none
	Host  string
}

// Started looks up a process: its start stamp, and whether it is alive.
type Started func(pid int) (stamp string, alive bool)

// IsGone reports whether the process with this number and start stamp has ended.
func (s Started) IsGone(pid int, was string) bool {
	if pid <= 0 {
		return true
	}
	stamp, alive := s(pid)
	return !alive || was != "" && stamp != "" && was != stamp
}

// LeaseFile is the document locks/{session}.lock.
type LeaseFile struct {
	Session        string `json:"session"`
	PID            int    `json:"pid"`
	StartedAt      string `json:"started_at"`
	Heartbeat      string `json:"heartbeat"`
	HeartbeatEpoch int64  `json:"heartbeat_epoch"`
	PIDStamp       string `json:"pid_stamp,omitempty"`
	Host           string `json:"host,omitempty"`
}

// Stale reports whether the holder is gone. On this machine it looks up the process; on another it
// allows three missed beats.
func (f LeaseFile) Stale(here string, started Started, now time.Time) bool {
	if f.Host != "" && f.Host != here {
		return f.Age(now) > 3*Beat
	}
	return started.IsGone(f.PID, f.PIDStamp)
}

// Age returns the time since the last heartbeat.
func (f LeaseFile) Age(now time.Time) time.Duration {
	return max(0, now.Sub(time.Unix(f.HeartbeatEpoch, 0)))
}

// Locked returns the error for others who want the lease while its holder is alive.
func (f LeaseFile) Locked(now time.Time) *LockedError {
	return &LockedError{What: nameHeld(f.Session), PID: f.PID, Age: f.Age(now)}
}

// Lease is a session name held by this process.
type Lease struct {
	store *Store
	path  string
	file  LeaseFile
}

// Acquire takes a session's name. If it took over a stale lease, it returns that too, for a
// message. If a living process holds the name, the error is a *LockedError.
func (s *Store) Acquire(session string, me Process, started Started) (l *Lease, old *LeaseFile, err error) {
	if !text.ValidName(session) {
		return nil, nil, fmt.Errorf("a session cannot be called %q: it must be %s", session, text.NameRule)
	}
	unlock, err := s.lock()
	if err != nil {
		return nil, nil, err
	}
	defer unlock()
	path, now := leasePath(s.dir, session), s.now()
	switch held, err := readLease(s.fs, path); {
	case err == nil && !held.Stale(me.Host, started, now):
		return nil, nil, held.Locked(now)
	case err == nil:
		old = &held
	case damaged(err): // no holder writes a damaged file; its contents are lost
		old = &LeaseFile{Session: session}
	case !isNotExist(err):
		return nil, nil, err
	}
	l = &Lease{store: s, path: path, file: LeaseFile{Session: session, PID: me.PID, StartedAt: whole(now), PIDStamp: me.Stamp, Host: me.Host}}
	if err := l.write(now); err != nil {
		return nil, nil, err
	}
	return l, old, nil
}

// nameHeld describes a lease for messages. Some names belong to engines that run once per project,
// not to sessions.
func nameHeld(lease string) string {
	if name, ok := map[string]string{"workflow": "the workflow", "warp-drive": "the drive", "quality-loop": "the quality loop", "warp-merge": "the merge"}[lease]; ok {
		return name
	}
	return fmt.Sprintf("the session %q", lease)
}

func leasePath(dir, session string) string {
	return filepath.Join(dir, "locks", session+".lock")
}

func readLease(fsys FS, path string) (f LeaseFile, err error) {
	text, err := readFile(fsys, path, 1<<16)
	if err != nil {
		return f, err
	}
	v, err := lossless.Parse(text)
	if err == nil {
		err = lossless.Decode(v, &f)
	}
	if session := strings.TrimSuffix(filepath.Base(path), ".lock"); err == nil && f.PID <= 0 {
		err = errors.New("it names no process")
	} else if err == nil && f.Session != session {
		err = fmt.Errorf("it belongs to the session %q", f.Session)
	}
	if err != nil {
		return f, &DamagedError{Path: path, Why: err}
	}
	return f, nil
}

func whole(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05Z") }

func (l *Lease) write(now time.Time) error {
	if err := l.store.fs.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return fmt.Errorf("making the folder for leases: %w", err)
	}
	l.file.Heartbeat, l.file.HeartbeatEpoch = whole(now), now.Unix()
	text := lossless.AppendIndent(nil, lossless.Encode(l.file, nil))
	return replacement{fs: l.store.fs, path: l.path, perm: 0o600}.all(append(text, '\n'))
}

// ErrLeaseLost means that another process took the lease, or that the lock file was removed.
var ErrLeaseLost = errors.New("the lease was lost: another process took the session over, or its lock file was removed")

// Check reports whether the lease is still held; the holder asks before each write.
func (l *Lease) Check() error {
	f, err := readLease(l.store.fs, l.path)
	if isNotExist(err) || err == nil && (f.PID != l.file.PID || f.PIDStamp != l.file.PIDStamp || f.StartedAt != l.file.StartedAt) {
		return ErrLeaseLost
	}
	return err
}

// Beat writes a heartbeat.
func (l *Lease) Beat() error { return l.mine(func() error { return l.write(l.store.now()) }) }

// Release gives up the name.
func (l *Lease) Release() error { return l.mine(func() error { return l.store.fs.Remove(l.path) }) }

// mine calls do under the store's lock if the lock file is still ours.
func (l *Lease) mine(do func() error) error {
	unlock, err := l.store.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := l.Check(); err != nil {
		return err
	}
	return do()
}

// Keep beats until ctx ends or the lease is lost, and returns the reason.
func (l *Lease) Keep(ctx context.Context) error {
	tick := time.NewTicker(Beat)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			if err := l.Beat(); errors.Is(err, ErrLeaseLost) {
				return err
			}
			// Other errors may go away before three beats are missed.
		}
	}
}

// Leases lists the readable lock files.
func (s *Store) Leases() ([]LeaseFile, error) {
	all, _, err := s.leases()
	return all, err
}

// DamagedLease is an unreadable lock file. No holder writes one.
type DamagedLease struct {
	Session string // from the file's name
	Why     error
}

// DamagedLeases lists the unreadable lock files.
func (s *Store) DamagedLeases() ([]DamagedLease, error) {
	_, bad, err := s.leases()
	return bad, err
}

func (s *Store) leases() (all []LeaseFile, bad []DamagedLease, err error) {
	entries, err := s.fs.ReadDir(filepath.Join(s.dir, "locks"))
	if isNotExist(err) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, fmt.Errorf("reading the leases: %w", err)
	}
	for _, e := range entries {
		session, ok := strings.CutSuffix(e.Name(), ".lock")
		if !ok {
			continue
		}
		switch f, err := readLease(s.fs, leasePath(s.dir, session)); {
		case err == nil:
			all = append(all, f)
		case !isNotExist(err): // otherwise it was released in the meantime
			bad = append(bad, DamagedLease{session, err})
		}
	}
	return all, bad, nil
}

// RemoveDamagedLease removes a damaged lock file, and reports whether it did: another process may
// have taken over the name in the meantime.
func (s *Store) RemoveDamagedLease(session string) (bool, error) {
	unlock, err := s.lock()
	if err != nil {
		return false, err
	}
	defer unlock()
	path := leasePath(s.dir, session)
	if _, err := readLease(s.fs, path); err == nil || isNotExist(err) {
		return false, nil
	} else if !damaged(err) {
		return false, err
	}
	return true, s.fs.Remove(path)
}
