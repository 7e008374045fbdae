package room

import (
	"io/fs"
	"os"
	"path/filepath"
)

// prints returns fingerprints of all files below paths. What runs in the room cannot set the time
// of a file's last inode change.
func (m *Room) prints(paths []string) (map[string]string, error) {
	all := map[string]string{}
	for _, p := range paths {
		err := filepath.WalkDir(filepath.Join(m.top, filepath.FromSlash(p)), func(file string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if e.IsDir() {
				return nil
			}
			info, err := e.Info()
			if err != nil {
				return err
			}
			name, err := filepath.Rel(m.top, file)
			all[name] = printOf(info)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// isAsSetUp removes what was added to what was set up, and reports whether the rest is unchanged.
func (m *Room) isAsSetUp(was done) bool {
	now, err := m.prints(was.Kept)
	if err != nil {
		return false
	}
	for name, print := range now {
		old, known := was.Files[name]
		switch {
		case !known && os.Remove(filepath.Join(m.top, name)) != nil, known && old != print:
			return false
		}
	}
	for name := range was.Files {
		if _, there := now[name]; !there {
			return false
		}
	}
	return true
}
