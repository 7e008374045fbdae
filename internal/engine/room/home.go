package room

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// caches are what stays in a room's home folder between judgements: what compilers and installers
// would have to rebuild or fetch again. Settings do not stay: a run could influence how the next
// one is judged.
var caches = []string{".cache/go-build", ".cache/pip", ".cache/uv", "go/pkg/mod", ".npm/_cacache", ".cargo/registry", ".m2/repository", ".gradle/caches"}

// freshHome empties the home folder except for caches.
func (m *Room) freshHome() error {
	if err := prune(m.Home, ""); err != nil {
		return err
	}
	return os.MkdirAll(filepath.Join(m.Home, "tmp"), 0o700)
}

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
