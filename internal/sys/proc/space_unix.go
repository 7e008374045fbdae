//go:build unix

package proc

import "golang.org/x/sys/unix"

// FreeSpace returns how many bytes this user can still write to a folder's disk.
func FreeSpace(dir string) (bytes int64, known bool) {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return 0, false
	}
	return int64(fs.Bavail) * int64(fs.Bsize), true
}
