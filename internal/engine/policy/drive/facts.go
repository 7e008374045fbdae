package drive

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"warp/internal/core/evidence"
	"warp/internal/core/scope"
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
	if claim, claimed := answeredUnasked(t); !ran || claimed && claim.N == last.N { // that is about what no one asked for
		return ""
	}
	return last.Row.Objection
}

// lastRefusal returns why a verifier last refused the present chunk.
func lastRefusal(t *turn) string {
	no, _ := evidence.Last(t.evidenceOfIssue(t.s).Gates, func(g evidence.Gate) bool {
		return g.Chunk == t.s.Chunk.Index && !g.Passed && g.Gate == verifierName
	})
	return no.Row.Reason
}

// openJudgingFolder returns the folder where a tree is judged: a clean room, without the files that
// agents load as instructions, if the work brought any (they stay in the diff), else the work tree.
func openJudgingFolder(ctx context.Context, t *turn, w gate.VerifierInput) (dir string, leave func() error, err error) {
	dir, leave = w.Dir, func() error { return nil }
	if t.Rooms == nil {
		return dir, leave, nil
	}
	base, err := gate.MergeBase(ctx, t.repo(), "HEAD", "refs/heads/"+t.s.MergeTarget)
	if err != nil {
		return "", nil, err
	}
	changes, err := t.repo().Trees().Changes(base, w.Tree)
	if err != nil {
		return "", nil, err
	}
	ignored, err := gate.ListIgnoredFiles(ctx, t.repo())
	if err != nil {
		return "", nil, err
	}
	own := path.Join(t.Work.Root().Folder(), ".claude") + "/" // the guard's
	isOther := func(name string) bool {
		return name == "" || strings.HasPrefix(name, own) || !scope.IsInstructions(name)
	}
	var planted []string
	for _, c := range changes {
		planted = append(planted, c.Path, c.OldPath)
	}
	planted = slices.DeleteFunc(planted, isOther)
	if len(planted) == 0 && len(slices.DeleteFunc(ignored, isOther)) == 0 {
		return dir, leave, nil
	}
	tree, err := t.repo().Trees().Graft(ctx, w.Tree, base, planted)
	if err != nil {
		return "", nil, err
	}
	room, err := t.Rooms(ctx, tree, base)
	if err != nil {
		return "", nil, explainUnrun(&gate.UnrunError{Err: err})
	}
	return room.Folder(), room.Leave, nil
}
