// Package stack gives a short-lived program its stack at once. The runtime would
// double it again and again, and touch fresh memory each time, which is a good
// part of what a program costs that lives for a millisecond.
package stack

// Grow makes the caller's stack as large as ordinary work needs.
func Grow() { roomy(false) }

// roomy has a large frame, for which the runtime makes room before it begins. It
// does nothing: untouched memory costs nothing.
//
//go:noinline
func roomy(use bool) byte {
	if !use {
		return 0
	}
	var frame [48 << 10]byte
	for i := range frame {
		frame[i] = byte(i)
	}
	return frame[len(frame)/2]
}
