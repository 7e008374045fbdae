package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/event"
)

// snapshotFile is a document's file, independent of its content.
type snapshotFile struct {
	in   folder
	path string
}

// Path returns the path of the snapshot.
func (s snapshotFile) Path() string { return s.path }

func (s snapshotFile) replacement() replacement {
	return replacement{fs: s.in.fs, path: s.path, perm: 0o600}
}

// cutShort reports whether a write of this document was interrupted: the temporary file still
// exists. Deleting a snapshot by hand leaves none.
func (s snapshotFile) cutShort() bool {
	_, err := s.in.fs.Lstat(s.replacement().temp())
	return !isNotExist(err)
}

// setAside renames the document's file, whatever it is.
func (s snapshotFile) setAside(now time.Time) (string, error) {
	to, err := s.beside("damaged", now)
	if err == nil {
		err = s.in.fs.Rename(s.path, to)
	}
	if err != nil {
		return "", fmt.Errorf("setting the damaged state aside: %w", err)
	}
	return filepath.Base(to), nil
}

// beside returns an unused name next to the document.
func (s snapshotFile) beside(what string, now time.Time) (string, error) {
	at := strings.NewReplacer(":", "", "-", "").Replace(event.Stamp(now))
	for n := 0; ; n++ {
		to := fmt.Sprintf("%s.%s-%s", s.path, what, at)
		if n > 0 {
			to += fmt.Sprintf("-%d", n)
		}
		switch _, err := s.in.fs.Lstat(to); {
		case isNotExist(err):
			return to, nil
		case err != nil: // it may exist: never overwrite it
			return "", err
		}
	}
}

// keepCopy copies the document's file next to it before a change is undone.
func (s snapshotFile) keepCopy(now time.Time) (note string, err error) {
	text, err := readFile(s.in.fs, s.path, MaxSize)
	to := ""
	if err == nil {
		to, err = s.beside("unsigned", now)
	}
	if err == nil {
		err = replacement{fs: s.in.fs, path: to, perm: 0o600}.all(text)
	}
	if err != nil {
		return "", fmt.Errorf("keeping a state that is not warp's: %w", err)
	}
	return fmt.Sprintf("the changed version of state %q is kept as %q", s.path, filepath.Base(to)), nil
}

// replacement replaces a file: it writes and syncs a temporary file next to it, renames it, and
// syncs the folder. The temporary name is fixed: there is only one writer, and the next write
// overwrites what a crash left.
type replacement struct {
	fs   FS
	path string
	perm fs.FileMode
}

func (r replacement) temp() string { return r.path + ".tmp" }

// prepare writes and syncs the temporary file without touching the file itself. If it fails, the
// caller decides whether to discard it.
func (r replacement) prepare(data []byte) error {
	f, err := r.fs.Open(r.temp(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, r.perm)
	if err == nil {
		if c, ok := f.(interface{ Chmod(fs.FileMode) error }); ok {
			err = c.Chmod(r.perm) // override the umask and the mode of an older temporary file
		}
		if err == nil {
			_, err = f.Write(data)
		}
		if err == nil {
			err = f.Sync()
		}
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("preparing %q: %w", r.temp(), err)
	}
	return nil
}

func (r replacement) rename() error { return r.fs.Rename(r.temp(), r.path) }

func (r replacement) settle() error { return r.fs.SyncDir(filepath.Dir(r.path)) }

// discard removes the temporary file; if that fails too, the next write overwrites it.
func (r replacement) discard() { _ = r.fs.Remove(r.temp()) }

// all replaces the file in one go.
func (r replacement) all(data []byte) error {
	if err := r.prepare(data); err != nil {
		r.discard()
		return err
	}
	if err := r.rename(); err != nil {
		r.discard()
		return err
	}
	if err := r.settle(); err != nil {
		return fmt.Errorf("%q is in place, but a power cut may undo it: %w", r.path, err)
	}
	return nil
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
