//go:build !linux

package proc

// Conceal would make the environment of this process unreadable for others; here the
// system keeps it from other users alone.
func Conceal(func(name string) bool) error { return nil }
