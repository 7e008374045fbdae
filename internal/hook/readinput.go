package hook

import (
	"errors"
	"io"
	"runtime/debug"
)

// largePayload is the size from which a payload comes through a pipe in many pieces.
const largePayload = 64 << 10

// readInput reads everything. Most payloads fit the first read. For larger ones it widens the pipe
// and turns off garbage collection: the process ends before that would pay off.
func readInput(r io.Reader) ([]byte, error) {
	buf := make([]byte, 0, 8<<10)
	for {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return buf, err
		}
		if len(buf) < cap(buf) {
			continue
		}
		if len(buf) == largePayload {
			widenPipe(r)
			debug.SetGCPercent(-1)
		}
		next := make([]byte, len(buf), 2*cap(buf))
		copy(next, buf)
		buf = next
	}
}
