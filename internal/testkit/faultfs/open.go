package faultfs

import (
	"io/fs"
	"os"
	"strings"
	"syscall"

	"warp/internal/durable"
)

const accessMode = os.O_RDONLY | os.O_WRONLY | os.O_RDWR

// Open implements durable.FS. A symbolic link as the last element is ELOOP.
// A folder may be opened for reading; its Sync is a SyncDir.
func (f *FS) Open(name string, flag int, perm fs.FileMode) (durable.File, error) {
	var opened *file
	err := f.do("open", name, flags(flag), func(Fault) error {
		node, err := f.openNode(name, flag, perm)
		if err != nil {
			return err
		}
		opened = &file{fs: f, name: name, node: node, flag: flag}
		f.opened[opened] = struct{}{}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return opened, nil
}

func (f *FS) openNode(name string, flag int, perm fs.FileMode) (*inode, error) {
	writes := flag&accessMode != os.O_RDONLY
	if flag&os.O_TRUNC != 0 && !writes {
		// POSIX leaves this undefined; a test should hear of it.
		return nil, syscall.EINVAL
	}
	s, err := f.walk(name, false)
	if err != nil {
		return nil, err
	}
	create := flag&os.O_CREATE != 0
	switch {
	case s.node == nil && !create:
		return nil, syscall.ENOENT
	case s.node == nil:
		s.node = newFile(perm)
		s.folder.put(s.name, s.node)
		return s.node, nil
	case create && flag&os.O_EXCL != 0:
		return nil, syscall.EEXIST
	case s.node.isLink():
		return nil, syscall.ELOOP
	case s.node.isFolder() && (create || writes):
		return nil, syscall.EISDIR
	}
	if flag&os.O_TRUNC != 0 {
		s.node.resize(0)
	}
	return s.node, nil
}

// flags spells the flags of an open for the trace.
func flags(flag int) string {
	words := []string{"rdonly"}
	switch flag & accessMode {
	case os.O_WRONLY:
		words[0] = "wronly"
	case os.O_RDWR:
		words[0] = "rdwr"
	}
	for _, known := range []struct {
		bit  int
		word string
	}{
		{os.O_APPEND, "append"},
		{os.O_CREATE, "create"},
		{os.O_EXCL, "excl"},
		{os.O_TRUNC, "trunc"},
	} {
		if flag&known.bit != 0 {
			words = append(words, known.word)
		}
	}
	return strings.Join(words, "|")
}
