package judge

import (
	"bytes"

	"warp/internal/core/leak"
	"warp/internal/core/redact"
)

// redactMost bounds how much of a log all rules for secrets are tried on: values that
// are known are taken out of all of it.
const redactMost = 2 << 20

// cleaner takes secrets out of what a command's log keeps: tests print what they are
// given, and a log is shown, filed and copied (a bridge's token was found in one).
func (c Command) cleaner() func([]byte) []byte {
	if c.Log == "" {
		return nil
	}
	known, left := redact.New(c.Environ), redactMost
	return func(lines []byte) []byte {
		if c.names != nil {
			for line := range bytes.Lines(lines) {
				c.names.Line(line)
			}
		}
		lines = known.Bytes(plain(lines))
		if c.Redact == nil || left <= 0 || len(leak.SuspiciousLines(lines)) == 0 {
			return lines
		}
		left -= len(lines)
		return []byte(c.Redact(string(lines)))
	}
}
