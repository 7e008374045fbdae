package failure

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// Signature is a short digest of a failure that stays the same from run to run:
// sixteen hexadecimal digits of what Normalise leaves of it.
func Signature(failure string) string {
	sum := fnv.New64a() // small: it is linked into the hook
	sum.Write([]byte(Normalise(failure)))
	return fmt.Sprintf("%016x", sum.Sum64())
}

// Normalise replaces what differs between two runs of the same failure by
// placeholders such as <n>, <dur>, <time>, <dir> and <tmp>; a second pass
// changes nothing. It also drops colours, blank lines and needless blanks, the
// duration at the end of a line, which some runners only show when it is long,
// and the width of rulers.
func Normalise(failure string) string {
	s := &scrub{out: make([]byte, 0, len(failure))}
	rest := Plain(failure)
	for rest != "" {
		line := rest
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			line, rest = rest[:n], rest[n+1:]
		} else {
			rest = ""
		}
		s.line(line)
	}
	return string(s.out)
}

// Plain drops terminal control sequences and makes every line end in a newline
// alone. A lone carriage return redraws a line, so it ends one too.
func Plain(text string) string {
	if strings.IndexByte(text, 0x1b) < 0 && strings.IndexByte(text, '\r') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '\r':
			out = append(out, '\n')
		case 0x1b:
			i = sequenceEnd(text, i)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

// sequenceEnd is the last byte of the control sequence that starts at i: ESC [
// up to a letter, ESC ] up to a bell or ESC \, any other ESC alone.
func sequenceEnd(text string, i int) int {
	if i+1 >= len(text) {
		return i
	}
	switch text[i+1] {
	case '[':
		for j := i + 2; j < len(text); j++ {
			if c := text[j]; c >= 0x40 && c <= 0x7e {
				return j
			} else if c < 0x20 || c > 0x7e {
				return j - 1
			}
		}
		return len(text) - 1
	case ']':
		for j := i + 2; j < len(text); j++ {
			switch {
			case text[j] == 0x07:
				return j
			case strings.HasPrefix(text[j:], "\x1b\\"):
				return j + 1
			case text[j] == 0x1b || text[j] == '\n':
				return j - 1
			}
		}
		return len(text) - 1
	}
	return i
}
