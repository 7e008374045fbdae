package faultfs

import (
	"bytes"
	"fmt"
	"path"
	"path/filepath"
)

// The methods here set up a test and look at its outcome. They are not
// operations: they have no number, suffer no fault, and work after a crash.

// Files returns the content of every file as running programs see it, by its
// name with slashes. Folders and symbolic links are not listed.
func (f *FS) Files() map[string][]byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	files := map[string][]byte{}
	var list func(name string, n *inode)
	list = func(name string, n *inode) {
		if n.mode.IsRegular() {
			// Never nil, so that an empty file compares equal to []byte{}.
			files[name] = append([]byte{}, n.data...)
		}
		for base, child := range n.entries {
			list(path.Join(name, base), child)
		}
	}
	list("/", f.root)
	return files
}

// WriteFile puts a file there as if it had always been: content, entry and
// missing parents are durable at once. It replaces the content of a file that
// exists. It ignores the limit and panics when the name cannot be a file: a
// fixture that fails is a mistake in the test.
func (f *FS) WriteFile(name string, data []byte) {
	f.fixture("WriteFile", name, func(at spot) *inode {
		node := at.node
		if node == nil {
			node = newFile(0o644)
		}
		if !node.mode.IsRegular() {
			panic(fmt.Sprintf("faultfs: WriteFile(%q): not a file", name))
		}
		node.resize(0)
		node.write(bytes.Clone(data), 0)
		node.sync()
		return node
	})
}

// Symlink puts a symbolic link there, durable at once like WriteFile. The
// target need not exist; it is rooted or relative to the link's folder.
func (f *FS) Symlink(target, name string) {
	f.fixture("Symlink", name, func(at spot) *inode {
		if at.node != nil {
			panic(fmt.Sprintf("faultfs: Symlink(%q): exists", name))
		}
		return newLink(filepath.ToSlash(target))
	})
}

// fixture makes the parents of a name, has the entry built, and makes this one
// line of entries durable, leaving the others of the same folders as they are.
func (f *FS) fixture(who, name string, build func(at spot) *inode) {
	f.mu.Lock()
	defer f.mu.Unlock()
	parents, err := f.mkdirAll(filepath.Dir(name), 0o755)
	var at spot
	if err == nil {
		at, err = f.walk(name, false)
	}
	if err == nil && at.folder == nil {
		err = fmt.Errorf("the root is a folder")
	}
	if err != nil {
		panic(fmt.Sprintf("faultfs: %s(%q): %v", who, name, err))
	}
	at.node = build(at)
	at.folder.put(at.name, at.node)
	for _, s := range append(parents, at) {
		if s.folder != nil {
			s.folder.diskEntries[s.name] = s.node
		}
	}
}
