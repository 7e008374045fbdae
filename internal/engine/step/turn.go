package step

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"warp/internal/durable"
)

// lookAgain is how often a work tree is asked whether it is free.
const lookAgain = 100 * time.Millisecond

// takeTurn waits until no other engine has an agent at work in a work tree: what two
// agents change at once cannot be told apart, and restoring what the one may not
// have done would take the other's work away. The lock ends with its process.
func takeTurn(ctx context.Context, file string, remark func(format string, args ...any)) (free func(), err error) {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, err
	}
	for waited := false; ; waited = true {
		if lock, ok := (durable.OS{}).TryLock(file); ok {
			return func() { _ = lock.Close() }, nil
		}
		if !waited {
			remark("Waiting: another agent is at work in this work tree, and they take turns")
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lookAgain):
		}
	}
}
