package notice

import (
	"os"

	"golang.org/x/sys/unix"
)

// system uses inotify.
type system struct {
	file    *os.File // nil if the kernel has no instance left for us
	watched map[string]int
}

const events = unix.IN_MOVED_TO | unix.IN_MOVED_FROM | unix.IN_CREATE | unix.IN_DELETE | unix.IN_MODIFY | unix.IN_ONLYDIR | unix.IN_DELETE_SELF

func (w *Watcher) open() {
	w.watched = map[string]int{}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return // polling still works
	}
	w.file = os.NewFile(uintptr(fd), "inotify")
	file := w.file
	go func() {
		buf := make([]byte, 64<<10)
		for {
			if _, err := file.Read(buf); err != nil {
				return // it was closed
			}
			w.tell()
		}
	}()
}

// Set sets the folders to watch. It skips missing ones.
func (w *Watcher) Set(dirs []string) {
	if w.file == nil {
		return
	}
	wanted := make(map[string]bool, len(dirs))
	conn, err := w.file.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) {
		for _, dir := range dirs {
			wanted[dir] = true
			if _, known := w.watched[dir]; known {
				continue
			}
			if id, err := unix.InotifyAddWatch(int(fd), dir, events); err == nil {
				w.watched[dir] = id
			}
		}
		for dir, id := range w.watched {
			if !wanted[dir] {
				_, _ = unix.InotifyRmWatch(int(fd), uint32(id)) // the folder may be gone
				delete(w.watched, dir)
			}
		}
	})
}

// Close stops the watcher.
func (w *Watcher) Close() {
	if w.file != nil {
		_ = w.file.Close()
	}
}
