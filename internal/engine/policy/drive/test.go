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
	"warp/internal/core/text"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
)

const (
	maxExcerpt = 3_000 // of what commit hooks said that is put into a prompt
	// hookRounds is how often commit hooks may change a chunk before it is committed
	// without what they change.
	hookRounds = 3
)

// suiteCommand is the test command, "" when tests are not run.
func suiteCommand(e *Engine) string {
	command, err := testCommand(e)
	if err != nil || !e.cfg.TestBeforeCommit {
		return ""
	}
	return command
}

// testSuite runs the tests for the present step.
func testSuite(t *turn) (gate.Suite, error) {
	command, err := testCommand(t.Engine)
	if err == nil && t.Rooms != nil && t.tests == nil {
		err = openTests(t, command)
	}
	return gate.Suite{Command: command, Tests: t.tests, Limit: t.timeLeft(), Redact: t.Redact, SnapshotAfter: t.acceptWorkTree,
		Log: func(stage string) (file, shown string) {
			t.tell(Note{Kind: Tested, Text: "running " + command})
			return t.Drive.Project.NewLogFile("tests", stage, t.s)
		}}, err
}

// openTests makes the suite of the drive: the command is found out once, from what the
// branch began with.
func openTests(t *turn, command string) error {
	base, err := t.lander.Tip(t.s.MergeTarget)
	if err != nil {
		return err
	}
	t.tests = &judge.Tests{Command: judge.Command{Line: command, Environ: os.Environ(), Redact: t.Redact, Limit: t.timeLeft()}, Repo: t.repo(), Prefix: projectPrefix(t.Engine),
		Protected: t.cfg.Protected, CacheDir: judge.CacheDirIn(t.State), Site: judge.Site{Dir: t.Drive.Root(), Rooms: t.Rooms, Base: base}}
	return nil
}

// explainUnrun says what to do about tests that cannot be run.
func explainUnrun(err error) error {
	var unrun *gate.UnrunError
	if errors.As(err, &unrun) {
		return needsPerson("fix it, then warp resume", "%v", unrun)
	}
	return err
}

// findTest is the newest run of the tests at some stages; nil: there is none.
func findTest(t *turn, stages ...string) *evidence.Tested {
	last, known := evidence.Last(t.evidenceOfIssue(t.s).Tests, func(r evidence.Tested) bool { return slices.Contains(stages, r.Stage) && !r.Unready })
	if !known {
		return nil
	}
	return &last.Row
}

// testBaseline finds out what the tests say before anything is changed: only what
// the work breaks counts against it. It is run once for a work tree.
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

// passesHere tells whether the tests pass in the project's own folder, where they fail
// in a clean checkout of it.
func passesHere(ctx context.Context, t *turn, tests gate.Suite, r evidence.Tested) (bool, error) {
	if t.Rooms == nil || r.Passed || r.TimedOut {
		return false, nil
	}
	here, err := tests.Run(ctx, judge.Site{Dir: t.Drive.Root()}, gate.Baseline, r.Tree)
	return here.Passed, err
}

// runTests runs the project's tests on a tree, "" the work tree as it is, and compares
// what they say with what they said before the work. The first stage is what they
// are run for; where they have passed last at one of the stages, on the same tree,
// the engine died after that. Tests that could not even be started before the work
// are a broken environment, which is no failure of the work but needs a person.
func runTests(ctx context.Context, t *turn, tree string, stages ...string) (r evidence.Tested, err error) {
	stage := stages[0]
	if tree == "" {
		if tree, err = t.Drive.Tree.Fingerprint(); err != nil {
			return r, err
		}
	}
	commit, err := treeToCommit(ctx, t, stage, tree)
	if err != nil {
		return r, err
	}
	if last := findTest(t, stages...); last != nil && last.Chunk == t.s.Chunk.Index && last.Passed && last.Tree == tree && (last.Commit == "" || last.Commit == commit) {
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
	site, err := testSite(ctx, t, stage, tree)
	if err != nil {
		return r, err
	}
	if r, err = tests.Run(ctx, site, stage, tree); err != nil {
		return r, explainUnrun(err)
	}
	r.Commit = commit
	if stage == gate.Baseline {
		if r.Unready, err = passesHere(ctx, t, tests, r); err != nil {
			return r, explainUnrun(err)
		}
	}
	if r.Unready { // no money is spent before the tests can prove anything
		keepTested(t, r)
		return r, needsPerson(judge.SayReady+", then warp resume", "%s: %s; see %s", judge.Unready, gate.Describe(r), r.Log)
	}
	if stage == gate.Baseline && !r.Passed && r.Exit == judge.NotFound {
		return r, needsPerson(`fix it, or warp config set test_command "…", then warp resume`,
			"the tests do not run, before any change: %s: %s", r.Command, text.FirstLine(r.Excerpt))
	}
	if before := findTest(t, gate.Baseline); before != nil {
		gate.Compare(*before, &r)
	}
	if err := forgiveChance(ctx, t, site, &r); err != nil {
		return r, explainUnrun(err)
	}
	r = keepTested(t, r)
	t.tell(Note{Kind: Tested, Text: gate.Describe(r), Passed: &r.Passed})
	t.pass("tested " + stage)
	return r, nil
}

// forgiveChance lets a run count as passed that fails by chance: it is reported, and does
// not block.
func forgiveChance(ctx context.Context, t *turn, site judge.Site, r *evidence.Tested) error {
	if r.Passed || r.Stage == gate.Baseline || t.tests == nil || site.Rooms == nil {
		return nil
	}
	before := findTest(t, gate.Baseline)
	if before == nil || !before.Passed { // red before: only what is new counts anyway
		return nil
	}
	chance, err := t.tests.IsFlaky(ctx, site.Base, site.Tree, judge.CommandResult{Seconds: r.Seconds, TimedOut: r.TimedOut})
	if chance && err == nil {
		t.remark("%s: %s", judge.FlakyTests, gate.Describe(*r))
		r.Passed, r.Red = true, true
	}
	return err
}

// testSite is what the tests are run on: what a chunk's commit will have, or what is
// committed. What a person has in the work tree besides is not there.
func testSite(ctx context.Context, t *turn, stage, tree string) (s judge.Site, err error) {
	s = judge.Site{Dir: t.Drive.Root(), Rooms: t.Rooms}
	if s.Rooms == nil {
		return s, nil
	}
	if s.Base, err = t.lander.Tip(t.s.MergeTarget); err != nil {
		return s, err
	}
	if stage == gate.Chunk {
		s.Tree, err = t.lander.Preview(ctx, chunkChange(t, tree))
	} else {
		s.Tree, err = t.repo().Head()
	}
	return s, err
}

// treeToCommit is what a chunk's commit would have: something may be staged or ignored
// between its tests and its commit. "" at other stages.
func treeToCommit(ctx context.Context, t *turn, stage, tree string) (string, error) {
	if stage != gate.Chunk {
		return "", nil
	}
	return t.lander.Preview(ctx, chunkChange(t, tree))
}

// keepTested records a run of the tests.
func keepTested(t *turn, r evidence.Tested) evidence.Tested {
	r.Issue, r.Chunk = t.s.Issue(), t.s.Chunk.Index
	t.recordEvidence(t.s, event.Tested, r)
	return r
}

// testChunk runs the tests on what the verifier has seen, and asks the repository's
// own commit hooks.
func testChunk(ctx context.Context, t *turn) (move, error) {
	t.chunk.hooked = ""
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
		if why, err := findLost(ctx, t, tree); err != nil || why != "" {
			return move{on: drivestate.TestsFailed, data: data{Failure: why}}, err
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

// testRequirement runs everything once more when all chunks are done.
func testRequirement(ctx context.Context, t *turn) (move, error) {
	for range 2 { // a test that fails now and then passed a moment ago
		if r, err := runTests(ctx, t, "", gate.Final); err != nil || r.Passed {
			return move{on: drivestate.MergeReady}, err
		}
	}
	return move{}, needsPerson("check the tests, then warp resume",
		"the tests passed for each chunk but failed twice on the whole: they may be flaky, or depend on files that they leave behind")
}

// testMerge tests what is to be merged, where the rebase has changed it.
func testMerge(ctx context.Context, t *turn, _ string) error {
	r, err := runTests(ctx, t, "", gate.Merge, gate.Final)
	if err != nil || r.Passed {
		return err
	}
	return needsPerson("look at "+r.Log+", fix the branch, then warp resume",
		"the tests pass on the branch but fail together with the new commits on %s: %s", t.s.MergeTarget, gate.Describe(r))
}
