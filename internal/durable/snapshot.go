package durable

import (
	"fmt"
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
