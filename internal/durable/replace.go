package durable

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// replacement replaces a file by a temporary one beside it: written, synced,
// renamed, the folder synced. The temporary name is fixed: there is one writer,
// and what a crash leaves behind is overwritten by the next.
type replacement struct {
	fs   FS
	path string
	perm fs.FileMode
}

func (r replacement) temp() string { return r.path + ".tmp" }

// prepare writes and syncs the successor without touching the file. When it
// fails the caller decides whether to discard what there is of it.
func (r replacement) prepare(data []byte) error {
	f, err := r.fs.Open(r.temp(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, r.perm)
	if err == nil {
		if c, ok := f.(interface{ Chmod(fs.FileMode) error }); ok {
			err = c.Chmod(r.perm) // the umask, or an older temporary file, must not decide
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

// discard takes the successor back; when that fails too, the next write
// overwrites it.
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
