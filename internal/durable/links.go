package durable

import "path/filepath"

// CheckFolder refuses a folder below the store's own that is a link, or is reached
// through one: a clone could have warp read and write a user's files there (links in
// place of pipeline-runs and worktrees were followed).
func (s *Store) CheckFolder(name string) error {
	return s.checkFolders(filepath.Join(s.dir, filepath.FromSlash(name), "x"))
}

func (s *Store) checkFolders(full string) error {
	for dir := filepath.Dir(full); dir != s.dir && inside(dir, s.dir); dir = filepath.Dir(dir) {
		if info, err := s.fs.Lstat(dir); err == nil && !info.IsDir() {
			return realFolder(dir, info)
		}
	}
	return nil
}

// readOwn reads a document of the store.
func (s *Store) readOwn(path string) ([]byte, error) {
	if err := s.checkFolders(path); err != nil {
		return nil, err
	}
	return readFile(s.fs, path, MaxSize)
}
