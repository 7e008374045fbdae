package drive

import (
	"fmt"
	"slices"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/gate"
)

// testsSaid returns what the tests said of a tree, for a verifier that would otherwise run them; ""
// if they were not run on it.
func testsSaid(t *turn, tree string) string {
	last, known := evidence.Last(t.evidenceOfIssue(t.s).Tests, func(r evidence.Tested) bool { return r.Tree == tree && r.Stage != gate.Baseline && !r.Unready })
	switch {
	case !known:
		return ""
	case last.Row.NotRun:
		return "The tests of this project are not run, as its settings say."
	case last.Row.Red:
		return fmt.Sprintf("warp ran the tests on exactly this work: %s. What fails failed before the work, too.", gate.Describe(last.Row))
	}
	return fmt.Sprintf("warp ran the tests on exactly this work: %s. Do not run all of them again.", gate.Describe(last.Row))
}

// suiteTime returns how long the tests take, by their last whole run here; "" if that is unknown.
func suiteTime(t *turn) string {
	last, known := evidence.Last(t.book.Tests, func(r evidence.Tested) bool {
		return !r.NotRun && !r.TimedOut && r.Passed && r.Command == suiteCommand(t.Engine)
	})
	if !known {
		return ""
	}
	return text.Span(last.Row.Seconds)
}

// decisionsMade returns what people decided about the requirement, with the defaults that were taken
// where no answer came. A person's answer replaces the default that was taken for its question.
func decisionsMade(t *turn) (list []evidence.Decision) {
	for _, d := range listDecisions(t) {
		if d.Row.Answer != "" {
			list = append(slices.DeleteFunc(list, func(was evidence.Decision) bool { return was.IsDefault() && was.Question == d.Row.Question }), d.Row)
		}
	}
	return list
}

// objection returns what the author of the present chunk objects to its last verdict.
func objection(t *turn) string {
	last, ran := evidence.Last(codingRuns(t.evidenceOfIssue(t.s), t.s), nil)
	if !ran {
		return ""
	}
	return last.Row.Objection
}
