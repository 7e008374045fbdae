//go:build linux && (amd64 || arm64)

package ptrace

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// onOwnThread runs work on an operating system thread that has no children and
// gets none but those that work starts. A tracer waits for "any child of this
// thread"; on a thread from which os/exec had forked earlier it would take the
// exit status away from that command.
func onOwnThread(work func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if !childless() {
			// This thread stays occupied meanwhile, so the next attempt is
			// on another one, in the end on a new one.
			onOwnThread(work)
			return
		}
		work()
	}()
	<-done
}

// childless reports whether the calling thread has no child of any kind. The
// first thread of the process never qualifies: the kernel hands it the orphans
// of the other threads at any time.
func childless() bool {
	if unix.Gettid() == os.Getpid() {
		return false
	}
	const look = unix.WEXITED | unix.WSTOPPED | unix.WNOHANG | unix.WNOWAIT | unix.WALL | unix.WNOTHREAD
	return unix.Waitid(unix.P_ALL, 0, nil, look, nil) == unix.ECHILD
}

// subreaper counts the Runs that need the test process to inherit orphans, and
// remembers whether it did before the first of them.
var subreaper struct {
	sync.Mutex
	runs   int
	before int32
}

// inheritOrphans makes the test process the parent of processes whose own
// parent dies, until release is called. A killed tree is full of those, and
// the init of a container often reaps nothing.
func inheritOrphans() (release func(), err error) {
	subreaper.Lock()
	defer subreaper.Unlock()
	if subreaper.runs == 0 {
		_, _, errno := unix.RawSyscall(unix.SYS_PRCTL, unix.PR_GET_CHILD_SUBREAPER,
			uintptr(unsafe.Pointer(&subreaper.before)), 0)
		if errno != 0 {
			return nil, fmt.Errorf("asking who inherits orphans: %w", errno)
		}
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return nil, fmt.Errorf("becoming the one who inherits orphans: %w", err)
		}
	}
	subreaper.runs++
	return disinherit, nil
}

func disinherit() {
	subreaper.Lock()
	defer subreaper.Unlock()
	if subreaper.runs--; subreaper.runs == 0 {
		// The argument was valid when it was read, so this cannot fail.
		unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, uintptr(subreaper.before), 0, 0, 0)
	}
}
