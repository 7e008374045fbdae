package faultfs

import (
	"io"
	"io/fs"
	"os"
)

// Lock implements durable.FS. The lock belongs to the inode, as with flock:
// a process that waits for a file that is then removed or replaced gets the old one.
// Its number is that of the call, not that of the moment when the wait ends;
// a crash in between ends the wait with ErrCrashed.
func (f *FS) Lock(name string) (io.Closer, error) {
	var taken *lock
	err := f.do("lock", name, "", func(Fault) error {
		node, err := f.openNode(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return err
		}
		for node.locked && !f.crashed {
			f.freed.Wait()
		}
		if f.crashed {
			return ErrCrashed
		}
		node.locked = true
		taken = &lock{fs: f, name: name, node: node}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return taken, nil
}

type lock struct {
	fs       *FS
	name     string
	node     *inode
	released bool
}

// Close releases the lock, even when a fault makes it return an error.
func (l *lock) Close() error {
	return l.fs.do("close", l.name, "", func(Fault) error {
		if l.released {
			return fs.ErrClosed
		}
		l.released = true
		l.node.locked = false
		l.fs.freed.Broadcast()
		return nil
	})
}
