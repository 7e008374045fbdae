package room

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/sys/git"
)

// Furnish brings what a tree needs besides its files to an agent's work tree, as in a room: what
// its lock file installs, and what worktree_copy names. keptBack lists what it left out because git
// does not ignore it there: it would be committed.
func (r *Rooms) Furnish(ctx context.Context, top, tree, base string) (keptBack []string, err error) {
	f := furnishing{top: top}
	if f.to, err = os.OpenRoot(top); err != nil {
		return nil, err
	}
	defer f.to.Close()
	in := r.Setup.plan(r, tree, base)
	if !in.isEmpty() {
		if err := r.copyInstalled(ctx, &f, tree, base); err != nil {
			return f.keptBack, err
		}
	}
	if len(r.Setup.Copy) == 0 {
		return f.keptBack, nil
	}
	from, err := os.OpenRoot(r.Root)
	if err != nil {
		return f.keptBack, err
	}
	defer from.Close()
	for _, pattern := range r.Setup.Copy {
		names, err := fs.Glob(from.FS(), pattern)
		if err != nil {
			return f.keptBack, fmt.Errorf("worktree_copy: %q is not a valid pattern: %w", pattern, err)
		}
		for _, name := range names {
			if slices.Contains(in.environments, name) {
				continue // copied with what is installed
			}
			if ok, err := f.ignored(ctx, path.Join(r.Prefix, name)); err != nil || !ok {
				if err != nil {
					return f.keptBack, err
				}
				continue
			}
			if err := f.copyNamed(from, r.Prefix, name); err != nil {
				return f.keptBack, fmt.Errorf("worktree_copy: %w", err)
			}
		}
	}
	return f.keptBack, nil
}

// copyInstalled copies what a room has installed for a tree.
func (r *Rooms) copyInstalled(ctx context.Context, f *furnishing, tree, base string) (err error) {
	m, err := r.Enter(ctx, tree, base)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, m.Leave()) }()
	from, err := os.OpenRoot(m.top)
	if err != nil {
		return err
	}
	defer from.Close()
	for _, name := range m.done().Kept {
		ok, err := f.ignored(ctx, name)
		if err == nil && ok {
			err = f.copyAll(from, m.top, name)
		}
		if err != nil {
			return fmt.Errorf("copying %s: %w", name, err)
		}
	}
	return nil
}

// furnishing is a work tree being furnished.
type furnishing struct {
	top      string
	to       *os.Root
	keptBack []string
}

// ignored reports whether git ignores a path there, as a file or a folder.
func (f *furnishing) ignored(ctx context.Context, name string) (bool, error) {
	a, err := git.Repo{Dir: f.top}.Run(ctx, git.Call{Args: []string{"check-ignore", "--", name, name + "/"}})
	if err != nil {
		return false, err
	}
	if a.Exit != 0 {
		f.keptBack = append(f.keptBack, name)
	}
	return a.Exit == 0, nil
}

// copyNamed copies a file of the project's folder, or those below a folder.
func (f *furnishing) copyNamed(from *os.Root, prefix, name string) error {
	if err := f.to.MkdirAll(filepath.FromSlash(path.Join(prefix, ".")), 0o755); err != nil {
		return err
	}
	to, err := f.to.OpenRoot(filepath.FromSlash(path.Join(prefix, ".")))
	if err != nil {
		return err
	}
	defer to.Close()
	return copyTree(from, to, name)
}

// maxMoved is the largest file in which the room's path is replaced by the work tree's: installed
// scripts and small notes name their own folder.
const maxMoved = 1 << 20

// copyAll copies a folder with its links.
func (f *furnishing) copyAll(from *os.Root, room, name string) error {
	return fs.WalkDir(from.FS(), name, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		at := filepath.FromSlash(name)
		info, err := e.Info()
		if err != nil {
			return err
		}
		switch {
		case e.IsDir():
			return f.to.MkdirAll(at, 0o755)
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := from.Readlink(at)
			if err != nil {
				return err
			}
			return f.to.Symlink(f.replacePath(target, room), at)
		case !info.Mode().IsRegular():
			return nil
		}
		if err := f.to.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return err
		}
		return f.copyMoved(from, room, at, info)
	})
}

// replacePath replaces the room's path by the work tree's.
func (f *furnishing) replacePath(text, room string) string {
	return strings.ReplaceAll(text, room, f.top)
}

func (f *furnishing) copyMoved(from *os.Root, room, at string, info fs.FileInfo) error {
	in, err := from.Open(at)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := f.to.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		return err
	}
	var content io.Reader = in
	if info.Size() <= maxMoved {
		text, err := io.ReadAll(in)
		if err != nil {
			return errors.Join(err, out.Close())
		}
		if bytes.IndexByte(text, 0) < 0 {
			text = []byte(f.replacePath(string(text), room))
		}
		content = bytes.NewReader(text)
	}
	_, err = io.Copy(out, content)
	if err = errors.Join(err, out.Close()); err != nil {
		return err
	}
	return f.to.Chtimes(at, info.ModTime(), info.ModTime()) // Python's caches name the times of their sources
}
