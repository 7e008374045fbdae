// Package commit judges commits by their message and files: whether a message is conventional, and
// whether a change of tooling leaves the documentation behind.
package commit

import (
	"fmt"
	"slices"
	"strings"

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
		return fmt.Sprintf("%q is no type of commit; there are %s", text.Clip(kind, maxBrief), strings.Join(types, ", "))
	case scoped && (!strings.HasSuffix(scope, ")") || strings.TrimSpace(scope[:len(scope)-1]) == "" || strings.ContainsAny(scope[:len(scope)-1], "()")):
		return fmt.Sprintf("its scope %q must be one word or more in brackets", text.Clip("("+scope, maxBrief))
	case !strings.HasPrefix(description, " ") || strings.TrimSpace(description) == "":
		return "its type must be followed by ': ' and a description"
	}
	return ""
}
