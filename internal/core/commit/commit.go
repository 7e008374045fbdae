// Package commit judges commits by their message and files: whether a message is conventional, and
// whether a change of tooling leaves the documentation behind.
package commit

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/text"
)

// types are the words that a message may begin with.
var types = []string{"feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert", "wip"}

// maxBrief limits quotes of a message, in bytes.
const maxBrief = 60

// Check returns what is wrong with a message, "" if it is conventional: type(scope)!: description.
func Check(message string) string {
	subject, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	if subject == "" {
		return "its message is empty"
	}
	if strings.HasPrefix(subject, "Merge ") || strings.HasPrefix(subject, "Revert \"") {
		return "" // git's own words
	}
	head, description, found := strings.Cut(subject, ":")
	if !found {
		return fmt.Sprintf("its message %q does not begin with a type, as feat(scope): description does", text.Clip(subject, maxBrief))
	}
	kind, scope, scoped := strings.Cut(strings.TrimSuffix(head, "!"), "(")
	switch {
	case !slices.Contains(types, kind):
		return fmt.Sprintf("%q is not a type of commit; there are %s", text.Clip(kind, maxBrief), strings.Join(types, ", "))
	case scoped && (!strings.HasSuffix(scope, ")") || strings.TrimSpace(scope[:len(scope)-1]) == "" || strings.ContainsAny(scope[:len(scope)-1], "()")):
		return fmt.Sprintf("its scope %q must be one word or more in brackets", text.Clip("("+scope, maxBrief))
	case !strings.HasPrefix(description, " ") || strings.TrimSpace(description) == "":
		return "its type must be followed by ': ' and a description"
	}
	return ""
}

// toolingFolders hold files whose documentation tends to be forgotten.
var toolingFolders = text.WordSet{List: "skills commands agents hooks bin scripts"}

func isTooling(file string) bool {
	folders := strings.Split(file, "/")
	return path.Base(file) == "Makefile" || slices.ContainsFunc(folders[:len(folders)-1], toolingFolders.Has)
}

func isMarkdown(file string) bool { return strings.EqualFold(path.Ext(file), ".md") }

// UndocumentedTooling returns the first tooling file that a commit changes, if it changes no
// document, and "" otherwise. It only decides when to run an audit.
func UndocumentedTooling(files []string) string {
	i := slices.IndexFunc(files, isTooling)
	if i < 0 || slices.ContainsFunc(files, isMarkdown) {
		return ""
	}
	return files[i]
}

var (
	// closing are the words after which GitHub, GitLab and Gitea close, or reopen, the issues that
	// follow.
	closing = lazy.Pattern{Text: `(?i)\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?|reopen(?:s|ed|ing)?)\b`}
	// reference is an issue as trackers write it: #12, owner/name#12, !12, GH-12, or its address.
	reference = lazy.Pattern{Text: `(?i)([#!])(\d+)|\b(GH)-(\d+)|\b(https?)(://\S+/(?:issues|pull|pulls|merge_requests)/\d+)`}
	// mention matches a person or a team, but not an e-mail address or a lone @.
	mention = lazy.Pattern{Text: `(^|[^\w.@])@(\w)`}
)

// Clean makes a text fit for a commit's message or a pull request's title: on one line, with hidden
// characters shown, mentioning no user and closing no issue.
func Clean(words string) string {
	words = text.Visible(strings.Join(strings.Fields(words), " "))
	words = mention.Get().ReplaceAllString(words, "$1(at)$2")
	if !closing.Get().MatchString(words) {
		return words
	}
	return strings.Join(strings.Fields(reference.Get().ReplaceAllStringFunc(words, func(ref string) string {
		m := reference.Get().FindStringSubmatch(ref)
		switch {
		case m[1] != "":
			return " no. " + m[2]
		case m[3] != "":
			return m[3] + " " + m[4]
		}
		return m[5] + ": " + strings.TrimPrefix(m[6], "://")
	})), " ")
}
