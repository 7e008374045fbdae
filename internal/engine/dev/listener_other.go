//go:build !linux

package dev

// listener names the process that listens on a port, as far as that is known. Here it cannot be told.
func listener(int) string { return "" }
