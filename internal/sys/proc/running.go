package proc

import (
	"os/exec"
	"sync"
)

// running are the commands that this process has started and not waited for yet.
var running commands

type commands struct {
	mu   sync.Mutex
	list map[*command]bool
}

// A command is one with its group, and with the mark of what may have left the group.
type command struct {
	group group
	mark  string
}

// start starts a command. None is started that EndAll does not know of.
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

// endAll keeps the lock: what waits for one of the commands is not to learn that it ended,
// and to do something about it.
func (s *commands) endAll() {
	s.mu.Lock()
	for c := range s.list {
		c.group.kill()
		if c.mark != "" {
			EndMarked(c.mark)
		}
	}
}

// EndAll kills every command that runs, for a process that exits right after: no Run
// returns any more, and none starts anything.
func EndAll() { running.endAll() }
