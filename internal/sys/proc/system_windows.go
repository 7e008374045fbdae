package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

func ownGroup(bool) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_NEW_PROCESS_GROUP}
}

// A jobGroup is a job object, which includes all descendants. It ends with its handle, so nothing
// outlives us. What the command starts in the first moments, before it is put into the job, is not
// included.
type jobGroup struct {
	leader *os.Process
	job    windows.Handle // 0 if it could not be created; then only the leader is ended
}

func newGroup(leader *os.Process) group {
	g := &jobGroup{leader: leader}
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return g
	}
	info := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		_ = windows.CloseHandle(job)
		return g
	}
	// The leader cannot be another process by now: os.Process holds a handle.
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(leader.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, h)
		_ = windows.CloseHandle(h)
	}
	if err != nil {
		_ = windows.CloseHandle(job)
		return g
	}
	g.job = job
	return g
}

// terminate sends the console's request to end. Other programs do not receive it and are killed
// after the grace.
func (g *jobGroup) terminate() {
	_ = windows.GenerateConsoleCtrlEvent(windows.CTRL_BREAK_EVENT, uint32(g.leader.Pid))
}

func (g *jobGroup) kill() {
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
	}
	_ = g.leader.Kill()
}

// gone gives no further grace to what the leader left behind.
func (g *jobGroup) gone() bool { return true }

func (g *jobGroup) close() {
	if g.job != 0 {
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

// ExitCode returns the exit code of a process.
func ExitCode(s *os.ProcessState) int { return s.ExitCode() }

// Become runs another program instead of this one, with its streams and exit code. It returns only
// on failure.
func Become(path string, args, environ []string) error {
	cmd := exec.Command(path, args...)
	cmd.Env = environ // nil means ours
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) {
		os.Exit(cmd.ProcessState.ExitCode())
	}
	return fmt.Errorf("starting %s: %w", path, err)
}

func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
}

// EndGroup kills a process that another program started. Its descendants died with its job.
func EndGroup(leader int) {
	if p, err := os.FindProcess(leader); err == nil {
		_ = p.Kill()
	}
}

// hasMore returns false: it is unknown on this system.
func hasMore(*os.File) bool { return false }

// FreeSpace returns how many bytes this user can still write to a folder's disk.
func FreeSpace(dir string) (bytes int64, known bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	var free uint64
	if windows.GetDiskFreeSpaceEx(name, &free, nil, nil) != nil {
		return 0, false
	}
	return int64(free), true
}

// Started returns an opaque start stamp of a living process, which a later process with the same
// pid does not share. The stamp is "" if the process lives but its start is unknown.
func Started(pid int) (stamp string, alive bool) {
	if pid <= 0 {
		return "", false
	}
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return "", errors.Is(err, windows.ERROR_ACCESS_DENIED)
	}
	defer func() { _ = windows.CloseHandle(h) }()
	// An ended process can be opened for as long as someone holds a handle to it, so opening it
	// does not mean that it lives.
	const stillActive = 259
	var code uint32
	if err := windows.GetExitCodeProcess(h, &code); err == nil && code != stillActive {
		return "", false
	}
	var created, ended, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &ended, &kernel, &user); err != nil {
		return "", true
	}
	return strconv.FormatInt(created.Nanoseconds(), 10), true
}
