package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
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

// folder is a store's folder. No link leads out of it.
type folder struct {
	fs  FS
	dir string
}

// file returns the full path of a file of the project.
func (f folder) file(path string) string {
	return filepath.Join(filepath.Dir(f.dir), filepath.FromSlash(path))
}

// makeFolders durably creates the folders that a first write needs. It creates the state folder
// last: if that exists, its parent was synced, even if a crash or an error came between.
func (f folder) makeFolders() error {
	if err := f.ownFolder(); err != nil {
		return err
	}
	state := filepath.Join(f.dir, stateFolder)
	if info, err := f.fs.Lstat(state); err == nil {
		return realFolder(state, info)
	}
	err := f.fs.SyncDir(filepath.Dir(f.dir))
	if err == nil {
		err = f.fs.MkdirAll(state, 0o700)
	}
	if err == nil {
		err = f.fs.SyncDir(f.dir)
	}
	if err != nil {
		return fmt.Errorf("making the folder for state: %w", err)
	}
	return nil
}

// ownFolder checks that the store's folder belongs to this project: a link could lead every write
// elsewhere.
func (f folder) ownFolder() error {
	if info, err := f.fs.Lstat(f.dir); err == nil {
		return realFolder(f.dir, info)
	}
	if err := f.fs.MkdirAll(f.dir, 0o755); err != nil {
		return fmt.Errorf("making the folder for state: %w", err)
	}
	return nil
}

func realFolder(path string, info fs.FileInfo) error {
	if info.IsDir() {
		return nil
	}
	return &DamagedError{Path: path, Why: fmt.Errorf("it is %s, not a folder; move it away", modeName(info.Mode()))}
}

// makeParent durably creates a file's folder. State folders are for the user alone.
func (f folder) makeParent(path string) error {
	dir := filepath.Dir(path)
	info, err := f.fs.Lstat(dir)
	switch {
	case err == nil:
		return realFolder(dir, info)
	case !isNotExist(err):
		return fmt.Errorf("looking for the folder %q: %w", dir, err)
	}
	if err := f.makeParent(dir); err != nil {
		return err
	}
	perm := fs.FileMode(0o755)
	if inside(dir, filepath.Join(f.dir, stateFolder)) {
		perm = 0o700
	}
	if err = f.fs.MkdirAll(dir, perm); err == nil {
		err = f.fs.SyncDir(filepath.Dir(dir))
	}
	if err != nil {
		return fmt.Errorf("making the folder %q: %w", dir, err)
	}
	return nil
}

func inside(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}

// checkFolders refuses a file reached through a link.
func (f folder) checkFolders(full string) error {
	for dir := filepath.Dir(full); dir != f.dir && inside(dir, f.dir); dir = filepath.Dir(dir) {
		if info, err := f.fs.Lstat(dir); err == nil && !info.IsDir() {
			return realFolder(dir, info)
		}
	}
	return nil
}

// read reads a file of bounded size.
func (f folder) read(path string) ([]byte, error) {
	if err := f.checkFolders(path); err != nil {
		return nil, err
	}
	return readFile(f.fs, path, MaxSize)
}
