package sandbox

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"

	"warp/internal/sys/proc"
)

// landlock confines a process by kernel rules that need no privilege. It cannot make an exception
// below a writable folder, so Frozen has no effect there.
type landlock struct {
	self string
	abi  int
}

func (landlock) Kind() Kind   { return Landlock }
func (landlock) Holds() Holds { return Partly }

const leastABI = 3 // the first that refuses truncation

func openLandlock(self string) (Box, error) {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 || int(abi) < leastABI {
		return nil, errors.New("the kernel's Landlock is missing or too old (Linux 6.2 is needed)")
	}
	return landlock{self, int(abi)}, nil
}

// rules are the paths that a process may read and write.
type rules struct {
	Read  []string `json:"read"`
	Write []string `json:"write"`
	ABI   int      `json:"abi"`
}

// devices are usable by every program.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"}

// Wrap implements Box. There is no separate file system: paths that the profile shows elsewhere are
// used by their real path, so HOME and TMPDIR are folders of the run.
func (b landlock) Wrap(c proc.Cmd, p Profile) (proc.Cmd, error) {
	r := &rules{Read: []string{"/proc", "/sys/devices/system/cpu", b.self}, Write: slices.Clone(devices), ABI: b.abi}
	for _, m := range slices.Concat(systemMounts(), p.mounts()) {
		switch m.how {
		case readOnly:
			r.Read = append(r.Read, m.from)
		case writable:
			r.Write = append(r.Write, m.from)
		}
	}
	text, err := json.Marshal(order{Limits: p.Limits, Landlock: r, Grace: cmp.Or(c.Grace, proc.DefaultGrace) * 3 / 4})
	if err != nil {
		return c, err
	}
	if c.Argv, err = resolve(c.Argv, p.Env); err != nil {
		return c, err
	}
	c.Terminate = func(pid int) { _ = unix.Kill(pid, unix.SIGTERM) } // it passes the signal on, once
	c.Argv, c.Env = slices.Concat([]string{b.self, insideCommand, string(text)}, c.Argv), p.Env
	return c, nil
}

const (
	accessRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	accessFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | accessIoctl
	accessAll  = accessRead | accessFile | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER

	accessIoctl = 1 << 15 // for devices, since version 5
	scopeAll    = 3       // abstract Unix sockets and signals, since version 6
)

// enforce confines this thread and the program that it executes.
func (r *rules) enforce() error {
	attr := struct{ fs, net, scoped uint64 }{fs: accessAll}
	size := unsafe.Sizeof(attr.fs)
	if r.ABI < 5 {
		attr.fs &^= accessIoctl
	}
	if r.ABI >= 6 {
		attr.scoped, size = scopeAll, unsafe.Sizeof(attr)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return os.NewSyscallError("landlock_create_ruleset", errno)
	}
	defer unix.Close(int(fd))
	for _, list := range []struct {
		paths  []string
		access uint64
	}{{r.Read, accessRead}, {r.Write, attr.fs}} {
		for _, path := range list.paths {
			if err := allow(int(fd), path, list.access&attr.fs); err != nil {
				return err
			}
		}
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return os.NewSyscallError("prctl", err)
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return os.NewSyscallError("landlock_restrict_self", errno)
	}
	return nil
}

// allow adds a rule for a path; a missing one needs none.
func allow(ruleset int, path string, access uint64) error {
	at, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(at)
	var st unix.Stat_t
	if err := unix.Fstat(at, &st); err != nil {
		return os.NewSyscallError("fstat", err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= accessFile
	}
	rule := struct {
		access uint64
		fd     int32
	}{access, int32(at)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0); errno != 0 {
		return fmt.Errorf("allowing %s: %w", path, os.NewSyscallError("landlock_add_rule", errno))
	}
	return nil
}
