package guard

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"

	"warp/internal/durable"
)

// file is a file's content, or a link's target.
type file struct {
	Text []byte
	Link bool
	Mode fs.FileMode
}

// errNotFile reports that a path holds something other than a file.
var errNotFile = errors.New("it is not a file")

// mostRead bounds what is read of a file: an agent can make one without end.
const mostRead = 1 << 30

// readFile reads a file, or a link without following it. An agent may have replaced it by something
// else: reading a pipe would block forever.
func readFile(path string) (f file, err error) {
	info, err := os.Lstat(path)
	if err != nil {
		return f, err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		return file{Text: []byte(to), Link: true}, err
	case !info.Mode().IsRegular() || info.Size() > mostRead:
		return f, errNotFile
	}
	f.Mode = info.Mode().Perm()
	f.Text, err = durable.ReadSeen(path)
	return f, err
}

func (f file) equal(g file) bool {
	return f.Link == g.Link && f.Mode == g.Mode && bytes.Equal(f.Text, g.Text)
}

// write writes it to a path atomically, over whatever is there.
func (f file) write(path string) error {
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		aside := path + ".warp-folder"
		if err := errors.Join(durable.RemoveFolder(aside), durable.MoveFile(path, aside)); err != nil {
			return err
		}
		if err := f.write(path); err != nil {
			return errors.Join(err, durable.MoveFile(aside, path))
		}
		return durable.RemoveFolder(aside)
	}
	if f.Link {
		return durable.WriteLink(path, string(f.Text))
	}
	return durable.WriteFile(path, f.Text, f.Mode)
}

// replacedFolder returns where replaced files are kept.
func (g *repository) replacedFolder() string {
	return filepath.Join(g.place.Common(), "warp", "replaced") // work trees are removed
}

func (g *repository) replacedFile(rel string, content []byte) string {
	h := fnv.New64a()
	h.Write(content)
	return filepath.Join(g.replacedFolder(), filepath.FromSlash(rel)+fmt.Sprintf("-%09x", h.Sum64())[:10])
}

// setAside keeps a replaced file where a person looks first, and no one else reads it.
func (g *repository) setAside(rel string, f file) error {
	to := g.replacedFile(rel, f.Text)
	f.Mode = 0o600
	return errors.Join(os.MkdirAll(filepath.Dir(to), 0o700), f.write(to))
}

// owner are the owner's permissions that a person needs to use a file.
const owner fs.FileMode = 0o600

// restoreRights restores the owner's permissions of a person's own files: an unreadable file is as
// good as gone. Other permissions may be an agent's work.
func restoreRights(r *Run) error {
	var back []string
	var errs []error
	for rel, was := range r.g.files.stamps {
		now, err := os.Lstat(r.g.files.live(rel))
		if err != nil || was.size < 0 || !now.Mode().IsRegular() || !was.mode.IsRegular() || was.mode.Perm()&owner&^now.Mode().Perm() == 0 {
			continue
		}
		if err := os.Chmod(r.g.files.live(rel), was.mode.Perm()); err != nil {
			errs = append(errs, err)
			continue
		}
		back = append(back, rel)
	}
	r.reportPaths(Destroyed, "", "the agent removed permissions of files that are not its own; they were restored", back)
	return errors.Join(errs...)
}

// gitReads are files of a work tree that git itself opens, and would hang on if one were a pipe.
var gitReads = []string{".gitignore", ".gitattributes", ".gitmodules", ".mailmap"}

// removePipes removes what would make git hang: pipes, sockets and devices in place of files that
// it opens. The original is then restored like any file.
func removePipes(r *Run) error {
	var gone []string
	var errs []error
	for _, name := range gitReads {
		file := r.g.files.live(name)
		info, err := os.Lstat(file)
		if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) == 0 {
			continue
		}
		if err := durable.RemoveFile(file); err != nil {
			errs = append(errs, err)
			continue
		}
		gone = append(gone, name)
	}
	r.reportPaths(Destroyed, "", "the agent replaced files that git reads with pipes or devices; they were removed", gone)
	return errors.Join(errs...)
}
