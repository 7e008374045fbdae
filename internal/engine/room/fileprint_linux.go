package room

import (
	"fmt"
	"io/fs"
	"syscall"
)

func printOf(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d %d %o %d.%d", st.Ino, st.Size, st.Mode, st.Ctim.Sec, st.Ctim.Nsec)
}
