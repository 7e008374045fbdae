package commit

import (
	"regexp"
	"slices"
)

var (
	// toolingPattern matches files whose documentation tends to be forgotten.
	toolingPattern  = regexp.MustCompile(`(^|/)(skills|commands|agents|hooks|bin|scripts)/|(^|/)Makefile$`)
	markdownPattern = regexp.MustCompile(`(?i)\.md$`)
)

// UndocumentedTooling returns the first file of tooling that a commit changes, if it
// changes no document, and "" otherwise. It only says when to run an audit.
func UndocumentedTooling(files []string) string {
	i := slices.IndexFunc(files, toolingPattern.MatchString)
	if i < 0 || slices.ContainsFunc(files, markdownPattern.MatchString) {
		return ""
	}
	return files[i]
}
