//go:build linux

package ptrace

import "golang.org/x/sys/unix"

// init adds the calls from before the *at family. Go programs do not make
// them, but shells and C programs do. arm64 never had them.
func init() {
	for nr, s := range map[uint64]shape{
		unix.SYS_OPEN:      onPath("open", 0),
		unix.SYS_CREAT:     onPath("creat", 0).changes(),
		unix.SYS_DUP2:      onFd("dup2", 0),
		unix.SYS_GETDENTS:  onFd("getdents", 0),
		unix.SYS_STAT:      onPath("stat", 0),
		unix.SYS_LSTAT:     onPath("lstat", 0),
		unix.SYS_ACCESS:    onPath("access", 0),
		unix.SYS_READLINK:  onPath("readlink", 0),
		unix.SYS_RENAME:    onPath("rename", 0).toPath(none, 1).changes(),
		unix.SYS_LINK:      onPath("link", 0).toPath(none, 1).changes(),
		unix.SYS_SYMLINK:   onPath("symlink", 1).changes(),
		unix.SYS_UNLINK:    onPath("unlink", 0).changes(),
		unix.SYS_MKDIR:     onPath("mkdir", 0).changes(),
		unix.SYS_RMDIR:     onPath("rmdir", 0).changes(),
		unix.SYS_MKNOD:     onPath("mknod", 0).changes(),
		unix.SYS_CHMOD:     onPath("chmod", 0).changes(),
		unix.SYS_CHOWN:     onPath("chown", 0).changes(),
		unix.SYS_LCHOWN:    onPath("lchown", 0).changes(),
		unix.SYS_UTIME:     onPath("utime", 0).changes(),
		unix.SYS_UTIMES:    onPath("utimes", 0).changes(),
		unix.SYS_FUTIMESAT: onAt("futimesat", 0, 1).changes(),
	} {
		shapes[nr] = s
	}
}
