package guard

import (
	"errors"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Bounds of what is copied. Larger files are linked: what is deleted is still
// there then, and what is written in place was not destroyed.
const (
	largest   = 16 << 20
	mostFiles = 20_000
)

// copies keeps files of a folder elsewhere. A file that is as it was when it was
// copied is not copied again.
type copies struct {
	root, dir string
	stamps    map[string]stamp
	folders   map[string]time.Time // as they were when their files were copied
	left      []string             // what was too much to be copied
	named     bool                 // it was said what is
	filed     bool                 // other engines file issues there
}

type stamp struct {
	size int64
	mod  time.Time
	mode fs.FileMode
}

func newCopies(root, dir string) *copies {
	return &copies{root: root, dir: dir, stamps: map[string]stamp{}, folders: map[string]time.Time{}}
}

func (c *copies) at(rel string) string   { return filepath.Join(c.dir, filepath.FromSlash(rel)) }
func (c *copies) live(rel string) string { return filepath.Join(c.root, filepath.FromSlash(rel)) }

// add copies one file; one that is gone by now, or is no file, is none. Large
// ones are linked unless they must be copied whole.
func (c *copies) add(rel string, whole bool) error {
	info, err := os.Lstat(c.live(rel))
	if err != nil || !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return nil
	}
	now := stamp{info.Size(), info.ModTime(), info.Mode()}
	if _, err := os.Lstat(c.at(rel)); err == nil && c.stamps[rel] == now {
		return nil
	}
	if len(c.stamps) >= mostFiles {
		c.left = append(c.left, rel)
		return nil
	}
	to := c.at(rel)
	if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), os.RemoveAll(to)); err != nil {
		return err
	}
	if info.Size() > largest && !whole {
		if os.Link(c.live(rel), to) != nil {
			c.left = append(c.left, rel) // another file system
			return nil
		}
	} else if err := copyFile(c.live(rel), to, info.Mode()); errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil
	} else if err != nil {
		return err
	}
	c.stamps[rel] = now
	return nil
}

// grow copies what a file has got at its end since: of a journal, which only
// grows. One that is shorter than its copy is left to be put back.
func (c *copies) grow(rel string) error {
	live, err := os.Lstat(c.live(rel))
	if err != nil || !live.Mode().IsRegular() {
		return nil
	}
	kept, err := os.Stat(c.at(rel))
	if err != nil || c.stamps[rel] == (stamp{}) {
		return c.add(rel, true)
	}
	if live.Size() <= kept.Size() {
		return nil
	}
	in, err := os.Open(c.live(rel))
	if err != nil {
		return err
	}
	defer in.Close()
	if _, err := in.Seek(kept.Size(), io.SeekStart); err != nil {
		return err
	}
	out, err := os.OpenFile(c.at(rel), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// only forgets the copies of what is not wanted any more: an engine that finds
// them after a crash must not bring back what was removed on purpose.
func (c *copies) only(wanted func(rel string) bool) error {
	for rel := range c.stamps {
		if !wanted(rel) {
			delete(c.stamps, rel)
			if err := os.RemoveAll(c.at(rel)); err != nil {
				return err
			}
		}
	}
	return nil
}

// read is the text of a copy; false when there is none.
func (c *copies) read(rel string) ([]byte, bool) {
	info, err := os.Lstat(c.at(rel))
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	text, err := os.ReadFile(c.at(rel))
	return text, err == nil
}

// reopen finds the copies that an engine which was killed has left.
func (c *copies) reopen() error {
	err := filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(c.dir, path)
		if err != nil {
			return err
		}
		c.stamps[filepath.ToSlash(rel)] = stamp{size: -1}
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func (c *copies) clear() {
	_ = os.RemoveAll(c.dir)
	c.stamps, c.folders = map[string]stamp{}, map[string]time.Time{}
}

// copyFile copies a file, or a link as such.
func copyFile(from, to string, mode fs.FileMode) error {
	if mode&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(mode.Perm()), out.Close())
}

// hashed names a folder for a path.
func hashed(path string) string {
	h := fnv.New64a()
	h.Write([]byte(path))
	return strings.ToLower(filepath.Base(path)) + "-" + strconv.FormatUint(h.Sum64(), 36)
}
