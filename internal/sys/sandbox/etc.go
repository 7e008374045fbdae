package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// mostOfEtc bounds the size of a copied file.
const mostOfEtc = 4 << 20

// etcMounts returns what a box sees of /etc: copies of the files, in a folder of ours, and the
// folders themselves. One mount per file would take most of a box's start-up time.
func etcMounts(dir string) ([]mount, error) {
	all := []mount{{dir, "/etc", readOnly}}
	for _, name := range systemFiles {
		path, copied := filepath.Join("/etc", name), filepath.Join(dir, name)
		st, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := os.RemoveAll(copied); err != nil {
				return nil, err
			}
			continue
		case err != nil:
			continue // this user cannot read it either
		case st.IsDir():
			if err := os.MkdirAll(copied, 0o755); err != nil {
				return nil, err
			}
			all = append(all, mount{path, path, readOnly})
		case st.Mode().IsRegular() && st.Size() <= mostOfEtc:
			if err := copyNewer(path, copied, st); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// copyNewer copies a file if it changed since the last copy.
func copyNewer(from, to string, st fs.FileInfo) error {
	if old, err := os.Lstat(to); err == nil && old.Mode().IsRegular() && old.Size() == st.Size() && old.ModTime().Equal(st.ModTime()) {
		return nil
	}
	text, err := os.ReadFile(from)
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o755)
	}
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(to), ".copy-")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = errors.Join(err, f.Chmod(0o644), f.Close(), os.Chtimes(f.Name(), st.ModTime(), st.ModTime()))
	if err == nil {
		err = os.Rename(f.Name(), to)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}
