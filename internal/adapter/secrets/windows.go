package secrets

import (
	"iter"
	"strings"
)

// A long text is looked at in windows, so that the cost grows with its length and
// not faster, and a rule is tried only near its keywords. What is shorter than the
// overlap is whole in one of two neighbours.
const (
	window  = 16 << 10
	overlap = 2 << 10
)

// windows are the parts of a text. They begin and end with a line where they can:
// at a cut within a word an end of it would look like a word.
func windows(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for len(text) > window {
			end := window
			if i := strings.LastIndexByte(text[window-overlap:window], '\n'); i >= 0 {
				end = window - overlap + i + 1
			}
			if !yield(text[:end]) {
				return
			}
			next := end - overlap
			if i := strings.LastIndexByte(text[next-overlap:next], '\n'); i >= 0 {
				next += i + 1 - overlap
			}
			text = text[next:]
		}
		yield(text)
	}
}
