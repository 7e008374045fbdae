//go:build unix

package guard

import (
	"io/fs"
	"syscall"
)

const canShare = true

// isSingle reports whether a file has one name.
func isSingle(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Nlink == 1
}
