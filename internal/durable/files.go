package durable

import (
	"errors"
	"fmt"
	"path/filepath"
)

// EditFile changes a file that people edit too, such as the settings, under the store's lock. It
// writes the whole file or, if edit returns ErrUnchanged, nothing. The path is relative to the
// project's root.
func (s *Store) EditFile(path string, edit func([]byte) ([]byte, error)) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	text, err := s.ReadFile(path)
	if err != nil {
		return err
	}
	data, err := edit(text)
	if errors.Is(err, ErrUnchanged) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.replaceFile(path, data)
}

// RemoveFile removes a file, if it exists, under the store's lock. The path is relative to the
// project's root.
func (s *Store) RemoveFile(path string) error {
	if !s.Exists() {
		return nil
	}
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	full := s.file(path)
	if err := s.checkFolders(full); err != nil {
		return err
	}
	if err := s.fs.Remove(full); err != nil && !isNotExist(err) {
		return fmt.Errorf("removing %q: %w", full, err)
	}
	return nil
}

// List returns the regular files of a folder, sorted by name and relative to the project's root. It
// returns none if the folder does not exist.
func (s *Store) List(folder string) ([]string, error) {
	if err := s.checkFolders(filepath.Join(s.file(folder), "x")); err != nil {
		return nil, err
	}
	entries, err := s.fs.ReadDir(s.file(folder))
	if isNotExist(err) {
		return nil, nil
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func (s *Store) replaceFile(path string, data []byte) error {
	r := replacement{fs: s.fs, path: s.file(path), perm: 0o644}
	if inside(r.path, filepath.Join(s.dir, stateFolder)) {
		r.perm = 0o600
	}
	if err := s.checkFolders(r.path); err != nil {
		return err
	}
	if err := s.makeParent(r.path); err != nil {
		return err
	}
	if info, err := s.fs.Lstat(r.path); err == nil {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("writing %q: it is %s, not a file", r.path, modeName(info.Mode()))
		}
		r.perm = info.Mode().Perm()
	}
	if err := r.all(data); err != nil {
		return err
	}
	if err := s.fs.SyncDir(filepath.Dir(s.dir)); err != nil { // the store's folder may be new
		return fmt.Errorf("%q is in place, but a power cut may undo it: %w", r.path, err)
	}
	return nil
}

// ReadFile reads a file of bounded size, relative to the project's root. It returns nil if the file
// does not exist.
func (s *Store) ReadFile(path string) ([]byte, error) {
	text, err := s.read(s.file(path))
	if isNotExist(err) {
		return nil, nil
	}
	return text, err
}

// CheckFolder refuses a folder below the store's that is a link or is reached through one. A clone
// could otherwise make warp read and write a user's files there (links in place of pipeline-runs
// and worktrees were followed).
func (s *Store) CheckFolder(name string) error {
	return s.checkFolders(filepath.Join(s.dir, filepath.FromSlash(name), "x"))
}
