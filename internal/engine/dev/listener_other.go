//go:build !linux

package dev

// listener returns the process that listens on a port; unknown on this system.
func listener(int) string { return "" }
