package gitwrite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/durable"
	"warp/internal/sys/git"
)

// Restore writes paths, files or whole folders, as a tree has them into the work
// tree: over what is there, with mode and link, and with missing folders. What
// the tree has not at such a path is removed when remove says so, unless it is a
// folder. Nothing is written through a symbolic link; submodules and the index
// are left alone.
func (t Tree) Restore(ctx context.Context, tree string, paths []string, remove bool) error {
	for _, p := range paths {
		if !fs.ValidPath(strings.ToValidUTF8(p, "?")) || p == "." || holdsGit(p) {
			return fmt.Errorf("restoring %q in %s: that is not a path of a work tree", p, t.root.Top)
		}
	}
	if err := revision(tree); err != nil {
		return err
	}
	have, absent, err := pickFrom(ctx, t.root.Top, tree, paths)
	if err != nil {
		return err
	}
	dir, err := newScratch(t.root.GitDir, "restore-")
	if err != nil {
		return err
	}
	defer dir.remove()
	out := filepath.Join(string(dir), "out")
	// Git itself applies filters and line ends, at a place where no link of
	// the work tree can lead astray.
	if err := (index{t.root, dir.index()}).set(ctx, have); err != nil {
		return err
	}
	if len(have) > 0 {
		if _, err := must(ctx, t.root.Top, git.Call{Args: []string{"checkout-index", "-a", "-f", "--prefix=" + filepath.ToSlash(out) + "/"}, Env: dir.index(), Limit: slow}); err != nil {
			return err
		}
	}
	return put(t.root.Top, out, have, absent, remove)
}

// pickFrom finds what a tree has at paths, and which of them it has not.
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

// Put copies files from a folder that is laid out as the work tree is, over what is
// there, with mode and link, and with missing folders. Nothing is written through
// a symbolic link.
func (t Tree) Put(from string, paths []string) error {
	have := map[string]entry{}
	for _, p := range paths {
		if !fs.ValidPath(strings.ToValidUTF8(p, "?")) || p == "." || holdsGit(p) {
			return fmt.Errorf("restoring %q in %s: that is not a path of a work tree", p, t.root.Top)
		}
		have[p] = entry{}
	}
	return put(t.root.Top, from, have, nil, false)
}

// put copies files from out, and removes others.
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

// place puts one file where it belongs, whole or not at all.
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
			err = to.Remove(name) // only when it is empty
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

// folders makes the folders of a path, and refuses links among them.
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
			return err // what is behind a link or a file is not this path
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

// holdsGit tells a path that leads into git's own folder.
func holdsGit(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if strings.EqualFold(part, ".git") {
			return true
		}
	}
	return false
}
