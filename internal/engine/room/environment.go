package room

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// missingError reports that the package manager of a lock file is not installed.
type missingError struct{ Program, Lock string }

func (e *missingError) Error() string {
	return fmt.Sprintf("what the tests need is installed from %s, and %s is not installed: install it, or set worktree_setup to another command that installs it, or worktree_copy to folders of yours such as a .venv", e.Lock, e.Program)
}

func isInstalled(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}

// isEnvironment reports whether a folder is a virtual environment of Python.
func isEnvironment(folder string) bool {
	info, err := os.Lstat(filepath.Join(folder, "pyvenv.cfg"))
	return err == nil && info.Mode().IsRegular()
}

// findEnvironments lists the virtual environments that worktree_copy names. They are copied once
// for what is installed in them, as a lock file is installed: the copy is a person's, and what a
// run changes in it is taken back.
func (s Setup) findEnvironments(r *Rooms) (list []string) {
	for _, pattern := range s.Copy {
		names, _ := fs.Glob(os.DirFS(r.Root), pattern) // a wrong pattern is said when it is copied
		for _, name := range names {
			if isEnvironment(filepath.Join(r.Root, name)) && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// printEnvironment returns a fingerprint of what is installed: pip and uv make a folder for each
// package and version.
func printEnvironment(folder string) string {
	h := sha256.New()
	for _, pattern := range []string{"pyvenv.cfg", "lib/*/site-packages/*", "Lib/site-packages/*"} {
		names, _ := fs.Glob(os.DirFS(folder), pattern)
		for _, name := range names {
			if info, err := os.Lstat(filepath.Join(folder, name)); err == nil && filepath.Base(name) != "__pycache__" {
				fmt.Fprintf(h, "%s %d\n", name, info.ModTime().UnixNano())
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// copyEnvironment copies a virtual environment with its links. Paths in the project become those in
// the room: an environment names itself, and a package that is installed from the project's folder.
func (m *Room) copyEnvironment(name string) error {
	from, err := os.OpenRoot(m.rooms.Root)
	if err != nil {
		return err
	}
	defer from.Close()
	f := furnishing{top: m.Dir}
	if f.to, err = os.OpenRoot(m.Dir); err != nil {
		return err
	}
	defer f.to.Close()
	return f.copyAll(from, m.rooms.Root, name)
}
