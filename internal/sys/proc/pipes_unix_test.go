//go:build unix

package proc

import (
	"io"
	"os"
	"testing"
)

// What a command left in a pipe is waited for, and its end; a pipe that is only held open is not.
func TestOutputThatWasNotReadYet(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	pipe := &reading{file: r}
	behind := func(want bool, when string) {
		t.Helper()
		if pipe.isBehind() != want {
			t.Errorf("%s: behind is %t", when, !want)
		}
	}
	behind(false, "held open")
	if _, err := w.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	behind(true, "with a text")
	if _, err := io.ReadFull(r, make([]byte, 4)); err != nil {
		t.Fatal(err)
	}
	behind(false, "all was read")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	behind(true, "at its end, which was not seen")
	pipe.ended.Store(true)
	behind(false, "ended")
}
