//go:build !linux

package room

import (
	"fmt"
	"io/fs"
)

func printOf(info fs.FileInfo) string {
	return fmt.Sprintf("%d %o %d", info.Size(), info.Mode(), info.ModTime().UnixNano())
}
