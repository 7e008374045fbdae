package workqueue

import (
	"slices"
	"strings"
)

// Priority is how urgent an item is: S0 first.
type Priority string

// The priorities.
const (
	S0 Priority = "S0"
	S1 Priority = "S1"
	S2 Priority = "S2"
	S3 Priority = "S3"
)

// Priorities are all of them, the most urgent first.
var Priorities = []Priority{S0, S1, S2, S3}

// ParsePriority reads a priority as people and agents write it: S1, s1, P1 or
// "high", whatever words follow it; ok is false for what is none.
func ParsePriority(s string) (p Priority, ok bool) {
	word := strings.FieldsFunc(strings.ToUpper(s), func(r rune) bool { return r < '0' || r > '9' && r < 'A' || r > 'Z' })
	if len(word) == 0 {
		return "", false
	}
	switch word[0] {
	case "S0", "P0", "CRITICAL", "BLOCKER":
		return S0, true
	case "S1", "P1", "HIGH", "MAJOR":
		return S1, true
	case "S2", "P2", "MEDIUM", "NORMAL", "MODERATE":
		return S2, true
	case "S3", "P3", "S4", "P4", "LOW", "MINOR", "INFO":
		return S3, true
	}
	return "", false
}

// rank orders priorities; what is none comes last.
func (p Priority) rank() int {
	if i := slices.Index(Priorities, p); i >= 0 {
		return i
	}
	return len(Priorities)
}

// read is the priority that an item has, as people and other tools write it; none is S2.
// It is "" for what is no priority.
func (p Priority) read() Priority {
	if p == "" {
		return S2
	}
	known, _ := ParsePriority(string(p))
	return known
}

// AtLeast tells whether p is as urgent as q, or more.
func (p Priority) AtLeast(q Priority) bool { return p.read().rank() <= q.rank() }
