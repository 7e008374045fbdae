package guard

import (
	"io/fs"
	"os"
	"syscall"
)

const canShare = true

// isSingle reports whether a file has one name.
func isSingle(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 1
}

// isSameState reports whether a file has not been changed between two looks. Its time can be
// set back, as cp -p does; when it was changed last can not.
func isSameState(a, b fs.FileInfo) bool {
	one, ok := a.Sys().(*syscall.Stat_t)
	two, ok2 := b.Sys().(*syscall.Stat_t)
	return ok && ok2 && os.SameFile(a, b) && one.Ctim == two.Ctim
}
