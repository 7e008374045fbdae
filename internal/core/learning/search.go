package learning

import (
	"slices"
	"strings"
)

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
