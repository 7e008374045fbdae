package pinned

import (
	"io/fs"
	"strconv"
	"syscall"
)

// stampOf has the time of change: a program can set the time of writing back, not that one.
func stampOf(info fs.FileInfo) string {
	s := strconv.FormatInt(info.Size(), 36) + " " + strconv.FormatUint(uint64(info.Mode()), 8)
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s += " " + strconv.FormatUint(st.Ino, 36) + " " + strconv.FormatInt(st.Ctim.Nano(), 36)
	}
	return s
}
