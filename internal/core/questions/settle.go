package questions

import (
	"fmt"
	"strings"

	"warp/internal/core/text"
)

// AnswersFile lists the sessions of this work tree with a waiting answer, one per line: a hook
// checks it on every tool call, so that must be cheap. It is relative to the project's root.
const AnswersFile = ".claude/state/answers"

// FormatAnswers formats the answers to a session's questions. They are a person's words about the project,
// not orders of the system.
func FormatAnswers(items []Item) string {
	var b strings.Builder
	for _, i := range items {
		fmt.Fprintf(&b, "your question %s was answered (%s): %q -> %s\n", i.ID, text.VisibleLine(i.AnsweredBy), text.VisibleLine(text.Clip(i.Question, 300)), text.VisibleLine(text.Clip(i.Answer, 1000)))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
