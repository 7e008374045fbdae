//go:build unix

package cost

import (
	"os"

	"golang.org/x/sys/unix"
)

// width is that of the terminal behind a file; 0 when it does not say.
func width(f *os.File) int {
	w, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(w.Col)
}
