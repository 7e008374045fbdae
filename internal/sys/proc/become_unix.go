//go:build unix

package proc

import (
	"fmt"
	"os"
	"syscall"
)

// Become turns this process into another program: the same process, terminal
// and streams. It returns only when that cannot be done.
func Become(path string, args []string) error {
	return fmt.Errorf("starting %s: %w", path, syscall.Exec(path, append([]string{path}, args...), os.Environ()))
}
