package workflow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"warp/internal/core/lossless"
	"warp/internal/core/text"
)

// The types of learnings.
const (
	Pattern     = "pattern"
	Antipattern = "antipattern"
	Insight     = "insight"
)

// Learning is a lesson: an element of the state, and a line of learnings.jsonl.
type Learning struct {
	lossless.Rest
	Timestamp string   `json:"timestamp"`
	Task      string   `json:"task"`
	Iteration int      `json:"iteration"`
	Type      string   `json:"type"`
	Lesson    string   `json:"lesson"`
	Pattern   string   `json:"pattern"`
	Context   string   `json:"context"`
	Workflow  string   `json:"workflow,omitempty"` // the run that learned it
	Files     []string `json:"files,omitempty"`    // what it was learned on
}

// ID names a lesson by what it says: the same lesson has the same name, whenever
// and wherever it was learned.
func (l Learning) ID() string {
	said := l.Type + "\x00" + strings.Join(words(l.Lesson), " ") + "\x00" + strings.Join(words(l.Pattern), " ")
	sum := sha256.Sum256([]byte(said))
	return hex.EncodeToString(sum[:6])
}

// Same tells a lesson that was learned by the same iteration of the same task.
func (l Learning) Same(o Learning) bool {
	return l.Workflow == o.Workflow && l.Task == o.Task && l.Iteration == o.Iteration && l.ID() == o.ID()
}

// bound keeps a lesson to a size, and to the types there are.
func (l *Learning) bound() {
	if l.Type != Pattern && l.Type != Antipattern {
		l.Type = Insight
	}
	l.Lesson, l.Pattern, l.Context = text.Prefix(l.Lesson, maxText), text.Prefix(l.Pattern, maxText), text.Prefix(l.Context, maxText)
}

// Line is a learning as learnings.jsonl holds it.
func (l Learning) Line() []byte {
	l.bound()
	return append(lossless.AppendCompact(nil, lossless.Encode(l, nil)), '\n')
}

// ReadLearnings reads learnings.jsonl. Lines that are no learning, such as one
// that a crash tore, are passed over and counted.
func ReadLearnings(text []byte) (all []Learning, bad int) {
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		v, err := lossless.Parse(line)
		var l Learning
		if err != nil || lossless.Decode(v, &l) != nil || l.Lesson == "" && l.Pattern == "" {
			bad++
			continue
		}
		all = append(all, l)
	}
	return all, bad
}

// AppendLearnings adds to the text of learnings.jsonl what it has not: the same
// iteration teaches the same once, whatever died in between.
func AppendLearnings(was []byte, list []Learning) []byte {
	have, _ := ReadLearnings(was)
	if len(was) > 0 && was[len(was)-1] != '\n' {
		was = append(was, '\n') // what a crash tore
	}
	for _, l := range list {
		if !slices.ContainsFunc(have, l.Same) {
			was, have = append(was, l.Line()...), append(have, l)
		}
	}
	return was
}

// Forget leaves out the lessons of an id, or of the beginning of one that no
// other shares, and tells how many they were.
func Forget(all []Learning, id string) (kept []Learning, forgotten int) {
	id = strings.ToLower(strings.TrimSpace(id))
	var meant []string
	for i := range all {
		if name := all[i].ID(); id != "" && strings.HasPrefix(name, id) && !slices.Contains(meant, name) {
			meant = append(meant, name)
		}
	}
	if len(meant) != 1 {
		return all, 0
	}
	for i := range all {
		if all[i].ID() != meant[0] {
			kept = append(kept, all[i])
		}
	}
	return kept, len(all) - len(kept)
}

// Search lists the lessons that hold all words of a question, the newest first.
func Search(all []Learning, question string) (found []Learning) {
	want := words(question)
	for i := range slices.Backward(all) {
		have := all[i].words()
		if !slices.ContainsFunc(want, func(w string) bool {
			return !slices.ContainsFunc(have, func(h string) bool { return strings.HasPrefix(h, w) })
		}) {
			found = append(found, all[i])
		}
	}
	return found
}

// words are all words of a lesson.
func (l Learning) words() []string {
	return words(strings.Join([]string{l.Task, l.Type, l.Lesson, l.Pattern, l.Context, strings.Join(l.Files, " ")}, " "))
}
