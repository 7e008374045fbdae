package forge

import (
	"context"
	"errors"
)

// StillOpen returns a function that asks a tracker whether an issue is open, once per issue; a
// missing one is not. If unknown, it counts as open: better to hold back an issue that waits for
// it.
func StillOpen(ctx context.Context, t Tracker) func(number int) bool {
	known := map[int]bool{}
	return func(n int) bool {
		open, ok := known[n]
		if !ok {
			i, err := t.Get(ctx, n)
			var e *Error
			open = i.Open || err != nil && !(errors.As(err, &e) && e.Reason == NotFound)
			known[n] = open
		}
		return open
	}
}
