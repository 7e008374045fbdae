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

// lookAgain is how often to check whether a work tree is free.
const lookAgain = 100 * time.Millisecond

// takeTurn waits for the work tree as long as the work has time; why says that it
// has none left.
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

// TakeTurn waits for a lock that ends with its process, and says why. Of a work
// tree's (guard.TurnFile): until no other engine has an agent at work in a work tree: what two
// agents change at once cannot be told apart, and restoring what the one may not
// have done would take the other's work away.
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
