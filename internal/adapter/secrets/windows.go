package secrets

import (
	"iter"
	"strings"
)

// A long text is scanned in windows, so that the cost is linear in its length, and a rule is tried
// only near its keywords. Anything shorter than the overlap is whole in one of two neighbours.
const (
	window  = 16 << 10
	overlap = 2 << 10
)

// windows yields the parts of a text. They begin and end at lines if possible: part of a word would
// look like a word.
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
