package agent

import (
	"strings"

	"warp/internal/core/lossless"
	short "warp/internal/core/text"
)

// What the parsers of agents' streams have in common.

const (
	maxLastLine = 300
	maxAbout    = 120
)

// ParseLine reads a line of a stream. It is nil for what is no JSON, and nil has no
// members.
func ParseLine(raw []byte) *lossless.Value {
	v, err := lossless.Parse(raw)
	if err != nil {
		return nil
	}
	return v
}

// Count reads a number of tokens. What is none, or negative, counts as 0.
func Count(v *lossless.Value) int64 {
	n, _ := v.Int()
	return max(n, 0)
}

// About is what a call of a tool is about, in a few words: the first of some members
// that has any.
func About(input *lossless.Value, members ...string) string {
	for _, name := range members {
		if what := input.Get(name).Text(); what != "" {
			return short.Clip(strings.TrimSpace(what), maxAbout)
		}
	}
	return ""
}

// LastLine is the last line that a program wrote on stderr.
func LastLine(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	return short.Clip(strings.TrimSpace(lines[len(lines)-1]), maxLastLine)
}

// LastWords is the last line as the end of a sentence; "" when there is none.
func LastWords(stderr string) string {
	if last := LastLine(stderr); last != "" {
		return ": " + last
	}
	return ""
}
