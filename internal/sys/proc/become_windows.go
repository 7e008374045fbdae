package proc

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
)

// Become runs another program in place of this one, with its streams and exit code. It returns only
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
