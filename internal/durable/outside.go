package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// What the store does not hold, such as the user's settings, git's own folder and notes
// about what is under way, is written by these functions, so that each file is there whole
// or not at all. (Settings were once put back by a plain write; a full disk left them empty.)

// WriteFile replaces a file: a kill or a power cut leaves the old one or the new one. It
// makes the folder when there is none.
func WriteFile(path string, text []byte, perm fs.FileMode) error {
	return placeFile(path, text, perm, os.Rename)
}

// CreateFile writes a file that must not be there yet, else the error is fs.ErrExist: of
// many processes at once, one creates it. It makes the folder when there is none.
func CreateFile(path string, text []byte, perm fs.FileMode) error {
	return placeFile(path, text, perm, func(from, to string) error {
		defer func() { _ = os.Remove(from) }() // its other name stays
		err := os.Link(from, to)               // unlike a rename, it never replaces
		if err != nil && !errors.Is(err, fs.ErrExist) {
			err = createPlainly(to, text, perm) // some file systems have no links: exFAT, many SMB and FUSE mounts
		}
		return err
	})
}

// placeFile has a file that is whole and durable moved to its place.
func placeFile(path string, text []byte, perm fs.FileMode, move func(from, to string) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return withTemporary(path, text, func(f *os.File) error {
		if err := errors.Join(f.Chmod(perm), f.Sync(), f.Close()); err != nil {
			return err // what is not whole never takes the place of what is
		}
		if err := move(f.Name(), path); err != nil {
			return err
		}
		return OS{}.SyncDir(filepath.Dir(path))
	})
}

// createPlainly creates a file where a kill may leave half of it.
func createPlainly(path string, text []byte, perm fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		_ = os.Remove(path) // half of it would hide that it is missing
	}
	return err
}

// WriteNote replaces a file as WriteFile does, and syncs nothing: it is for notes about
// what is under way, which no power cut survives. Of several writers the last one wins.
func WriteNote(path string, text []byte) error {
	return withTemporary(path, text, func(f *os.File) error {
		if err := f.Close(); err != nil {
			return err
		}
		return os.Rename(f.Name(), path)
	})
}

// withTemporary writes a temporary file beside a path, for its owner alone, and has it
// moved there; when that fails the temporary file is removed.
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
		_ = os.Remove(f.Name()) // the first error says more
	}
	return err
}

// WriteLink replaces whatever file stands at a path by a symbolic link.
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

// AppendNote adds to a file. One that has more than `most` bytes is put away whole first,
// as "<path>.old", so that what several processes append at once is not lost; 0 is no limit.
// The mode is that of a file which is not there yet.
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

// MoveFile moves a file or a folder, and makes the folder that it moves to, for its owner
// alone: what is put aside may be private.
func MoveFile(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	return os.Rename(from, to)
}

// RemoveFiles removes a file that no other process writes, and what writers of it left beside
// it that were killed.
func RemoveFiles(path string) error {
	entries, _ := os.ReadDir(filepath.Dir(path)) // an absent one holds nothing
	errs := []error{RemoveFile(path)}
	for _, e := range entries {
		if rest, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+"."); ok && strings.HasSuffix(rest, ".tmp") {
			errs = append(errs, RemoveFile(filepath.Join(filepath.Dir(path), e.Name())))
		}
	}
	return errors.Join(errs...)
}

// RemoveFile removes a file or an empty folder; an absent one is fine.
func RemoveFile(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// TakeFile removes a file and reports whether this process did: of many at once, one did.
func TakeFile(path string) bool { return os.Remove(path) == nil }

// RemoveFolder removes a folder with all that is in it; an absent one is fine.
func RemoveFolder(path string) error { return os.RemoveAll(path) }

// Show replaces a file of the store that people look at and nothing is decided from. It
// is not synced: after a power cut it says what is over, or nothing.
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

// Unshow removes such a file.
func (s *Store) Unshow(name string) {
	path := filepath.Join(s.dir, filepath.FromSlash(name))
	if s.checkFolders(path) == nil {
		_ = os.Remove(path) // it is only looked at
	}
}
