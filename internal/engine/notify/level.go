package notify

import (
	"slices"

	"warp/internal/core/config"
)

// minLevels maps each kind to the lowest notify setting at which it is sent.
var minLevels = map[string]string{
	Phase: config.NotifyAll, Commit: config.NotifyAll, Remark: config.NotifyAll,
	Merged: config.NotifyImportant, Failed: config.NotifyImportant, Person: config.NotifyImportant, End: config.NotifyImportant,
	Decision: config.NotifyQuestions, Settled: config.NotifyQuestions, Reply: config.NotifyQuestions,
}

// Wanted reports whether a message of a kind is sent at a notify setting.
func Wanted(level, kind string) bool {
	levels := []string{config.NotifyQuestions, config.NotifyImportant, config.NotifyAll}
	return slices.Index(levels, level) >= slices.Index(levels, minLevels[kind])
}

// Urgency is how loudly a message arrives.
type Urgency int

// From silent to waiting for a person.
const (
	Low Urgency = iota
	Normal
	High
)

var urgencies = map[string]Urgency{Merged: Normal, Failed: Normal, End: Normal, Reply: Normal, Decision: High, Person: High}

// Urgency returns the urgency of the message's kind.
func (m Message) Urgency() Urgency { return urgencies[m.Kind] }
