package render

import (
	"os"

	"golang.org/x/sys/windows"
)

// Size returns the current size of a terminal, 80 by 24 if unknown.
func Size(terminal *os.File) (width, height int) {
	var info windows.ConsoleScreenBufferInfo
	if windows.GetConsoleScreenBufferInfo(windows.Handle(terminal.Fd()), &info) != nil {
		return 80, 24
	}
	return int(info.Window.Right-info.Window.Left) + 1, int(info.Window.Bottom-info.Window.Top) + 1
}

// IsTerminal reports whether a file is a terminal; the null device is not.
func IsTerminal(f *os.File) bool {
	var mode uint32
	return windows.GetConsoleMode(windows.Handle(f.Fd()), &mode) == nil
}
