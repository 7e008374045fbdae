package faultfs

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"syscall"

	"warp/internal/durable"
)

// file is an open file. It holds the inode, not the name: it goes on working
// after a rename or a removal.
type file struct {
	fs     *FS
	name   string // as opened, for messages
	node   *inode
	flag   int
	at     int
	closed bool
}

var _ durable.File = (*file)(nil)

// do is FS.do for a file that has to be open.
func (o *file) do(verb, detail string, work func(how Fault) error) error {
	return o.fs.do(verb, o.name, detail, func(how Fault) error {
		if o.closed {
			return fs.ErrClosed
		}
		return work(how)
	})
}

func (o *file) Read(p []byte) (n int, err error) {
	err = o.do("read", strconv.Itoa(len(p)), func(Fault) error {
		if err := o.readable(); err != nil || len(p) == 0 {
			return err
		}
		if o.at >= len(o.node.data) {
			return io.EOF
		}
		n = copy(p, o.node.data[o.at:])
		o.at += n
		return nil
	})
	return unlessCrashed(n, err)
}

func (o *file) ReadAt(p []byte, off int64) (n int, err error) {
	err = o.do("readat", fmt.Sprintf("%d@%d", len(p), off), func(Fault) error {
		if err := o.readable(); err != nil {
			return err
		}
		if off < 0 {
			return syscall.EINVAL
		}
		if off < int64(len(o.node.data)) {
			n = copy(p, o.node.data[off:])
		}
		if n < len(p) {
			return io.EOF
		}
		return nil
	})
	return unlessCrashed(n, err)
}

func (o *file) readable() error {
	switch {
	case o.flag&accessMode == os.O_WRONLY:
		return syscall.EBADF
	case o.node.isFolder():
		return syscall.EISDIR
	}
	return nil
}

func (o *file) Write(p []byte) (n int, err error) {
	err = o.do("write", strconv.Itoa(len(p)), func(how Fault) error {
		if o.flag&accessMode == os.O_RDONLY {
			return syscall.EBADF
		}
		at := o.at
		if o.flag&os.O_APPEND != 0 {
			at = len(o.node.data)
		}
		fits := p
		if how == ShortWrite {
			fits = fits[:len(fits)/2]
		}
		fits = fits[:o.fs.room(o.node, at, len(fits))]
		if n = len(fits); n > 0 {
			o.node.write(fits, at)
			o.at = at + n
		}
		if n < len(p) || how == ShortWrite {
			return syscall.ENOSPC
		}
		return nil
	})
	return unlessCrashed(n, err)
}

func (o *file) Truncate(size int64) error {
	return o.do("truncate", strconv.FormatInt(size, 10), func(Fault) error {
		if o.flag&accessMode == os.O_RDONLY || size < 0 {
			return syscall.EINVAL
		}
		grown := int(size) - len(o.node.data)
		if grown > 0 && o.fs.room(o.node, len(o.node.data), grown) < grown {
			return syscall.ENOSPC
		}
		o.node.resize(int(size))
		return nil
	})
}

func (o *file) Sync() error {
	return o.do("sync", "", func(how Fault) error {
		if how != LyingSync {
			o.node.sync()
		}
		return nil
	})
}

func (o *file) Stat() (found fs.FileInfo, err error) {
	err = o.do("stat", "", func(Fault) error {
		found = o.node.info(filepath.Base(o.name))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

func (o *file) Close() error {
	return o.do("close", "", func(Fault) error {
		o.closed = true
		delete(o.fs.opened, o)
		return nil
	})
}

// unlessCrashed hides how far an operation came that nobody lived to see.
func unlessCrashed(n int, err error) (int, error) {
	if err == ErrCrashed {
		return 0, err
	}
	return n, err
}
