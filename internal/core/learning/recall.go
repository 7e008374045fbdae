package learning

import (
	"path"
	"slices"
	"strings"

	"warp/internal/core/text"
)

// About describes what lessons are wanted for.
type About struct {
	Workflow, Task string // ids
	Name           string // of the task
	Files          []string
	Text           string // the task's description and criteria
}

// The weight of each kind of similarity.
const (
	sameTask   = 8
	sameFile   = 6
	sameFolder = 2
	sameWord   = 1
	enough     = 2 // one common word is chance
)

// Relevant returns the lessons for a task, most relevant first and newest first among equals: by
// task, files and words. Each lesson appears once, and together they have at most maxBytes.
func Relevant(all []Learning, about About, maxBytes int) []Learning {
	type scored struct {
		*Learning
		score int
	}
	var list []scored
	seen := map[string]bool{}
	wanted := telling(words(about.Name + " " + about.Text))
	for i := range slices.Backward(all) {
		l := &all[i]
		score := l.likeness(about, wanted)
		if id := l.ID(); score >= enough && !seen[id] {
			seen[id] = true
			list = append(list, scored{l, score})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return b.score - a.score })
	var told []Learning
	for _, s := range list {
		if size := len(s.Lesson) + len(s.Pattern) + len(s.Context); size <= maxBytes {
			maxBytes -= size
			told = append(told, *s.Learning)
		}
	}
	return told
}

func (l Learning) likeness(about About, wanted map[string]bool) (score int) {
	if l.Task == about.Task && l.Task != "" && l.Session == "" && l.Issue == "" && (l.Workflow == about.Workflow || l.Workflow == "") {
		score += sameTask
	}
	near := 0
	for _, f := range l.Files {
		for _, mine := range about.Files {
			switch {
			case f == mine:
				near = sameFile
			case path.Dir(f) == path.Dir(mine) && path.Dir(f) != ".":
				near = max(near, sameFolder)
			}
		}
	}
	for w := range telling(words(l.Lesson + " " + l.Pattern + " " + l.Context)) {
		if wanted[w] {
			score += sameWord
		}
	}
	return score + near
}

var filler = text.WordSet{List: `the and for with that this from into have has had was were are not but all any can use used using when where then than
 must should will would could its they them their there here what which who how why does did done make made never always only also more most some such
 add new create implement update test tests file files code task tasks function`}

// telling returns the words that identify what a text is about.
func telling(list []string) map[string]bool {
	set := map[string]bool{}
	for _, w := range list {
		if stem := strings.TrimSuffix(w, "s"); len(stem) >= 3 && !filler.Has(w) && !filler.Has(stem) {
			set[stem] = true
		}
	}
	return set
}

// Search lists the lessons that contain all words of a question, newest first.
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

// words returns all words of a lesson.
func (l Learning) words() []string {
	return words(strings.Join([]string{l.Task, l.LearnedBy(), l.Type, l.Lesson, l.Pattern, l.Context, strings.Join(l.Files, " ")}, " "))
}
