package durable

import (
	"errors"
	"io/fs"
)

// patience is how often a busy store is waited for. One that many sessions write
// to at once is busy for longer than a person would wait.
const patience = 30

// RetryBusy does again what failed because a store is busy, or because an agent
// that runs beside was removing its folder at that moment.
func RetryBusy(do func() error) (err error) {
	for range patience {
		err = do()
		locked := (*LockedError)(nil)
		busy := errors.As(err, &locked) && locked.PID == 0
		if removed := errors.Is(err, fs.ErrNotExist) && !IsMissing(err); !busy && !removed {
			break
		}
	}
	return err
}
