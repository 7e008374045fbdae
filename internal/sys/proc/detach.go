package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Detach starts a program in a new session that outlives us and has no terminal. Its output goes to
// a file. gone receives its exit code if it ends while we still run. A nil environment means ours.
func Detach(argv []string, dir, log string, environ []string) (pid int, gone <-chan int, err error) {
	if err := os.MkdirAll(filepath.Dir(log), 0o700); err != nil {
		return 0, nil, err
	}
	out, err := os.OpenFile(log, os.O_CREATE|os.O_TRUNC|os.O_APPEND|os.O_WRONLY, 0o600) // the next start truncates it
	if err != nil {
		return 0, nil, err
	}
	defer out.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr, cmd.SysProcAttr = dir, environ, out, out, ownSession()
	if err := cmd.Start(); err != nil {
		return 0, nil, fmt.Errorf("starting %s: %w", argv[0], err)
	}
	done := make(chan int, 1)
	go func() {
		_ = cmd.Wait() // its output is in the file
		done <- ExitCode(cmd.ProcessState)
	}()
	return cmd.Process.Pid, done, nil
}

// Foreground runs an interactive program, such as an editor, and waits for it. It stays in our
// process group, which alone may read the terminal.
func Foreground(ctx context.Context, argv []string) error {
	c := exec.CommandContext(ctx, argv[0], argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	return c.Run()
}
