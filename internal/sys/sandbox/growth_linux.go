package sandbox

import (
	"io/fs"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// growth tells how much folders have grown since a run began. What processes count as
// written is not enough: one may hide what it does, or leave.
type growth struct {
	disks []disk
	began time.Time
	due   *time.Time // of the next closer look
	late  *time.Time // of a closer look whatever the disks say
}

// disk is one of the file systems that a run writes to.
type disk struct {
	id   uint64
	dirs []string
	free int64 // when it began
}

// It takes closerLook at least from one walk through the folders to the next, and
// anyway at most: what others delete hides what a run writes.
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

// beyond is by how many bytes the folders have grown, when that can be more than a
// bound; otherwise 0. Only then is it worth to look at every file: a disk that others
// fill, too, loses space by itself.
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

// changedSince adds up the files of a folder that were changed since. The time of a
// change of the inode cannot be set back.
func changedSince(dir string, since time.Time) (bytes int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error { // what cannot be read is passed over
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
