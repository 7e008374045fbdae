package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The functions in this file write files outside the store, such as the user's settings, git's
// folder and progress notes. Each file is written whole or not at all. (Settings were once restored
// with a plain write; a full disk left them empty.)

// WriteFile replaces a file: a kill or a power cut leaves the old or the new one. It creates
// missing folders.
func WriteFile(path string, text []byte, perm fs.FileMode) error {
	return placeFile(path, text, perm, os.Rename)
}

// CreateFile writes a new file and fails with fs.ErrExist if there is one: of many processes at
// once, only one succeeds. It creates missing folders.
func CreateFile(path string, text []byte, perm fs.FileMode) error {
	return placeFile(path, text, perm, func(from, to string) error {
		defer func() { _ = os.Remove(from) }() // the other name remains
		err := os.Link(from, to)               // unlike a rename, a link never replaces a file
		if err != nil && !errors.Is(err, fs.ErrExist) {
			err = createPlainly(to, text, perm) // some file systems have no links: exFAT, many SMB and FUSE mounts
		}
		return err
	})
}

// placeFile writes a temporary file, syncs it, and calls move to put it in place.
func placeFile(path string, text []byte, perm fs.FileMode, move func(from, to string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return withTemporary(path, text, func(f *os.File) error {
		if err := errors.Join(f.Chmod(perm), f.Sync(), f.Close()); err != nil {
			return err // an incomplete file must never replace a complete one
		}
		if err := move(f.Name(), path); err != nil {
			return err
		}
		return OS{}.SyncDir(filepath.Dir(path))
	})
}

// createPlainly creates a file without a temporary one: a kill may leave half of it.
func createPlainly(path string, text []byte, perm fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path) // half a file would hide that it is missing
	}
	return err
}

// WriteNote replaces a file as WriteFile does, but without a sync. It is for progress notes that
// need not survive a power cut. The last of several writers wins.
func WriteNote(path string, text []byte) error {
	return withTemporary(path, text, func(f *os.File) error {
		if err := f.Close(); err != nil {
			return err
		}
		return os.Rename(f.Name(), path)
	})
}

// withTemporary writes a private temporary file next to path and calls move to put it in place. It
// removes the temporary file if that fails.
func withTemporary(path string, text []byte, move func(*os.File) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	if _, err = f.Write(text); err != nil {
		err = errors.Join(err, f.Close())
	} else {
		err = move(f)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the first error matters more
	}
	return err
}

// WriteLink replaces the file at path with a symbolic link.
func WriteLink(path, target string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	folder, err := os.MkdirTemp(filepath.Dir(path), ".warp-link-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	temporary := filepath.Join(folder, "link")
	if err := os.Symlink(target, temporary); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// CreateLink creates a symbolic link where nothing is.
func CreateLink(path, target string) error { return os.Symlink(target, path) }

// AppendNote appends to a file, creating it with perm if needed. A file larger than most bytes is
// first renamed to "<path>.old", so that concurrent appends are not lost; 0 means no limit.
func AppendNote(path string, text []byte, most int64, perm fs.FileMode) error {
	info, err := os.Lstat(path)
	if err == nil && (!info.Mode().IsRegular() || most > 0 && info.Size() > most) {
		if err := os.Rename(path, path+".old"); err != nil && !errors.Is(err, fs.ErrNotExist) { // another process was faster
			return err
		}
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

// MoveFile moves a file or folder. It creates the target's folder for the owner alone, since moved
// files may be private.
func MoveFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// RemoveFiles removes a file that no other process writes, and the temporary files of writers that
// were killed.
func RemoveFiles(path string) error {
	entries, _ := os.ReadDir(filepath.Dir(path)) // a missing folder has no entries
	errs := []error{RemoveFile(path)}
	for _, e := range entries {
		if rest, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+"."); ok && strings.HasSuffix(rest, ".tmp") {
			errs = append(errs, RemoveFile(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	return errors.Join(errs...)
}

// RemoveFile removes a file or an empty folder if it exists.
func RemoveFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// TakeFile removes a file and reports whether this process did: of many at once, only one does.
func TakeFile(path string) bool { return os.Remove(path) == nil }

// RemoveFolder removes a folder and its contents if it exists.
func RemoveFolder(path string) error { return os.RemoveAll(path) }

// Show replaces a file of the store that is only displayed. It is not synced: after a power cut the
// file may be outdated or missing.
func (s *Store) Show(name string, text []byte) error {
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if err := s.checkFolders(path); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return WriteNote(path, text)
}

// Unshow removes a file that Show wrote, and what killed writers left of it (a drive that was killed
// while it showed what it did left a temporary file for ever).
func (s *Store) Unshow(name string) {
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if s.checkFolders(path) == nil {
		_ = RemoveFiles(path) // nothing depends on it
	}
}
