package guard

import (
	"io/fs"
	"syscall"
)

// isSingle reports whether a file has one name.
func isSingle(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 1
}

func inodeOf(info fs.FileInfo) inode {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Ctim.Nsec == 0 { // a file system with one-second timestamps
		return inode{}
	}
	return inode{st.Ino, st.Ctim.Nano()}
}
