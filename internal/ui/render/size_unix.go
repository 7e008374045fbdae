//go:build unix

package render

import (
	"os"

	"golang.org/x/sys/unix"
)

// Size returns the current size of a terminal, 80 by 24 if unknown.
func Size(terminal *os.File) (width, height int) {
	w, err := unix.IoctlGetWinsize(int(terminal.Fd()), unix.TIOCGWINSZ)
	if err != nil || w.Col == 0 || w.Row == 0 {
		return 80, 24
	}
	return int(w.Col), int(w.Row)
}

// IsTerminal reports whether a file is a terminal; the null device is not.
func IsTerminal(f *os.File) bool {
	_, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	return err == nil
}
