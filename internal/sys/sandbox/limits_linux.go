package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// apply limits this process and its descendants.
func (l Limits) apply() error {
	for _, r := range []struct {
		what  int
		bound uint64
	}{{unix.RLIMIT_FSIZE, uint64(l.FileMB) << 20}, {unix.RLIMIT_NPROC, l.threads()}, {unix.RLIMIT_CORE, 0}} {
		if r.bound == 0 && r.what != unix.RLIMIT_CORE {
			continue
		}
		if err := unix.Setrlimit(r.what, &unix.Rlimit{Cur: r.bound, Max: r.bound}); err != nil {
			return os.NewSyscallError("setrlimit", err)
		}
	}
	return nil
}

// threads bounds how far a run can multiply before the next measurement, which then gives the
// reason for ending it. The kernel counts threads and, without a user namespace, all others of the
// same user, so those are added.
func (l Limits) threads() uint64 {
	if l.Processes == 0 {
		return 0
	}
	most := 4*uint64(l.Processes) + 64
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		if f := strings.Fields(string(text)); len(f) > 3 {
			_, total, _ := strings.Cut(f[3], "/")
			n, _ := strconv.ParseUint(total, 10, 32)
			most += n
		}
	}
	return most
}

func become(argv []string) error {
	return os.NewSyscallError("exec", syscall.Exec(argv[0], argv, os.Environ()))
}

// growth measures how much folders have grown since a run began. The bytes that processes report as
// written are not enough: a process may hide its writes, or leave.
type growth struct {
	disks []disk
	began time.Time
	due   *time.Time // when the next walk through the folders is due
	late  *time.Time // when a walk is due whatever the disks show
}

// disk is a file system that a run writes to.
type disk struct {
	id   uint64
	dirs []string
	free int64 // when the run began
}

// closerLook is the least time between two walks through the folders, anyway the most: deletions by
// others can hide what a run writes.
const (
	closerLook = 5 * time.Second
	anyway     = 20 * time.Second
)

func newGrowth(dirs []string) growth {
	now := time.Now()
	late := now.Add(anyway)
	g := growth{began: now, due: new(time.Time), late: &late}
	for _, dir := range dirs {
		var st unix.Stat_t
		if unix.Stat(dir, &st) != nil {
			continue
		}
		known := false
		for i := range g.disks {
			if known = g.disks[i].id == st.Dev; known {
				g.disks[i].dirs = append(g.disks[i].dirs, dir)
				break
			}
		}
		if free, ok := freeBytes(dir); ok && !known {
			g.disks = append(g.disks, disk{id: st.Dev, dirs: []string{dir}, free: free})
		}
	}
	return g
}

func freeBytes(dir string) (int64, bool) {
	var fs unix.Statfs_t
	if unix.Statfs(dir, &fs) != nil {
		return 0, false
	}
	return int64(fs.Bfree) * fs.Bsize, true
}

// beyond returns by how many bytes the folders have grown if that may exceed a limit, else 0. It
// walks through all files only then, because other programs may fill the disk too.
func (g growth) beyond(mb int) int64 {
	bound := int64(mb) << 20
	if mb == 0 || time.Now().Before(*g.due) {
		return 0
	}
	var grown int64
	isLate := time.Now().After(*g.late)
	for _, d := range g.disks {
		if free, ok := freeBytes(d.dirs[0]); !isLate && (!ok || d.free-free <= bound) {
			continue
		}
		for _, dir := range d.dirs {
			grown += changedSince(dir, g.began)
		}
		*g.due, *g.late = time.Now().Add(closerLook), time.Now().Add(anyway)
	}
	if grown <= bound {
		return 0
	}
	return grown
}

// changedSince adds up the sizes of files changed since a time. It uses the inode's change time,
// which cannot be set back.
func changedSince(dir string, since time.Time) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error { // skip what cannot be read
		if err != nil || !e.Type().IsRegular() {
			return nil
		}
		info, err := e.Info()
		if err != nil {
			return nil
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && !time.Unix(st.Ctim.Unix()).Before(since.Truncate(time.Second)) {
			bytes += st.Blocks * 512
		}
		return nil
	})
	return bytes
}
