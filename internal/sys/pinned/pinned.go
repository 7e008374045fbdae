// Package pinned keeps copies of the files that decide what an agent may do: settings, issues and
// pull requests of the local tracker, git's configuration and hooks, and instructions to agents.
// While a session works without a sandbox, a change to them that no command of warp made is undone
// (a session once set the test command and approved its own issue with git log --output). When to
// look is up to others.
//
// Most calls change none of them, and the hooks look after each: what is compared is one text of
// names and stamps, and only a file whose stamp has changed is read.
package pinned

import (
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"warp/internal/durable"
	"warp/internal/sys/git"
)

// Book holds the copies for one project.
type Book struct {
	root string
	git  git.Place
}

// Open returns a project's book; false without a repository, which is where copies are kept.
func Open(root string) (Book, bool) {
	place, ok := git.Locate(root)
	return Book{root, place}, ok
}

func (b Book) folder() string { return filepath.Join(b.git.Common(), "warp", "pinned") }

// index lists the files and their stamps, as they were last seen. Each work tree has its own.
func (b Book) index() string { return filepath.Join(b.folder(), hashed(b.root)) }

// copyOf returns the place of a file's copy, which all work trees share.
func (b Book) copyOf(file string) string { return filepath.Join(b.folder(), "files", hashed(file)) }

func hashed(path string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(path)) // never fails
	return strconv.FormatUint(h.Sum64(), 36)
}

// Begin copies all files as they are.
func (b Book) Begin() error {
	hooks := b.hooksPath()
	list := b.list(hooks)
	if err := os.MkdirAll(filepath.Dir(b.copyOf("")), 0o700); err != nil {
		return err
	}
	for _, f := range list {
		if err := b.copy(f.path); err != nil {
			return err
		}
	}
	return b.write(hooks, list)
}

// Renew is Begin for a project whose book is in use: a person's command has changed some of the
// files.
func Renew(root string) error {
	b, ok := Open(root)
	if _, err := os.Lstat(b.index()); !ok || err != nil {
		return nil
	}
	return b.Begin()
}

// Expect records what warp is about to write to a file, relative to the project. Call it first, so
// that a hook that finds the file also finds the record.
func Expect(root, rel string, text []byte) error {
	b, ok := Open(root)
	if !ok {
		return nil
	}
	if _, err := os.Lstat(b.folder()); err != nil {
		return nil // no session has ever worked here
	}
	return durable.WriteNote(b.copyOf(filepath.Join(root, filepath.FromSlash(rel))), text)
}

func (b Book) copy(path string) error {
	text, err := durable.ReadPlain(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("copying %s: %w", path, err)
	}
	return durable.WriteNote(b.copyOf(path), text)
}

func (b Book) write(hooks string, list []entry) error {
	var text strings.Builder
	writeIndex(&text, hooks, list)
	return durable.WriteNote(b.index(), []byte(text.String()))
}
