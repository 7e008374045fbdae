package drive

import (
	"context"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
)

// testBaseline runs the tests once per work tree before any change: only what the work breaks
// counts against it.
func testBaseline(ctx context.Context, t *turn) error {
	if findTest(t, gate.Baseline) != nil {
		return nil
	}
	r, err := runTests(ctx, t, "", gate.Baseline)
	if err == nil && !r.Passed {
		t.remark("the tests fail before any change; only new failures count: %s", r.Command)
	}
	return err
}

// checkBaseline stops for a person if the tests could prove nothing: no money is spent before they
// can.
func checkBaseline(ctx context.Context, t *turn, tests gate.Suite, r *evidence.Tested) (err error) {
	if r.Unready, err = passesHere(ctx, t, tests, *r); err != nil {
		return explainUnrun(err)
	}
	switch {
	case r.Unready:
		keepTested(t, *r)
		return needsPerson(judge.SayReady+", then warp resume", "%s: %s; see %s", judge.Unready, gate.Describe(*r), r.Log)
	case !r.Passed && judge.RunsNothing(r.Exit, r.Excerpt):
		return needsPerson(`install what is missing, or warp config set test_command "…", then warp resume`,
			"the tests do not run, before any change: %s: %s", r.Command, text.FirstLine(r.Excerpt))
	}
	return nil
}

// passesHere reports whether tests that fail in a clean checkout pass in the project's own folder.
func passesHere(ctx context.Context, t *turn, tests gate.Suite, r evidence.Tested) (bool, error) {
	if t.Rooms == nil || r.Passed || r.TimedOut {
		return false, nil
	}
	here, err := tests.Run(ctx, judge.Site{Dir: t.Drive.Root()}, gate.Baseline, r.Tree)
	return here.Passed, err
}
