package forge

import (
	"context"
	"errors"
)

// StillOpen asks a tracker whether issues are open, once for each; what it does
// not have is not. What cannot be found out counts as open: an issue that waits
// for it is better held back.
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
