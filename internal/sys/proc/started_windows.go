package proc

import (
	"errors"
	"strconv"

	"golang.org/x/sys/windows"
)

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
