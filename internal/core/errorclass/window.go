package errorclass

import (
	"slices"
	"strings"
)

const (
	edge      = 5   // lines looked at from either end; blank ones do not count
	lineLimit = 500 // bytes looked at of a line: longer ones are data
)

// window is the edges of a message, line by line, in lower case.
func window(message string) []string {
	var head, tail []string
	rest := message
	for len(head) < edge && rest != "" {
		line, after, _ := strings.Cut(rest, "\n")
		rest = after
		if line = clean(line); line != "" {
			head = append(head, line)
		}
	}
	for len(tail) < edge && rest != "" {
		at := strings.LastIndexByte(rest, '\n')
		if line := clean(rest[at+1:]); line != "" {
			tail = append(tail, line)
		}
		rest = rest[:max(at, 0)]
	}
	slices.Reverse(tail)
	return append(head, tail...)
}

// clean is a line without colours, blanks around it and what the agent wraps
// around errors, in lower case.
func clean(line string) string {
	line = lower(uncoloured(strings.TrimSpace(line[:min(len(line), 2*lineLimit)])))
	line = strings.TrimSpace(strings.TrimPrefix(line, "<tool_use_error>"))
	return line[:min(len(line), lineLimit)]
}

// uncoloured drops ESC [ up to a letter, and any other ESC.
func uncoloured(line string) string {
	if strings.IndexByte(line, 0x1b) < 0 {
		return line
	}
	out := make([]byte, 0, len(line))
	for i := 0; i < len(line); i++ {
		if line[i] != 0x1b {
			out = append(out, line[i])
			continue
		}
		if i+1 < len(line) && line[i+1] == '[' {
			for i += 2; i < len(line) && (line[i] < 0x40 || line[i] > 0x7e); i++ {
			}
		}
	}
	return string(out)
}

// lower changes ASCII letters alone, so that every byte keeps its place.
func lower(s string) string {
	out := []byte(s)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c | 0x20
		}
	}
	return string(out)
}
