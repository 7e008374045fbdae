package room

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
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

// caches are what stays in a room's home folder between judgements: what compilers and installers
// would have to rebuild or fetch again. Settings do not stay: a run could influence how the next
// one is judged.
var caches = []string{".cache/go-build", ".cache/pip", ".cache/uv", "go/pkg/mod", ".npm/_cacache", ".cargo/registry", ".m2/repository", ".gradle/caches"}

// prune removes what is in a folder below the home folder and leads to no cache. It follows no
// link.
func prune(home, dir string) error {
	entries, err := os.ReadDir(filepath.Join(home, filepath.FromSlash(dir)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, e := range entries {
		name := strings.TrimPrefix(dir+"/"+e.Name(), "/")
		leads := slices.ContainsFunc(caches, func(c string) bool { return strings.HasPrefix(c, name+"/") })
		switch {
		case e.IsDir() && slices.Contains(caches, name):
		case e.IsDir() && leads:
			err = errors.Join(err, prune(home, name))
		default:
			err = errors.Join(err, removeAll(filepath.Join(home, filepath.FromSlash(name))))
		}
	}
	return err
}

// removeAll also removes folders without permissions.
func removeAll(path string) error {
	if err := os.RemoveAll(path); err == nil {
		return nil
	}
	_ = filepath.WalkDir(path, func(p string, e fs.DirEntry, _ error) error {
		if e != nil && e.IsDir() {
			_ = os.Chmod(p, 0o700)
		}
		return nil
	})
	return os.RemoveAll(path)
}
