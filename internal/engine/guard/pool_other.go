//go:build !linux

package guard

import "io/fs"

const canShare = false // how many names a file has, and when it was changed, is told in other ways

func isSingle(fs.FileInfo) bool { return true }

func isSameState(fs.FileInfo, fs.FileInfo) bool { return false }
