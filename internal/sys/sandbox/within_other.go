//go:build !linux

package sandbox

// Within returns false: boxes on this system have no process namespace.
func Within() bool { return false }
