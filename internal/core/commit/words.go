package commit

import (
	"strings"

	"warp/internal/core/lazy"
	"warp/internal/core/text"
)

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
