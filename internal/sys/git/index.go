package git

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warp/internal/durable"
)

// A tempIndex is a copy of a repository's index that commands use instead of the real one.
type tempIndex struct {
	ctx  context.Context
	root Root
	repo Repo // at its top
	dir  string
	env  []string
}

// copyIndex puts the copy into git's folder: elsewhere it could be in the work tree, and so in the
// snapshot.
func (o Root) copyIndex(ctx context.Context) (x tempIndex, err error) {
	dir, err := os.MkdirTemp(o.GitDir, "warp-index-")
	if err != nil {
		return tempIndex{}, err
	}
	x = tempIndex{ctx: ctx, root: o, repo: Repo{Dir: o.Top}, dir: dir}
	name := filepath.Join(dir, "index")
	x.env = []string{"GIT_INDEX_FILE=" + name}
	if err := copyWithTime(o.indexFile(), name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		x.remove()
		return tempIndex{}, err
	}
	return x, nil
}

// copyWithTime keeps the file's time. Git rereads files that changed no earlier than the index was
// written; a copy that looks younger would hide such a change.
func copyWithTime(from, to string) error {
	in, err := durable.OpenPlain(from)
	if err != nil {
		return err
	}
	defer in.Close()
	st, err := in.Stat()
	if err != nil {
		return err
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, st.ModTime(), st.ModTime())
}

func (x tempIndex) remove() { _ = os.RemoveAll(x.dir) }

// git runs a command on the copy.
func (x tempIndex) git(stdin []byte, args ...string) ([]byte, error) {
	return x.repo.Must(x.ctx, Call{Args: args, Stdin: stdin, Env: x.env})
}

// update runs update-index over paths, if there are any.
func (x tempIndex) update(option string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := x.git([]byte(strings.Join(paths, "\x00")+"\x00"), "update-index", option, "-z", "--stdin")
	return err
}

// reveal makes git look at all files, and removes the excluded ones. The index may say «assume
// unchanged» or «skip» of a file that has changed, and a snapshot must not believe it. links are
// the submodules.
func (x tempIndex) reveal(out excludes) (links []string, err error) {
	list, err := x.root.entriesOf(x.ctx, filepath.Join(x.dir, "index"), x.env)
	if err != nil {
		return nil, err
	}
	var assumed, skipped, dropped []string
	for _, e := range list {
		if out.match(e.Path) {
			dropped = append(dropped, e.Path)
			continue
		}
		if e.Assumed {
			assumed = append(assumed, e.Path)
		}
		if e.Skipped {
			// Files that a sparse checkout left out were not deleted.
			if _, err := x.stat(e.Path); err == nil {
				skipped = append(skipped, e.Path)
			}
		}
	}
	list = slices.DeleteFunc(list, func(e IndexEntry) bool { return out.match(e.Path) })
	return submodules(x.root.Top, list), errors.Join(
		x.update("--force-remove", slices.Compact(dropped)), // a path in conflict is listed repeatedly
		x.update("--no-assume-unchanged", assumed),
		x.update("--no-skip-worktree", skipped),
	)
}

func (x tempIndex) stat(name string) (fs.FileInfo, error) {
	return os.Lstat(filepath.Join(x.repo.Dir, filepath.FromSlash(name)))
}
