//go:build !linux

package notice

// system is empty: there is only polling.
type system struct{}

func (w *Watcher) open() {}

// Set does nothing: there is only polling.
func (w *Watcher) Set([]string) {}

// Close does nothing.
func (w *Watcher) Close() {}
