package contain

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"warp/internal/durable"
)

// mostHomes is how many agents of one name may work at once.
const mostHomes = 64

// folder returns the folder of the project's sandboxes.
func (w *Walls) folder() string {
	sum := sha256.Sum256([]byte(w.Root))
	return filepath.Join(w.State, "sandbox", hex.EncodeToString(sum[:8]))
}

// home returns the home folder that the project's runs of a name share: caches stay warm, and the
// user's are untouched. Agents and judged commands never share one.
func (w *Walls) home(o Order) (string, error) {
	dir := filepath.Join(w.folder(), o.Name)
	if o.own != nil && o.own.Home != "" {
		dir = o.own.Home
	}
	return dir, makeHome(dir)
}

// claim returns the home folder of one run. Only one agent at a time has it: preparing it for one
// run would break another in progress.
func (w *Walls) claim(o Order) (home string, lock io.Closer, err error) {
	if o.own != nil {
		home, err = w.home(o)
		return home, nil, err
	}
	if err := os.MkdirAll(w.folder(), 0o700); err != nil {
		return "", nil, fmt.Errorf("making the home folder of a sandbox: %w", err)
	}
	name := o.Name
	for i := range mostHomes {
		if i > 0 {
			o.Name = name + "-" + strconv.Itoa(i+1)
		}
		if lock, free := (durable.OS{}).TryLock(filepath.Join(w.folder(), o.Name+".lock")); free {
			if home, err = w.home(o); err != nil {
				return "", nil, errors.Join(err, lock.Close())
			}
			return home, lock, nil
		}
	}
	return "", nil, fmt.Errorf("no sandbox home folder is free: all %d of %s in %s are in use or cannot be locked", mostHomes, name, w.folder())
}

// makeHome creates a home folder with a place for temporary files.
func makeHome(dir string) error {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = os.Chmod(dir, 0o700)
	}
	if err == nil {
		err = inFolder(dir, func(home *os.Root) error { return makeFolders(home, "tmp") })
	}
	if err != nil {
		return fmt.Errorf("making the home folder of a sandbox: %w", err)
	}
	return nil
}

// inFolder calls do with a folder whose content an agent may have written: no link leads out.
func inFolder(dir string, do func(*os.Root) error) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	return errors.Join(do(root), root.Close())
}

// makeFolders creates a folder and its parents. It removes what is there instead, such as a link.
func makeFolders(root *os.Root, dir string) error {
	at := ""
	for part := range strings.SplitSeq(path.Clean(dir), "/") {
		if part == "." {
			continue
		}
		at = path.Join(at, part)
		st, err := root.Lstat(at)
		if err == nil && !st.IsDir() {
			err = errors.Join(root.Remove(at), fs.ErrNotExist)
		}
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = root.Mkdir(at, 0o700)
		case err == nil && st.Mode().Perm()&0o700 != 0o700:
			err = root.Chmod(at, 0o700)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isPlainFolder reports whether a path is a folder without links on the way.
func isPlainFolder(root *os.Root, dir string) bool {
	at := ""
	for part := range strings.SplitSeq(dir, "/") {
		at = path.Join(at, part)
		if st, err := root.Lstat(at); err != nil || !st.IsDir() {
			return false
		}
	}
	return true
}

// emptyFolder removes a folder's content, except for files that match keep.
func emptyFolder(root *os.Root, dir string, keep []string) error {
	if err := makeFolders(root, dir); err != nil {
		return err
	}
	list, err := fs.ReadDir(root.FS(), dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		name := path.Join(dir, e.Name())
		inner, last := patternsBelow(keep, e.Name())
		switch {
		case e.Type().IsRegular() && last:
			continue
		case e.IsDir() && len(inner) > 0:
			err = errors.Join(err, emptyFolder(root, name, inner))
		default:
			err = errors.Join(err, removeAll(root, name))
		}
	}
	return err
}

// patternsBelow returns what remains of the patterns below a name, and whether one ends with it.
func patternsBelow(patterns []string, name string) (inner []string, last bool) {
	for _, p := range patterns {
		first, rest, more := strings.Cut(p, "/")
		if ok, _ := path.Match(first, name); !ok {
			continue
		}
		if more {
			inner = append(inner, rest)
		} else {
			last = true
		}
	}
	return inner, last
}

// removeAll also removes what an agent has made unreadable.
func removeAll(root *os.Root, name string) error {
	if root.RemoveAll(name) == nil {
		return nil
	}
	_ = fs.WalkDir(root.FS(), name, func(at string, e fs.DirEntry, _ error) error {
		if e != nil && e.IsDir() {
			_ = root.Chmod(at, 0o700)
		}
		return nil // what still cannot be removed is reported below
	})
	return root.RemoveAll(name)
}

// aside returns a folder for what the engine gives a run outside its home folder, where the run
// could replace it by a link. It is removed with the run.
func (w *Walls) aside(r *Run) (string, error) {
	if r.aside != "" {
		return r.aside, nil
	}
	if err := os.MkdirAll(w.folder(), 0o700); err != nil {
		return "", err
	}
	const prefix = "run-"
	old, _ := filepath.Glob(filepath.Join(w.folder(), prefix+"*")) // the pattern is well-formed
	for _, dir := range old {
		if st, err := os.Lstat(dir); err == nil && time.Since(st.ModTime()) > 7*24*time.Hour {
			_ = os.RemoveAll(dir) // left by a killed run
		}
	}
	var err error
	r.aside, err = os.MkdirTemp(w.folder(), prefix)
	return r.aside, err
}
