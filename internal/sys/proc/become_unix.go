//go:build unix

package proc

import (
	"fmt"
	"os"
	"syscall"
)

// Become turns this process into another program: the same process, terminal
// and streams. Without an environment it
// has ours. It returns only when that cannot be done.
func Become(path string, args, environ []string) error {
	if environ == nil {
		environ = os.Environ()
	}
	return fmt.Errorf("starting %s: %w", path, syscall.Exec(path, append([]string{path}, args...), environ))
}
