package agent

import (
	"strings"

	"warp/internal/core/lossless"
	short "warp/internal/core/text"
)

// Helpers shared by the parsers of agents' streams.

const (
	maxLastLine = 300
	maxAbout    = 120
)

// ParseLine parses a line of a stream. It returns nil, which has no members, for anything but JSON.
func ParseLine(raw []byte) *lossless.Value {
	v, err := lossless.Parse(raw)
	if err != nil {
		return nil
	}
	return v
}

// Kind returns the member type of a line, without parsing the rest; false for anything but JSON.
func Kind(raw []byte) (kind string, ok bool) {
	err := lossless.Scan(raw, func(key string, raw []byte) {
		if key == "type" {
			kind = lossless.Plain(raw)
		}
	})
	return kind, err == nil
}

// Count reads a number of tokens. Anything else, or a negative number, counts as 0.
func Count(v *lossless.Value) int64 {
	n, _ := v.Int()
	return max(n, 0)
}

// About summarizes a tool call by the first non-empty member of its input.
func About(input *lossless.Value, members ...string) string {
	for _, name := range members {
		if what := input.Get(name).Text(); what != "" {
			return short.Clip(strings.TrimSpace(what), maxAbout)
		}
	}
	return ""
}

// LastLine returns the last line of a program's stderr.
func LastLine(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	return short.Clip(strings.TrimSpace(lines[len(lines)-1]), maxLastLine)
}

// LastWords returns ": " and the last line of stderr, or "".
func LastWords(stderr string) string {
	if last := LastLine(stderr); last != "" {
		return ": " + last
	}
	return ""
}
