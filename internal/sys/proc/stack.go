package proc

// GrowStack makes the caller's stack as large as ordinary work needs. The runtime would double
// it again and again, and touch fresh memory each time: a good part of the cost of a program
// that lives for a millisecond.
func GrowStack() { roomyFrame(false) }

// roomyFrame has a large frame, for which the runtime makes room before it begins. It
// does nothing: untouched memory costs nothing.
//
//go:noinline
func roomyFrame(use bool) byte {
	if !use {
		return 0
	}
	var frame [48 << 10]byte
	for i := range frame {
		frame[i] = byte(i)
	}
	return frame[len(frame)/2]
}
