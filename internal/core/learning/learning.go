// Package learning is what agents have learned in a project: one store of lessons
// for workflows, sessions and drives, learnings.jsonl. A lesson that is said again,
// whatever its case and punctuation, is the same lesson, and confirms it. The store
// is bounded: the newest and the most often confirmed are kept.
//
// Lessons are the words of others. Showing them as data is left to the code that shows
// them, reading and writing the file to package learned.
package learning

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// File is where lessons stand, under the store's folder.
const File = "learnings.jsonl"

// The types of learnings.
const (
	Pattern     = "pattern"
	Antipattern = "antipattern"
	Insight     = "insight"
)

// The bounds of a lesson: bytes of a text, and entries of a list.
const (
	maxSaid   = 10 // by one iteration
	maxText   = 4000
	maxFiles  = 20
	maxSayers = 8
	maxShown  = 300 // bytes, where it is shown on a line
)

// Learning is a lesson: a line of learnings.jsonl, and an element of a workflow's
// state.
type Learning struct {
	lossless.Origin
	Timestamp string   `json:"timestamp"`
	Task      string   `json:"task"`
	Iteration int      `json:"iteration"`
	Type      string   `json:"type"`
	Lesson    string   `json:"lesson"`
	Pattern   string   `json:"pattern"`
	Context   string   `json:"context"`
	Workflow  string   `json:"workflow,omitempty"` // the run that learned it
	Session   string   `json:"session,omitempty"`  // or the session
	Stage     string   `json:"stage,omitempty"`    // of the session; "" in a loop
	Began     string   `json:"session_began,omitempty"`
	Issue     string   `json:"issue,omitempty"` // or the drive's issue
	Files     []string `json:"files,omitempty"` // what it was learned on
	// Confirmed is how often it was said again.
	Confirmed int `json:"confirmed,omitempty"`
	// ConfirmedBy are the last who did: what is recorded again after a crash is
	// not counted again.
	ConfirmedBy []string `json:"confirmed_by,omitempty"`
}

// ID names a lesson by what it says: the same lesson has the same name, whenever
// and wherever it was learned. An insight becomes a pattern when it has proved
// itself, and stays the same lesson; what is to be avoided is another one.
func (l Learning) ID() string {
	kind := l.Type
	if kind != Antipattern {
		kind = Pattern
	}
	sum := sha256.Sum256([]byte(kind + "\x00" + Fold(l.Lesson) + "\x00" + Fold(l.Pattern)))
	return hex.EncodeToString(sum[:6])
}

// Same tells a lesson that was learned by the same iteration of the same task.
func (l Learning) Same(o Learning) bool { return l.sayer() == o.sayer() && l.ID() == o.ID() }

// LearnedBy names the session, drive or workflow that a lesson comes from.
func (l Learning) LearnedBy() string {
	switch {
	case l.Session != "" && l.Stage != "":
		return "session " + l.Session + "/" + l.Stage
	case l.Session != "":
		return "session " + l.Session
	case l.Issue != "":
		return "drive #" + l.Issue
	}
	return strings.TrimSpace("workflow " + l.Task)
}

// sayer names the iteration that said it.
func (l Learning) sayer() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s iteration %d", l.LearnedBy(), l.Workflow, l.Began, l.Iteration)), " ")
}

// Text is the lesson on one line.
func (l Learning) Text() string {
	return text.Clip(text.OneLine(Said{Lesson: l.Lesson, Pattern: l.Pattern}.Text()), maxShown)
}

// Bounded is the lesson in the size that one may have, and of a type that there is.
func (l Learning) Bounded() Learning {
	if l.Type = strings.ToLower(strings.TrimSpace(l.Type)); l.Type != Pattern && l.Type != Antipattern {
		l.Type = Insight
	}
	l.Lesson, l.Pattern, l.Context = text.Prefix(l.Lesson, maxText), text.Prefix(l.Pattern, maxText), text.Prefix(l.Context, maxText)
	l.Files = l.Files[:min(len(l.Files), maxFiles)]
	return l
}

// confirm counts that a lesson was said again; false: it was counted before.
func (l *Learning) confirm(by Learning) bool {
	sayer := by.sayer()
	if l.sayer() == sayer || slices.Contains(l.ConfirmedBy, sayer) {
		return false
	}
	l.Confirmed++
	l.ConfirmedBy = append(l.ConfirmedBy, sayer)
	l.ConfirmedBy = l.ConfirmedBy[max(0, len(l.ConfirmedBy)-maxSayers):]
	if l.Type == Insight {
		l.Type = by.Type
	}
	l.Files = union(l.Files, by.Files)
	return true
}

func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// Fold is a text without what does not make it another: case, white space,
// punctuation.
func Fold(text string) string { return strings.Join(words(text), " ") }

// words are the words of a text in small letters.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
