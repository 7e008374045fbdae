package drive

import (
	"context"
	"errors"
	"os"
	"slices"

	"warp/internal/core/drivestate"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/testoutput"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
)

const (
	maxExcerpt = 3_000 // of commit hooks' output in a prompt
	// hookRounds is how often commit hooks may change a chunk before it is committed without their
	// changes.
	hookRounds = 3
)

// suiteCommand returns the test command; "" if tests are not run.
func suiteCommand(e *Engine) string {
	command, err := testCommand(e)
	if err != nil || !e.cfg.TestBeforeCommit {
		return ""
	}
	return command
}

// testSuite returns the suite that runs the tests for the present step.
func testSuite(t *turn) (gate.Suite, error) {
	command, err := testCommand(t.Engine)
	if err == nil && t.Rooms != nil && t.tests == nil {
		err = openTests(t, command)
	}
	return gate.Suite{Command: command, Tests: t.tests, Limit: t.timeLeft(), Redact: t.Redact, SnapshotAfter: func(ctx context.Context) error {
		if t.Rooms != nil { // nothing runs in the work tree
			return nil
		}
		return t.acceptWorkTree(ctx)
	},
		Log: func(stage string) (file, shown string) {
			t.tell(Note{Kind: Tested, Text: "running " + command})
			return t.Drive.Project.NewLogFile("tests", stage, t.s)
		}}, err
}

// openTests creates the drive's suite. The command is determined once, from the branch's base.
func openTests(t *turn, command string) error {
	base, err := t.lander.Tip(t.s.MergeTarget)
	if err != nil {
		return err
	}
	t.tests = &judge.Tests{Command: judge.Command{Line: command, Environ: os.Environ(), Redact: t.Redact, Limit: t.timeLeft()}, Repo: t.repo(), Prefix: t.Work.Root().Folder(),
		Protected: t.cfg.Protected, CacheDir: judge.CacheDirIn(t.State), Site: judge.Site{Dir: t.Drive.Root(), Rooms: t.Rooms, Base: base}}
	return nil
}

// explainUnrun adds advice to the error of tests that cannot be run.
func explainUnrun(err error) error {
	if unrun, is := errors.AsType[*gate.UnrunError](err); is {
		return needsPerson("fix it, then warp resume", "%v", unrun)
	}
	return err
}

// findTest returns the newest test run at the given stages, or nil.
func findTest(t *turn, stages ...string) *evidence.Tested {
	last, known := evidence.Last(t.evidenceOfIssue(t.s).Tests, func(r evidence.Tested) bool { return slices.Contains(stages, r.Stage) && !r.Unready })
	if !known {
		return nil
	}
	return &last.Row
}

// runTests runs the project's tests on a tree ("": the work tree) and compares the result with the
// baseline. What passed on the same tree is not run again, whatever it ran for. Tests that could not
// even start before the work are a broken environment, which needs a person.
func runTests(ctx context.Context, t *turn, tree, stage string) (r evidence.Tested, err error) {
	if tree == "" {
		if tree, err = t.Drive.Tree.Fingerprint(); err != nil {
			return r, err
		}
	}
	commit, err := treeToTest(ctx, t, stage, tree)
	if err != nil {
		return r, err
	}
	return runTestsOn(ctx, t, stage, tree, commit)
}

// runTestsOn is runTests on what a commit has, or would have.
func runTestsOn(ctx context.Context, t *turn, stage, tree, commit string) (r evidence.Tested, err error) {
	var checks keptChecks
	if stage == gate.Chunk && t.cfg.TestBeforeCommit {
		if checks, err = listKeepable(t, commit); err != nil {
			return r, err
		}
	}
	if last := findTest(t, stage); last != nil && last.Chunk == t.s.Chunk.Index && last.Passed && last.Tree == tree && (last.Commit == "" || last.Commit == commit) && slices.Equal(last.With, checks.ids()) {
		return *last, nil
	}
	if !t.cfg.TestBeforeCommit {
		r = evidence.Tested{Stage: stage, NotRun: true, Passed: true, Tree: tree}
		if stage == gate.Chunk {
			r = keepTested(t, r)
			t.tell(Note{Kind: Tested, Text: "the tests were not run: test_before_commit is false"})
		}
		return r, nil
	}
	tests, err := testSuite(t)
	if err != nil {
		return r, err
	}
	if was := findPassed(t, tests.Command, tree, commit); was != nil && len(checks) == 0 {
		r = *was
		r.Stage, r.Tree, r.Reused = stage, tree, true
		if stage == gate.Merge { // it was told when the last chunk was done
			return r, nil
		}
		r = keepTested(t, r)
		t.tell(Note{Kind: Tested, Text: gate.Describe(r), Passed: &r.Passed})
		t.pass("tested " + stage)
		return r, nil
	}
	site := judge.Site{Dir: t.Drive.Root(), Rooms: t.Rooms}
	if site.Rooms != nil {
		site.Tree = commit
		if site.Base, err = t.lander.Tip(t.s.MergeTarget); err != nil {
			return r, err
		}
	}
	with, blamed, err := runTestsWithChecks(ctx, t, tests, site, checks, tree)
	if err != nil {
		return r, err
	}
	if with != nil {
		r = *with
	} else if r, err = tests.Run(ctx, site, stage, tree); err != nil {
		return r, explainUnrun(err)
	}
	r.Commit = commit
	if stage == gate.Baseline {
		if err := checkBaseline(ctx, t, tests, &r); err != nil {
			return r, err
		}
	}
	if before := findTest(t, gate.Baseline); before != nil {
		gate.Compare(*before, &r)
	}
	if err := forgiveChance(ctx, t, site, &r); err != nil {
		return r, explainUnrun(err)
	}
	if r.Passed && len(blamed) > 0 {
		if err := dropPlace(t, t.checks, blamed.ids(), tests.Command+" fails with them at their places, or loses tests, and passes without"); err != nil {
			return r, err
		}
	}
	r = keepTested(t, r)
	t.tell(Note{Kind: Tested, Text: gate.Describe(r), Passed: &r.Passed})
	t.pass("tested " + stage)
	return r, nil
}

// findPassed returns the newest run that passed on what is to be tested, or nil.
func findPassed(t *turn, command, tree, commit string) *evidence.Tested {
	last, known := evidence.Last(t.evidenceOfIssue(t.s).Tests, func(r evidence.Tested) bool {
		return r.Passed && !r.NotRun && len(r.With) == 0 && r.Command == command && r.Commit == commit && commit != "" && (t.Rooms != nil || r.Tree == tree)
	})
	if !known {
		return nil
	}
	return &last.Row
}

// forgiveChance lets a flaky failure count as passed: it is reported but does not block.
func forgiveChance(ctx context.Context, t *turn, site judge.Site, r *evidence.Tested) error {
	if r.Passed || r.Stage == gate.Baseline || t.tests == nil || site.Rooms == nil {
		return nil
	}
	before := findTest(t, gate.Baseline)
	if before == nil || !before.Passed { // red before: only new failures count anyway
		return nil
	}
	t.remark("the tests fail: running them again, in case they fail by chance")
	chance, err := t.tests.IsFlaky(ctx, site.Base, site.Tree, judge.CommandResult{Seconds: r.Seconds, TimedOut: r.TimedOut})
	if chance && err == nil {
		t.remark("%s: %s", judge.FlakyTests, gate.Describe(*r))
		r.Passed, r.Red = true, true
	}
	return err
}

// treeToTest returns the tree that the tests run on: what a chunk's commit will have, since something
// may be staged or ignored between tests and commit, or what is committed, without a person's other
// changes in the work tree.
func treeToTest(ctx context.Context, t *turn, stage, tree string) (string, error) {
	if stage == gate.Chunk {
		return t.lander.Preview(ctx, chunkChange(t, tree))
	}
	head, err := t.repo().Head()
	if err != nil {
		return "", err
	}
	return gate.TreeOf(ctx, t.repo(), head)
}

func keepTested(t *turn, r evidence.Tested) evidence.Tested {
	r.Issue, r.Chunk = t.s.Issue(), t.s.Chunk.Index
	t.recordEvidence(t.s, event.Tested, r)
	return r
}

// testChunk takes what code_complete found out about the tree. What is not known of it, since it
// changed or the engine died, is found out here.
func testChunk(ctx context.Context, t *turn) (move, error) {
	tree, err := t.Drive.Tree.Fingerprint()
	if err != nil {
		return move{}, err
	}
	for n := 0; ; n++ {
		if why, err := judgeHookChanges(ctx, t, tree); err != nil || why != "" {
			return move{on: drivestate.TestsFailed, data: data{Failure: why}}, err
		}
		r, err := runTests(ctx, t, tree, gate.Chunk)
		if err != nil || !r.Passed {
			return move{on: drivestate.TestsFailed, data: data{Failure: r.Excerpt}}, err
		}
		if why, err := compareTests(ctx, t, tree); err != nil || why != "" {
			return move{on: drivestate.TestsFailed, data: data{Failure: why}}, err
		}
		if t.chunk.hooked == tree {
			return refuseSecrets(ctx, t, tree, r)
		}
		next, v, err := askCommitHooks(ctx, t, tree)
		switch {
		case err != nil:
			return move{}, err
		case next != tree && n < hookRounds:
			t.remark("the repository's commit hooks changed files of the chunk: judging and testing it again")
			tree = next
		case !v.OK:
			t.tell(Note{Kind: Gated, Text: "the repository's commit hooks reject it", Passed: &v.OK})
			r.Passed, r.NotRun, r.Excerpt, r.Command = false, false, t.Redact(testoutput.Excerpt(v.Output, maxExcerpt)), "the repository's commit hooks"
			keepTested(t, r)
			return move{on: drivestate.TestsFailed, data: data{Failure: r.Excerpt}}, nil
		default:
			return refuseSecrets(ctx, t, tree, r)
		}
	}
}

// testRequirement runs all tests again when all chunks are done.
func testRequirement(ctx context.Context, t *turn) (move, error) {
	for range 2 { // a flaky test passed a moment ago
		if r, err := runTests(ctx, t, "", gate.Final); err != nil || r.Passed {
			return move{on: drivestate.MergeReady}, err
		}
	}
	return move{}, needsPerson("check the tests, then warp resume",
		"the tests passed for each chunk but failed twice on the whole: they may be flaky, or depend on files that they leave behind")
}

// testMerge tests the work to merge, if the rebase changed it.
func testMerge(ctx context.Context, t *turn, _ string) error {
	r, err := runTests(ctx, t, "", gate.Merge)
	if err != nil || r.Passed {
		return err
	}
	return needsPerson("look at "+r.Log+", fix the branch, then warp resume",
		"the tests pass on the branch but fail together with the new commits on %s: %s", t.s.MergeTarget, gate.Describe(r))
}
