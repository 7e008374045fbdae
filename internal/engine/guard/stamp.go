package guard

import (
	"io/fs"
	"time"
)

// stamp is what a file looks like without being read.
type stamp struct {
	size  int64
	mod   time.Time
	mode  fs.FileMode
	inode inode
}

// inode tells a file that has not been written since from one that looks like it: its time can
// be set back, as cp -p does; when it was changed last cannot.
type inode struct {
	number  uint64
	changed int64 // nanoseconds
}

// young is how long a file may be written again at the time it has already: clocks of file
// systems go in steps.
const young = 20 * time.Millisecond

// stampOf is what a file looks like. Of one that was changed just now the inode tells
// nothing, and is left out.
func stampOf(info fs.FileInfo) stamp { return stampAt(info, time.Now()) }

func stampAt(info fs.FileInfo, now time.Time) stamp {
	s := stamp{info.Size(), info.ModTime(), info.Mode(), inodeOf(info)}
	if now.Sub(time.Unix(0, s.inode.changed)) < young {
		s.inode = inode{}
	}
	return s
}
