//go:build linux && (amd64 || arm64)

package ptrace

import "golang.org/x/sys/unix"

// none marks an argument that a call does not have.
const none = -1

// place says in which arguments a path is found: a descriptor, a path, or a
// path relative to a descriptor.
type place struct{ dir, path int }

var nowhere = place{none, none}

// shape describes the arguments of a file call.
type shape struct {
	name     string
	from, to place
	// length is the argument that holds how much to write. With vector it
	// counts the elements of the vector in the argument before it.
	length int
	vector bool
	// writes is set for calls that change what is on the disk, or make a
	// change last.
	writes bool
}

// onFd is a call on the descriptor in the given argument.
func onFd(name string, fd int) shape {
	return shape{name: name, from: place{fd, none}, to: nowhere, length: none}
}

// onPath is a call on a path below the current directory.
func onPath(name string, path int) shape {
	return shape{name: name, from: place{none, path}, to: nowhere, length: none}
}

// onAt is a call on a path below an open directory.
func onAt(name string, dir, path int) shape {
	return shape{name: name, from: place{dir, path}, to: nowhere, length: none}
}

func (s shape) toPath(dir, path int) shape { s.to = place{dir, path}; return s }
func (s shape) changes() shape             { s.writes = true; return s }
func (s shape) long(arg int) shape         { s.length = arg; return s.changes() }
func (s shape) longVector(arg int) shape   { s.vector = true; return s.long(arg) }

// shapes are the file calls by number. The numbers differ between the
// architectures; those that only one has are added in init.
var shapes = map[uint64]shape{
	unix.SYS_OPENAT:     onAt("openat", 0, 1),
	unix.SYS_OPENAT2:    onAt("openat2", 0, 1),
	unix.SYS_CLOSE:      onFd("close", 0),
	unix.SYS_DUP:        onFd("dup", 0),
	unix.SYS_DUP3:       onFd("dup3", 0),
	unix.SYS_FCNTL:      onFd("fcntl", 0),
	unix.SYS_FLOCK:      onFd("flock", 0),
	unix.SYS_IOCTL:      onFd("ioctl", 0),
	unix.SYS_LSEEK:      onFd("lseek", 0),
	unix.SYS_READ:       onFd("read", 0),
	unix.SYS_PREAD64:    onFd("pread64", 0),
	unix.SYS_READV:      onFd("readv", 0),
	unix.SYS_PREADV:     onFd("preadv", 0),
	unix.SYS_PREADV2:    onFd("preadv2", 0),
	unix.SYS_GETDENTS64: onFd("getdents64", 0),
	unix.SYS_FADVISE64:  onFd("fadvise64", 0),

	unix.SYS_WRITE:           onFd("write", 0).long(2),
	unix.SYS_PWRITE64:        onFd("pwrite64", 0).long(2),
	unix.SYS_WRITEV:          onFd("writev", 0).longVector(2),
	unix.SYS_PWRITEV:         onFd("pwritev", 0).longVector(2),
	unix.SYS_PWRITEV2:        onFd("pwritev2", 0).longVector(2),
	unix.SYS_SENDFILE:        onFd("sendfile", 0).long(3),
	unix.SYS_COPY_FILE_RANGE: onFd("copy_file_range", 2).long(4),
	unix.SYS_SPLICE:          onFd("splice", 2).long(4),
	unix.SYS_FTRUNCATE:       onFd("ftruncate", 0).changes(),
	unix.SYS_TRUNCATE:        onPath("truncate", 0).changes(),
	unix.SYS_FALLOCATE:       onFd("fallocate", 0).changes(),

	unix.SYS_FSYNC:           onFd("fsync", 0).changes(),
	unix.SYS_FDATASYNC:       onFd("fdatasync", 0).changes(),
	unix.SYS_SYNC_FILE_RANGE: onFd("sync_file_range", 0).changes(),
	unix.SYS_SYNCFS:          onFd("syncfs", 0).changes(),
	unix.SYS_SYNC:            onFd("sync", none).changes(),

	unix.SYS_RENAMEAT:  onAt("renameat", 0, 1).toPath(2, 3).changes(),
	unix.SYS_RENAMEAT2: onAt("renameat2", 0, 1).toPath(2, 3).changes(),
	unix.SYS_LINKAT:    onAt("linkat", 0, 1).toPath(2, 3).changes(),
	unix.SYS_SYMLINKAT: onAt("symlinkat", 1, 2).changes(),
	unix.SYS_UNLINKAT:  onAt("unlinkat", 0, 1).changes(),
	unix.SYS_MKDIRAT:   onAt("mkdirat", 0, 1).changes(),
	unix.SYS_MKNODAT:   onAt("mknodat", 0, 1).changes(),

	unix.SYS_NEWFSTATAT: onAt("newfstatat", 0, 1),
	unix.SYS_STATX:      onAt("statx", 0, 1),
	unix.SYS_FSTAT:      onFd("fstat", 0),
	unix.SYS_STATFS:     onPath("statfs", 0),
	unix.SYS_FSTATFS:    onFd("fstatfs", 0),
	unix.SYS_FACCESSAT:  onAt("faccessat", 0, 1),
	unix.SYS_FACCESSAT2: onAt("faccessat2", 0, 1),
	unix.SYS_READLINKAT: onAt("readlinkat", 0, 1),

	unix.SYS_FCHMOD:       onFd("fchmod", 0).changes(),
	unix.SYS_FCHMODAT:     onAt("fchmodat", 0, 1).changes(),
	unix.SYS_FCHMODAT2:    onAt("fchmodat2", 0, 1).changes(),
	unix.SYS_FCHOWN:       onFd("fchown", 0).changes(),
	unix.SYS_FCHOWNAT:     onAt("fchownat", 0, 1).changes(),
	unix.SYS_UTIMENSAT:    onAt("utimensat", 0, 1).changes(),
	unix.SYS_GETXATTR:     onPath("getxattr", 0),
	unix.SYS_LGETXATTR:    onPath("lgetxattr", 0),
	unix.SYS_FGETXATTR:    onFd("fgetxattr", 0),
	unix.SYS_SETXATTR:     onPath("setxattr", 0).changes(),
	unix.SYS_LSETXATTR:    onPath("lsetxattr", 0).changes(),
	unix.SYS_FSETXATTR:    onFd("fsetxattr", 0).changes(),
	unix.SYS_REMOVEXATTR:  onPath("removexattr", 0).changes(),
	unix.SYS_FREMOVEXATTR: onFd("fremovexattr", 0).changes(),

	unix.SYS_CHDIR:    onPath("chdir", 0),
	unix.SYS_FCHDIR:   onFd("fchdir", 0),
	unix.SYS_EXECVE:   onPath("execve", 0),
	unix.SYS_EXECVEAT: onAt("execveat", 0, 1),
}
