package testoutput

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// fragments are what the rules look for, cut so that they meet in every way.
var fragments = []string{
	"1", "12", "123", "2024", "1700000000", "0x1", "0xabcdef1", "1a2b3c4", "3.5", "5ms", "2 min", "1m2s", "01:02", "15:04:05", "2024-01-02", "T", "Z",
	"+02:00", " +0200", " CEST", " m=+0.5", "Jan", "May", "Mon", "Jan 2", "123e4567-e89b-12d3-a456-426614174000", "ms", "s", "min", "%", "/", "\\", ":", "::",
	"(", ")", "[", "]", "{", "}", ",", ";", "=", "@", "-", "--", "....", "====", "____", "|", ">", "<", "<n>", "<dur>", "<tmp>", "<dir>", "<addr>", "<pct>", "<time>",
	" ", "  ", "\t", "\n", "\r\n", "\x1b[31m", "\x1b", "a", "x.go", "line", "pid", "seed", "goroutine", "localhost", "panicked", "TestA123", "/001", "/tmp/",
	"/home/me/", "C:\\", "file:///", "out.txt", "$", "Lambda", "#", "é", "µs", "\xff", "running",
}

func TestNormaliseTwiceIsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(fragments), 1, 12).Draw(t, "text"), "")
		once := Normalise(text)
		if twice := Normalise(once); twice != once {
			t.Fatalf("text  %q\nonce  %q\ntwice %q", text, once, twice)
		}
	})
}

// A scanner that takes a square of time does not come to the end of these.
func TestNormaliseReadsHostileTextToItsEnd(t *testing.T) {
	for _, f := range append([]string{"a(1):", "a(1,2):", ":1-", "1 ", "[ ", "( 1", "1m", "1.", "/a", "\x1b[", "\x1b]", "Mon ", "1:", "a_", "5ms "}, fragments...) {
		Normalise(string(bytes.Repeat([]byte(f), 1<<14/len(f))))
		short := string(bytes.Repeat([]byte(f), 1<<11/len(f)))
		Normalise("." + short)
		Normalise("0xabcdef1 " + short)
	}
}
