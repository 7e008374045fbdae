package gitwrite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"warp/internal/durable"
	"warp/internal/sys/git"
)

// Restore writes paths, files or whole folders, from a tree to the work tree: it overwrites files,
// keeps modes and links, and creates missing folders. With remove it deletes files at paths that
// the tree lacks, but not folders. It never writes through a symbolic link, and leaves submodules
// and the index alone.
func (t Tree) Restore(ctx context.Context, tree string, paths []string, remove bool) error {
	if err := cmp.Or(checkPaths(t.root.Top, paths), revision(tree)); err != nil {
		return err
	}
	have, absent, err := pickFrom(ctx, t.root.Top, tree, paths)
	if err != nil {
		return err
	}
	dir, err := t.root.Blank()
	if err != nil {
		return err
	}
	defer dir.Remove()
	out := filepath.Join(dir.Dir, "out")
	// Git itself applies filters and line ends, in a folder where no link of the work tree can
	// redirect it.
	if err := (index{t.root, dir.Env}).set(ctx, have); err != nil {
		return err
	}
	if len(have) > 0 {
		if _, err := must(ctx, t.root.Top, git.Call{Args: []string{"checkout-index", "-a", "-f", "--prefix=" + filepath.ToSlash(out) + "/"}, Env: dir.Env, Limit: slow}); err != nil {
			return err
		}
	}
	return put(t.root.Top, out, have, absent, remove)
}

// pickFrom returns what a tree has at paths, and the paths that it lacks.
func pickFrom(ctx context.Context, top, tree string, paths []string) (have map[string]entry, absent []string, err error) {
	out, err := must(ctx, top, git.Call{Args: []string{"ls-tree", "-r", "-z", "--full-tree", tree}})
	if err != nil {
		return nil, nil, err
	}
	want := map[string]bool{}
	for _, p := range paths {
		want[p] = true
	}
	have, found := map[string]entry{}, map[string]bool{}
	for _, e := range git.Split(out) {
		meta, name, _ := strings.Cut(e, "\t")
		f := strings.Fields(meta)
		if len(f) != 3 {
			return nil, nil, errTorn
		}
		for p := name; p != "."; p = path.Dir(p) {
			if !want[p] {
				continue
			}
			found[p] = true
			if f[0] != gitlink {
				have[name] = entry{f[0], f[2]}
			}
		}
	}
	for _, p := range paths {
		if !found[p] {
			absent = append(absent, p)
		}
	}
	return have, absent, nil
}

// Put copies files from a folder laid out like the work tree: it overwrites files, keeps modes and
// links, and creates missing folders. It never writes through a symbolic link.
func (t Tree) Put(from string, paths []string) error {
	if err := checkPaths(t.root.Top, paths); err != nil {
		return err
	}
	have := map[string]entry{}
	for _, p := range paths {
		have[p] = entry{}
	}
	return put(t.root.Top, from, have, nil, false)
}

// put copies files from out and removes absent ones if remove is set.
func put(top, out string, have map[string]entry, absent []string, remove bool) error {
	to, err := os.OpenRoot(top)
	if err != nil {
		return err
	}
	defer to.Close()
	var errs []error
	for name := range have {
		if err := place(to, out, name); err != nil {
			errs = append(errs, fmt.Errorf("restoring %q in %s: %w", name, top, err))
		}
	}
	if remove {
		for _, name := range absent {
			if err := unlink(to, name); err != nil {
				errs = append(errs, fmt.Errorf("removing %q in %s: %w", name, top, err))
			}
		}
	}
	return errors.Join(errs...)
}

// place moves one file into place, whole or not at all.
func place(to *os.Root, out, name string) error {
	if err := folders(to, path.Dir(name)); err != nil {
		return err
	}
	from := filepath.Join(out, filepath.FromSlash(name))
	st, err := os.Lstat(from)
	if err != nil {
		return err
	}
	temp := path.Join(path.Dir(name), ".warp-restore-"+strconv.Itoa(os.Getpid()))
	_ = to.Remove(temp)
	if st.Mode()&fs.ModeSymlink != 0 {
		err = copyLink(to, from, temp)
	} else {
		err = copyFile(to, from, temp, st.Mode().Perm())
	}
	if err == nil {
		if old, e := to.Lstat(name); e == nil && old.IsDir() {
			err = to.Remove(name) // only if it is empty
		}
	}
	if err == nil {
		err = to.Rename(temp, name)
	}
	if err != nil {
		_ = to.Remove(temp)
	}
	return err
}

func copyLink(to *os.Root, from, name string) error {
	target, err := os.Readlink(from)
	if err != nil {
		return err
	}
	return to.Symlink(target, name)
}

func copyFile(to *os.Root, from, name string, mode fs.FileMode) error {
	in, err := durable.OpenPlain(from)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, in)
	return errors.Join(err, f.Chmod(mode), f.Close())
}

// folders creates the folders of a path, and refuses links among them.
func folders(root *os.Root, dir string) error {
	if dir == "." {
		return nil
	}
	if err := folders(root, path.Dir(dir)); err != nil {
		return err
	}
	st, err := root.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return root.Mkdir(dir, 0o777)
	case err != nil:
		return err
	case !st.IsDir():
		return fmt.Errorf("%q is not a folder; move it away", dir)
	}
	return nil
}

// unlink removes a file that is not behind a link.
func unlink(root *os.Root, name string) error {
	for d := path.Dir(name); d != "."; d = path.Dir(d) {
		st, err := root.Lstat(d)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil || !st.IsDir() {
			return err // behind a link or a file it would be another path
		}
	}
	st, err := root.Lstat(name)
	if err != nil || st.IsDir() {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	return root.Remove(name)
}

// checkPaths refuses what is no path of a work tree, or leads into git's folder.
func checkPaths(top string, paths []string) error {
	isGit := func(part string) bool { return strings.EqualFold(part, ".git") }
	for _, p := range paths {
		if !fs.ValidPath(strings.ToValidUTF8(p, "?")) || p == "." || slices.ContainsFunc(strings.Split(p, "/"), isGit) {
			return fmt.Errorf("restoring %q in %s: that is not a path of a work tree", p, top)
		}
	}
	return nil
}
