package faultfs

import (
	"bytes"
	"io/fs"
	"maps"
	"syscall"
	"time"
)

// inode is a file, a folder or a symbolic link, apart from its names. Each
// part that a cache may hold back exists twice: as running programs see it and
// as the disk has it.
type inode struct {
	mode  fs.FileMode
	mtime time.Time

	// A file. disk is only ever replaced, so copies may share it. synced
	// tells whether it was ever written, which an empty disk alone does not.
	// kept is how much of it was never cut off by a truncation since: what
	// lies behind is appended data.
	data   []byte
	disk   []byte
	synced bool
	kept   int

	// A folder.
	entries     map[string]*inode
	diskEntries map[string]*inode

	// A symbolic link; its target never changes.
	target string

	locked bool
}

func newFile(perm fs.FileMode) *inode {
	return &inode{mode: perm.Perm(), mtime: time.Now()}
}

func newFolder(perm fs.FileMode) *inode {
	return &inode{
		mode:        fs.ModeDir | perm.Perm(),
		mtime:       time.Now(),
		entries:     map[string]*inode{},
		diskEntries: map[string]*inode{},
	}
}

func newLink(target string) *inode {
	return &inode{mode: fs.ModeSymlink | 0o777, mtime: time.Now(), target: target}
}

func (n *inode) isFolder() bool { return n.mode.IsDir() }
func (n *inode) isLink() bool   { return n.mode.Type() == fs.ModeSymlink }

// write puts p at an offset; a gap before it reads as zero bytes.
func (n *inode) write(p []byte, at int) {
	if end := at + len(p); end > len(n.data) {
		n.data = append(n.data, make([]byte, end-len(n.data))...)
	}
	copy(n.data[at:], p)
	n.mtime = time.Now()
}

func (n *inode) resize(size int) {
	if size <= len(n.data) {
		n.data = n.data[:size]
	} else {
		n.data = append(n.data, make([]byte, size-len(n.data))...)
	}
	n.kept = min(n.kept, size)
	n.mtime = time.Now()
}

// sync brings the disk up to date: the content of a file, the entries of a
// folder, never both a file and its entry.
func (n *inode) sync() {
	if n.isFolder() {
		n.diskEntries = maps.Clone(n.entries)
		return
	}
	n.disk = bytes.Clone(n.data)
	n.kept = len(n.disk)
	n.synced = true
}

// put and drop change what running programs see of a folder.
func (n *inode) put(name string, child *inode) {
	n.entries[name] = child
	n.mtime = time.Now()
}

func (n *inode) drop(name string) {
	delete(n.entries, name)
	n.mtime = time.Now()
}

// folder returns the error of using n as a folder, if any.
func (n *inode) folder() error {
	if !n.isFolder() {
		return syscall.ENOTDIR
	}
	return nil
}

// info describes an inode as it is now; it does not follow later changes.
type info struct {
	name  string
	size  int64
	mode  fs.FileMode
	mtime time.Time
}

func (n *inode) info(name string) fs.FileInfo {
	return info{name, int64(len(n.data) + len(n.target)), n.mode, n.mtime}
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.mtime }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
