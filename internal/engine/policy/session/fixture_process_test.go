package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"warp/internal/core/sessionstate"
)

// process runs a job in a process of its own, which may die.
func (p *yard) process(j Job) (s *sessionstate.State, err error) {
	p.pid++
	p.died = make(chan struct{})
	e, over := p.engine(), make(chan struct{})
	go func() {
		defer close(over)
		s, err = e.Run(context.Background(), j)
	}()
	select {
	case <-over:
		return s, err
	case <-p.died:
		p.rest()
		p.unlock()
		for n := 0; n < 6000 && isStack("step.TakeTurn("); n++ { // one that waits would take the next process's turn, and keep it
			p.rest()
			p.unlock()
			time.Sleep(time.Millisecond)
		}
		return nil, errDied
	}
}

// rest waits until the other stages of a process that died stand still, each where it would
// tell of its next step: a process that is killed does nothing any more, and git that it has
// run would meet that of the next one.
func (p *yard) rest() {
	for range 6000 {
		if !isAtWork() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	p.Error("a process that died is still at work")
}

// goroutines are the stacks of all goroutines.
func goroutines() string {
	stacks := make([]byte, 16<<20)
	return string(stacks[:runtime.Stack(stacks, true)])
}

// isStack reports whether a goroutine is in a function.
func isStack(function string) bool { return strings.Contains(goroutines(), function) }

// isAtWork reports whether a goroutine of an engine does more than wait for others.
func isAtWork() bool {
	for one := range strings.SplitSeq(goroutines(), "\n\n") {
		if !strings.Contains(one, "policy/session.(*run)") || strings.Contains(one, "(*yard).point(") || strings.Contains(one, "(*yard).rest(") {
			continue
		}
		head, _, _ := strings.Cut(one, "\n")
		if strings.Contains(one, "/internal/sys/") || strings.Contains(head, "[run") || strings.Contains(head, "[syscall") || strings.Contains(head, "[IO wait") {
			return true
		}
	}
	return false
}

// unlock removes the locks of a process that died: they end with it.
func (p *yard) unlock() {
	for _, pattern := range []string{"warp/*.lock", "worktrees/*/warp/*.lock"} {
		locks, err := filepath.Glob(filepath.Join(p.root, ".git", pattern))
		if err != nil {
			p.Error(err)
		}
		for _, lock := range locks {
			if err := os.Remove(lock); err != nil {
				p.Error(err)
			}
		}
	}
}

var errDied = errors.New("killed")
