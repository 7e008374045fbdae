package room

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// copyFiles copies the files that worktree_copy names. It follows no links on either side: an agent
// could lead to the user's files, or out of the room.
func (s Setup) copyFiles(m *Room) (err error) {
	if len(s.Copy) == 0 {
		return nil
	}
	from, err := os.OpenRoot(m.rooms.Root)
	if err != nil {
		return fmt.Errorf("worktree_copy: %w", err)
	}
	defer from.Close()
	if err := os.MkdirAll(m.Dir, 0o700); err != nil {
		return err
	}
	to, err := os.OpenRoot(m.Dir)
	if err != nil {
		return fmt.Errorf("worktree_copy: %w", err)
	}
	defer to.Close()
	for _, pattern := range s.Copy {
		names, err := fs.Glob(from.FS(), pattern)
		if err != nil {
			return fmt.Errorf("worktree_copy: %q is not a valid pattern: %w", pattern, err)
		}
		for _, name := range names {
			if isEnvironment(filepath.Join(m.rooms.Root, name)) {
				continue // once, with what is installed: it has links, and names its own path
			}
			if err := copyTree(from, to, name); err != nil {
				return fmt.Errorf("worktree_copy: %w", err)
			}
		}
	}
	return nil
}

// copyTree copies a file, or the files below a folder.
func copyTree(from, to *os.Root, name string) error {
	return fs.WalkDir(from.FS(), name, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		return copyFile(from, to, name)
	})
}

func copyFile(from, to *os.Root, name string) error {
	name = filepath.FromSlash(name)
	for dir := name; dir != "."; dir = filepath.Dir(dir) {
		if st, err := from.Lstat(dir); err != nil || st.Mode()&fs.ModeSymlink != 0 {
			return errors.Join(err, fmt.Errorf("%s is a link, or below one: name its target", name))
		}
	}
	st, err := from.Lstat(name)
	if err != nil || !st.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s is not a file", name))
	}
	in, err := from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := to.MkdirAll(filepath.FromSlash(path.Dir(filepath.ToSlash(name))), 0o700); err != nil {
		return err
	}
	if err := to.RemoveAll(name); err != nil {
		return err
	}
	out, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, st.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
