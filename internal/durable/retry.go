package durable

import (
	"errors"
	"io/fs"
)

// patience is how often RetryBusy tries. Many sessions writing at once can keep a store busy for
// longer than a person would wait.
const patience = 30

// RetryBusy retries do while the store is busy, or while an agent running in parallel was removing
// the folder.
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
