package step

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"warp/internal/durable"
	"warp/internal/engine/agent"
	"warp/internal/sys/proc"
)

// lookAgain is how often a work tree's lock is polled.
const lookAgain = 100 * time.Millisecond

// takeTurn waits for the work tree while the work has time left; why says that it has none.
func (t *Taker) takeTurn(ctx context.Context, left time.Duration) (free func(), why string, err error) {
	waiting := ctx
	if left > 0 {
		var cancel context.CancelFunc
		waiting, cancel = context.WithCancel(ctx)
		defer cancel()
		defer proc.AfterAwake(left, cancel)()
	}
	waited := false
	free, err = TakeTurn(waiting, t.Guard.TurnFile(), "another agent is working in this work tree, and they take turns", func(format string, args ...any) {
		t.Remark(format, args...)
		waited = true
		t.tellWait(agent.Wait{Why: "another agent in this work tree"})
	})
	if waited {
		t.tellWait(agent.Wait{})
	}
	if err != nil && ctx.Err() == nil && waiting.Err() != nil {
		return nil, "its time is up, spent waiting for another agent in this work tree", nil
	}
	return free, "", err
}

// TakeTurn waits for a lock that ends with its process, and remarks why. A work tree's lock
// (guard.TurnFile) admits one agent at a time: simultaneous changes of two agents cannot be told
// apart, and reverting what one may not do would destroy the other's work.
func TakeTurn(ctx context.Context, file, why string, remark func(format string, args ...any)) (free func(), err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	for waited := false; ; waited = true {
		if lock, ok := (durable.OS{}).TryLock(file); ok {
			return func() { _ = lock.Close() }, nil
		}
		if !waited {
			remark("Waiting: %s", why)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lookAgain):
		}
	}
}
