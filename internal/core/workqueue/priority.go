package workqueue

import (
	"slices"
	"strings"

	"warp/internal/core/lazy"
)

// Priority is how urgent an item is; S0 is the most urgent.
type Priority string

const (
	S0 Priority = "S0"
	S1 Priority = "S1"
	S2 Priority = "S2"
	S3 Priority = "S3"
)

// priorities are in order, most urgent first.
var priorities = []Priority{S0, S1, S2, S3}

var spellings = lazy.Table[string, Priority]{
	{"S0", S0}, {"P0", S0}, {"CRITICAL", S0}, {"BLOCKER", S0},
	{"S1", S1}, {"P1", S1}, {"HIGH", S1}, {"MAJOR", S1},
	{"S2", S2}, {"P2", S2}, {"MEDIUM", S2}, {"NORMAL", S2}, {"MODERATE", S2},
	{"S3", S3}, {"P3", S3}, {"S4", S3}, {"P4", S3}, {"LOW", S3}, {"MINOR", S3}, {"INFO", S3},
}

// ParsePriority reads a priority as people and agents write it: S1, s1, P1 or "high", ignoring
// words after it; ok is false for anything else.
func ParsePriority(s string) (p Priority, ok bool) {
	for word := range strings.FieldsFuncSeq(strings.ToUpper(s), func(r rune) bool { return r < '0' || r > '9' && r < 'A' || r > 'Z' }) {
		p, ok = spellings.Find(word)
		break
	}
	return p, ok
}

// rank orders priorities; invalid ones come last.
func (p Priority) rank() int {
	if i := slices.Index(priorities, p); i >= 0 {
		return i
	}
	return len(priorities)
}

// read normalises a priority from people and other tools: S2 if empty, "" if unreadable.
func (p Priority) read() Priority {
	if p == "" {
		return S2
	}
	known, _ := ParsePriority(string(p))
	return known
}

// AtLeast reports whether p is as urgent as q, or more.
func (p Priority) AtLeast(q Priority) bool { return p.read().rank() <= q.rank() }
