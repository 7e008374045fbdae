// Package learning is what agents have learned in a project: one store of lessons for workflows,
// sessions and drives, learnings.jsonl. A lesson that is repeated, whatever its case and
// punctuation, is the same lesson, and confirms it. The store is bounded: it keeps the newest and
// the most confirmed.
//
// Lessons are untrusted text. The code that shows them must show them as data; package learned
// reads and writes the file.
package learning

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// File holds the lessons, under the store's folder.
const File = "learnings.jsonl"

const (
	Pattern     = "pattern"
	Antipattern = "antipattern"
	Insight     = "insight"
)

// Limits of a lesson: bytes of a text, and entries of a list.
const (
	maxSaid   = 10 // by one iteration
	maxText   = 4000
	maxFiles  = 20
	maxSayers = 32
	maxShown  = 300 // bytes, when shown on a line
)

// Learning is a lesson: a line of learnings.jsonl, and an element of a workflow's state.
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
	// Confirmed is how often it was repeated.
	Confirmed int `json:"confirmed,omitempty"`
	// ConfirmedBy lists the last to do so: what is recorded again after a crash does not count
	// again.
	ConfirmedBy []string `json:"confirmed_by,omitempty"`
}

// ID identifies a lesson by its content: the same lesson has the same id, whenever and wherever it
// was learned. An insight that proves itself becomes a pattern and stays the same lesson; an
// antipattern is a different one.
func (l Learning) ID() string {
	kind := l.Type
	if kind != Antipattern {
		kind = Pattern
	}
	sum := sha256.Sum256([]byte(kind + "\x00" + Fold(l.Lesson) + "\x00" + Fold(l.Pattern)))
	return hex.EncodeToString(sum[:6])
}

// Same reports whether the same iteration of the same task learned the same lesson.
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

// sayer identifies the iteration that recorded it.
func (l Learning) sayer() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s %s %s iteration %d", l.LearnedBy(), l.Workflow, l.Began, l.Iteration)), " ")
}

// Text returns the lesson on one line.
func (l Learning) Text() string {
	return text.Clip(text.OneLine(Said{Lesson: l.Lesson, Pattern: l.Pattern}.Text()), maxShown)
}

// Bounded limits a lesson's size and makes its type valid.
func (l Learning) Bounded() Learning {
	if l.Type = strings.ToLower(strings.TrimSpace(l.Type)); l.Type != Pattern && l.Type != Antipattern {
		l.Type = Insight
	}
	l.Lesson, l.Pattern, l.Context = text.Prefix(l.Lesson, maxText), text.Prefix(l.Pattern, maxText), text.Prefix(l.Context, maxText)
	l.Files = l.Files[:min(len(l.Files), maxFiles)]
	return l
}

// counted reports whether an iteration is known to have said a lesson.
func (l *Learning) counted(first, sayer string) bool {
	return first == sayer || slices.Contains(l.ConfirmedBy, sayer)
}

// confirm counts a repetition, unless it was already counted. first and sayer are the iterations
// that recorded the two.
func (l *Learning) confirm(by Learning, first, sayer string) {
	if l.counted(first, sayer) {
		return
	}
	l.Confirmed++
	l.ConfirmedBy = append(l.ConfirmedBy, sayer)
	l.ConfirmedBy = l.ConfirmedBy[max(0, len(l.ConfirmedBy)-maxSayers):]
	if l.Type == Insight {
		l.Type = by.Type
	}
	l.Files = union(l.Files, by.Files)
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

// Fold normalises a text: it drops case, white space and punctuation.
func Fold(text string) string { return strings.Join(words(text), " ") }

// words returns the lower-case words of a text.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Said is a lesson as an agent reports it: a text, or an object with more.
type Said struct {
	Type    string `json:"type,omitempty"`
	Lesson  string `json:"lesson"`
	Pattern string `json:"pattern,omitempty"`
	Context string `json:"context,omitempty"`
}

// UnmarshalJSON accepts both. Anything else gives an empty lesson: one bad lesson must not spoil an
// answer.
func (s *Said) UnmarshalJSON(data []byte) error {
	*s = Said{}
	if json.Unmarshal(data, &s.Lesson) == nil {
		return nil
	}
	type object Said
	var o object
	if json.Unmarshal(data, &o) == nil {
		*s = Said(o)
	}
	return nil
}

// Text returns the lesson for people.
func (s Said) Text() string {
	if Fold(s.Pattern) == Fold(s.Lesson) || Fold(s.Pattern) == "" {
		return s.Lesson
	}
	return strings.TrimPrefix(s.Lesson+" -> "+s.Pattern, " -> ")
}

// From makes lessons from what an iteration's agent said: up to the limit per iteration, on one
// line each, without secrets. About provides the other members, and the default type and context.
func From(about Learning, said []Said, redact func(string) string) (list []Learning) {
	for _, s := range said[:min(len(said), maxSaid)] {
		l := about
		l.Lesson, l.Pattern = text.Opening(redact(s.Lesson)), text.Opening(redact(s.Pattern))
		if Fold(l.Lesson) == "" {
			l.Lesson = l.Pattern
		}
		if Fold(l.Pattern) == "" {
			l.Pattern = l.Lesson
		}
		if s.Type != "" {
			l.Type = s.Type
		}
		if context := text.Opening(redact(s.Context)); context != "" {
			l.Context = context
		}
		if Fold(l.Lesson) != "" {
			list = append(list, l.Bounded())
		}
	}
	return list
}

func Texts(texts ...string) (list []Said) {
	for _, t := range texts {
		list = append(list, Said{Lesson: t})
	}
	return list
}
