//go:build unix

package proc

import (
	"fmt"
	"os"
	"syscall"
)

// Become replaces this process with another program: same process, terminal and streams. A nil
// environment means ours. It returns only on failure.
func Become(path string, args, environ []string) error {
	if environ == nil {
		environ = os.Environ()
	}
	return fmt.Errorf("starting %s: %w", path, syscall.Exec(path, append([]string{path}, args...), environ))
}
