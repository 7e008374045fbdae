package proc

import (
	"os/exec"
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
