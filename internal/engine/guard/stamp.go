package guard

import (
	"io/fs"
	"time"
)

// stamp is what a file looks like without reading it.
type stamp struct {
	size  int64
	mod   time.Time
	mode  fs.FileMode
	inode inode
}

// inode distinguishes an unchanged file from one that only looks like it: cp -p can set the
// modification time back, but not the change time.
type inode struct {
	number  uint64
	changed int64 // nanoseconds
}

// clockStep is how long a file may be rewritten within the same timestamp: file system clocks
// advance in steps.
const clockStep = 20 * time.Millisecond

// stampOf returns a file's stamp. Right after a change the inode proves nothing, and is left out.
func stampOf(info fs.FileInfo) stamp { return stampAt(info, time.Now()) }

func stampAt(info fs.FileInfo, now time.Time) stamp {
	s := stamp{info.Size(), info.ModTime(), info.Mode(), inodeOf(info)}
	if now.Sub(time.Unix(0, s.inode.changed)) < clockStep {
		s.inode = inode{}
	}
	return s
}
