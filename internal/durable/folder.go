package durable

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
)

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
