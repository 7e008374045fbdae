package durable

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"warp/internal/core/event"
)

// snapshotFile is the file of a document, whatever it says.
type snapshotFile struct {
	in   folder
	path string
}

// Path is where the snapshot is.
func (s snapshotFile) Path() string { return s.path }

func (s snapshotFile) replacement() replacement {
	return replacement{fs: s.in.fs, path: s.path, perm: 0o600}
}

// cutShort reports whether a write of this document did not come to its end: its
// successor is there. Deleting a snapshot by hand leaves none.
func (s snapshotFile) cutShort() bool {
	_, err := s.in.fs.Lstat(s.replacement().temp())
	return !isNotExist(err)
}

// setAside renames whatever is in the document's place.
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

// beside is a name beside the document that is not taken.
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
		case err != nil: // it may be there: nothing is overwritten
			return "", err
		}
	}
}

// keepCopy keeps what is in the document's place beside it, before it is undone.
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
