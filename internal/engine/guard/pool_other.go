//go:build !unix

package guard

import "io/fs"

const canShare = false // how many names a file has is not told

func isSingle(fs.FileInfo) bool { return true }
