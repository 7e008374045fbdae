// Package notice reports changes in folders: from the kernel if it supports that, otherwise by
// polling. It may report too often, and reports a burst once.
package notice

import (
	"context"
	"time"
)

// lookAgain is the polling interval, used in any case: a kernel may lose a notice, and some file
// systems (network mounts) give none.
const lookAgain = 2 * time.Second

// Watcher watches folders.
type Watcher struct {
	changed chan struct{}
	system
}

// New returns a watcher. The caller must Close it.
func New() *Watcher {
	w := &Watcher{changed: make(chan struct{}, 1)}
	w.open()
	return w
}

// tell reports a change; one pending notice is enough.
func (w *Watcher) tell() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Wait returns true when something changed in the folders since the last call, or when it is time
// to poll. It returns false when the context is done.
func (w *Watcher) Wait(ctx context.Context) bool {
	look := time.NewTimer(lookAgain)
	defer look.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-w.changed:
	case <-look.C:
	}
	return true
}
