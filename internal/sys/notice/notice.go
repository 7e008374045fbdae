// Package notice tells that something changed in folders: by the kernel where it says so,
// otherwise by looking again. It may tell too often, and tells a burst once.
package notice

import (
	"context"
	"time"
)

// lookAgain is how often folders are looked at anyway: a kernel may lose a notice, and some
// file systems (network mounts) give none.
const lookAgain = 2 * time.Second

// Watcher watches folders.
type Watcher struct {
	changed chan struct{}
	system
}

// New makes a watcher. Close ends it.
func New() *Watcher {
	w := &Watcher{changed: make(chan struct{}, 1)}
	w.open()
	return w
}

// tell says that something changed; one notice that was not taken yet is enough.
func (w *Watcher) tell() {
	select {
	case w.changed <- struct{}{}:
	default:
	}
}

// Wait returns when something has changed in the folders since the last call, or when it
// is time to look; false: the context is done.
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
