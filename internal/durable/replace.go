package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replacement replaces a file: it writes and syncs a temporary file next to it, renames it, and
// syncs the folder. The temporary name is fixed: there is only one writer, and the next write
// overwrites what a crash left.
type replacement struct {
	fs   FS
	path string
	perm fs.FileMode
}

func (r replacement) temp() string { return r.path + ".tmp" }

// prepare writes and syncs the temporary file without touching the file itself. If it fails, the
// caller decides whether to discard it.
func (r replacement) prepare(data []byte) error {
	f, err := r.fs.Open(r.temp(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, r.perm)
	if err == nil {
		if c, ok := f.(interface{ Chmod(fs.FileMode) error }); ok {
			err = c.Chmod(r.perm) // override the umask and the mode of an older temporary file
		}
		if err == nil {
			_, err = f.Write(data)
		}
		if err == nil {
			err = f.Sync()
		}
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("preparing %q: %w", r.temp(), err)
	}
	return nil
}

func (r replacement) rename() error { return r.fs.Rename(r.temp(), r.path) }

func (r replacement) settle() error { return r.fs.SyncDir(filepath.Dir(r.path)) }

// discard removes the temporary file; if that fails too, the next write overwrites it.
func (r replacement) discard() { _ = r.fs.Remove(r.temp()) }

// all replaces the file in one go.
func (r replacement) all(data []byte) error {
	if err := r.prepare(data); err != nil {
		r.discard()
		return err
	}
	if err := r.rename(); err != nil {
		r.discard()
		return err
	}
	if err := r.settle(); err != nil {
		return fmt.Errorf("%q is in place, but a power cut may undo it: %w", r.path, err)
	}
	return nil
}

func isNotExist(err error) bool { return errors.Is(err, fs.ErrNotExist) }
