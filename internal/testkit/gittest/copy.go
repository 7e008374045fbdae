package gittest

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// made is a file or a folder that a script has made.
type made struct {
	path string
	mode fs.FileMode
	text []byte
}

// makers run each script once for each test binary.
var makers sync.Map

// Copy fills a folder with what a script makes in an empty one. The script runs once for each test
// binary: a repository takes half a dozen processes of git, and most tests begin with the same.
// Where it must not depend on the folder's path, the script has to name files relative to it.
func Copy(t testing.TB, dir, script string) {
	t.Helper()
	maker, _ := makers.LoadOrStore(script, sync.OnceValue(func() []made { return run(t, script) }))
	for _, one := range maker.(func() []made)() {
		Must(t, one.write(dir))
	}
}

func run(t testing.TB, script string) (list []made) {
	t.Helper()
	dir := t.TempDir()
	Sh(t, dir, script)
	Must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		one := made{mode: info.Mode()}
		if one.path, err = filepath.Rel(dir, path); err == nil && !d.IsDir() {
			one.text, err = os.ReadFile(path)
		}
		list = append(list, one)
		return err
	}))
	return list
}

func (m made) write(dir string) error {
	path := filepath.Join(dir, m.path)
	if m.mode.IsDir() {
		return os.MkdirAll(path, m.mode.Perm())
	}
	if err := os.WriteFile(path, m.text, m.mode.Perm()); err != nil {
		return err
	}
	return os.Chmod(path, m.mode.Perm()) // whatever the umask
}
