package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Become lets another program take this one's place: its streams, and its exit
// code. It returns only when that cannot be done.
func Become(path string, args, environ []string) error {
	cmd := exec.Command(path, args...)
	cmd.Env = environ // nil: ours
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) {
		os.Exit(cmd.ProcessState.ExitCode())
	}
	return fmt.Errorf("starting %s: %w", path, err)
}
