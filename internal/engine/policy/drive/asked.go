package drive

import (
	"slices"
	"strings"
	"unicode"

	"warp/internal/core/criteria"
	"warp/internal/core/evidence"
	"warp/internal/core/scope"
)

// askedFor returns what people asked for, and what the coder says belongs in the chunk's commit.
func askedFor(t *turn) scope.Asked {
	a := scope.Asked{Issue: t.issue.Title + "\n" + t.issue.Body, Prefix: t.Work.Root().Folder()}
	for _, c := range t.issue.criteria {
		a.Criteria = append(a.Criteria, c.Text)
	}
	if list, err := criteria.Parse(t.issue.Body); err == nil { // a person may have named a file since
		for _, c := range list {
			a.Criteria = append(a.Criteria, c.Text)
		}
	}
	for _, d := range decisionsMade(t) { // an agent wrote the question, and its default
		if !d.IsDefault() && !isRefusal(d.Answer) {
			a.Criteria = append(a.Criteria, d.Answer)
		}
	}
	if f := t.following(); f != nil {
		a.Issue += "\n" + f.Said
	}
	runs := codingRuns(t.evidenceOfIssue(t.s), t.s)
	runs = slices.DeleteFunc(runs, func(r evidence.Entry[evidence.Run]) bool { return r.Row.Unread != "" })
	a.Listed = len(runs) > 0
	for _, r := range runs {
		a.Files = append(a.Files, r.Row.Files...)
		a.Listed = a.Listed && len(r.Row.Files) > 0
	}
	return a
}

// refusals begin an answer that allows nothing of what it names.
var refusals = []string{"no", "nope", "not", "don't", "dont", "never", "none", "neither", "do not", "please don't", "please do not", "please no"}

// isRefusal reports whether a person's answer begins with a no.
func isRefusal(answer string) bool {
	words := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(answer, "’", "'")), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' })
	said := strings.Join(words, " ") + " "
	return slices.ContainsFunc(refusals, func(no string) bool { return strings.HasPrefix(said, no+" ") })
}
