package proc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// running holds the commands that this process started and has not waited for yet.
var running commands

type commands struct {
	mu   sync.Mutex
	list map[*command]bool
}

// A command is a running command's group, and the mark of processes that may have left it.
type command struct {
	group group
	mark  string
}

// start starts a command under the lock, so that EndAll knows of every command.
func (s *commands) start(cmd *exec.Cmd, mark string) (*command, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &command{newGroup(cmd.Process), mark}
	if s.list == nil {
		s.list = map[*command]bool{}
	}
	s.list[c] = true
	return c, nil
}

func (s *commands) remove(c *command) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.list, c)
}

// EndAll kills every running command, for a process that exits right after: no Run returns any
// more, and none starts anything. It keeps the lock, so that nothing that waits for a command can
// react to its end.
func EndAll() {
	running.mu.Lock()
	for c := range running.list {
		c.group.kill()
		if c.mark != "" {
			EndMarked(c.mark)
		}
	}
}

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
