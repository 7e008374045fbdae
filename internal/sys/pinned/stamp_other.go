//go:build !linux

package pinned

import (
	"io/fs"
	"strconv"
)

func stampOf(info fs.FileInfo) string {
	return strconv.FormatInt(info.Size(), 36) + " " + strconv.FormatUint(uint64(info.Mode()), 8) + " " + strconv.FormatInt(info.ModTime().UnixNano(), 36)
}
