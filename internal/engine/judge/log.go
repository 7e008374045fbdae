package judge

import (
	"bytes"

	"warp/internal/core/leakscan"
	"warp/internal/core/redact"
)

// maxRedacted bounds how much of a log all secret rules are tried on. Known values are removed from
// all of it.
const maxRedacted = 2 << 20

// newRedactor returns a filter that removes secrets from a command's log: tests print what they
// get, and a log is shown, filed and copied (a bridge's token was found in one).
func (c Command) newRedactor() func([]byte) []byte {
	if c.Log == "" {
		return nil
	}
	known, left := redact.New(c.Environ), maxRedacted
	return func(lines []byte) []byte {
		if c.names != nil {
			for line := range bytes.Lines(lines) {
				c.names.Line(line)
			}
		}
		lines = known.Bytes(toPlainText(lines))
		if c.Redact == nil || left <= 0 || len(leakscan.SuspiciousLines(lines)) == 0 {
			return lines
		}
		left -= len(lines)
		return []byte(c.Redact(string(lines)))
	}
}
