package notify

import (
	"fmt"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
)

// outcomeKinds maps results to kinds of messages. A stop by a person is not reported: the person knows.
var outcomeKinds = map[evidence.Result]string{
	evidence.Merged: Merged, evidence.Pull: Merged, evidence.Failed: Failed, evidence.Partly: Failed,
	evidence.Person: Person, evidence.Budget: Person, evidence.Stopped: Remark,
}

// Outcome returns the message about how a requirement ended; without a kind, there is nothing to
// tell.
func Outcome(o evidence.Outcome, e evidence.Effort) Message {
	parts := []string{fmt.Sprintf("#%s %s", o.Issue, o.Result.Words())}
	if o.Title != "" {
		parts[0] += ": " + o.Title
	}
	if !o.Result.Good() {
		if len(e.Failing) > 0 {
			parts = append(parts, text.Count(len(e.Failing), "test")+" failed: "+text.List(e.Failing, 3))
		}
		parts = append(parts, o.Why, o.Do)
	}
	parts = append(parts, o.Pull, describeSpent(e))
	var lines []string
	for _, p := range parts {
		if p = text.ClipRunes(strings.TrimSpace(p), 500); p != "" {
			lines = append(lines, p)
		}
	}
	return Message{Kind: outcomeKinds[o.Result], Issue: o.Issue, Text: Prefix + strings.Join(lines, "\n")}
}

// describeSpent returns what a requirement took: money, then time.
func describeSpent(e evidence.Effort) string {
	var parts []string
	if e.Cost.Runs > 0 {
		parts = append(parts, e.Cost.Money())
	}
	if e.Took > 0 {
		parts = append(parts, text.Span(e.Took.Seconds()))
	}
	return strings.Join(parts, ", ")
}
