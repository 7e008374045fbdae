package drive

import (
	"context"
	"fmt"
	"os"
	"time"

	"warp/internal/core/drive"
	"warp/internal/core/event"
	"warp/internal/core/evidence"
	"warp/internal/core/failure"
	"warp/internal/core/text"
	"warp/internal/engine/judge"
)

// tester runs the project's tests.
type tester struct{ *Engine }

// The stages at which tests are run.
const (
	stageBaseline = "baseline" // before anything was changed
	stageChunk    = "chunk"
	stageFinal    = "final"
	stageMerge    = "merge" // what is merged, as it is merged
)

const (
	maxExcerpt  = 3_000 // of a failing test run that is put into a prompt
	testSeconds = 3600  // of one run of the tests
)

// baseline finds out what the tests say before anything is changed: only what
// the work breaks counts against it. It is run once for a work tree.
func (e *tester) baseline(ctx context.Context, s *drive.State) error {
	if !e.cfg.TestBeforeCommit {
		return nil
	}
	if _, known := evidence.Last(e.ledger.page(s).Tests, func(t evidence.Tested) bool { return t.Stage == stageBaseline }); known {
		return nil
	}
	tree, err := e.Drive.Tree.Fingerprint()
	if err != nil {
		return err
	}
	t, err := e.test(ctx, s, stageBaseline, tree)
	if err != nil {
		return err
	}
	if !t.Passed {
		e.ledger.remark("the tests fail before anything was changed; only what is broken from here on counts: %s", t.Command)
	}
	return nil
}

// runTests runs the tests on what the verifier has seen, and asks the repository's
// own commit hooks.
func (e *tester) runTests(ctx context.Context, s *drive.State) (move, error) {
	e.committer.hooked = ""
	tree, err := e.Drive.Tree.Fingerprint()
	if err != nil {
		return move{}, err
	}
	for n := 0; ; n++ {
		if why, err := e.reviewer.rejudge(ctx, s, tree); err != nil || why != "" {
			return move{on: drive.TestsFailed, data: data{Failure: why}}, err
		}
		t, err := e.testChunk(ctx, s, tree)
		if err != nil || !t.Passed {
			return move{on: drive.TestsFailed, data: data{Failure: t.Excerpt}}, err
		}
		next, v, err := e.committer.askCommitHooks(ctx, s, tree)
		switch {
		case err != nil:
			return move{}, err
		case next != tree && n < hookRounds:
			e.ledger.remark("the repository's own commit hooks changed files of the chunk: it is judged and tested again")
			tree = next
		case !v.OK:
			e.ledger.tell(Note{Kind: Gated, Text: "the repository's own commit hooks refuse it", Passed: &v.OK})
			t.Passed, t.NotRun, t.Excerpt, t.Command = false, false, e.Redact(failure.Excerpt(v.Said, maxExcerpt)), "the repository's commit hooks"
			e.ledger.keepRows(s, event.Tested, t)
			return move{on: drive.TestsFailed, data: data{Failure: t.Excerpt}}, nil
		default:
			return move{on: drive.TestsPassed}, nil
		}
	}
}

// testChunk runs the tests for the chunk, unless the engine died after it.
func (e *tester) testChunk(ctx context.Context, s *drive.State, tree string) (evidence.Tested, error) {
	t, ok := evidence.Last(e.ledger.page(s).Tests, func(t evidence.Tested) bool { return t.Chunk == s.Chunk.Index && t.Stage == stageChunk })
	if ok && t.Row.Passed && t.Row.Tree == tree {
		return t.Row, nil
	}
	if !e.cfg.TestBeforeCommit {
		not := evidence.Tested{Issue: s.Issue(), Chunk: s.Chunk.Index, Stage: stageChunk, NotRun: true, Passed: true, Tree: tree}
		e.ledger.keepRows(s, event.Tested, not)
		e.ledger.tell(Note{Kind: Tested, Text: "the tests were not run: test_before_commit is false"})
		return not, nil
	}
	return e.test(ctx, s, stageChunk, tree)
}

// test runs the project's tests once and compares what they say with what they
// said before.
func (e *tester) test(ctx context.Context, s *drive.State, stage, tree string) (evidence.Tested, error) {
	t, err := e.runSuite(ctx, s, e.Drive.Root(), stage, tree)
	if err == nil {
		err = e.compareWithBaseline(s, &t)
	}
	if err != nil {
		return t, err
	}
	e.ledger.keepRows(s, event.Tested, t)
	passed := t.Passed
	e.ledger.tell(Note{Kind: Tested, Text: tested(t), Passed: &passed})
	e.ledger.passPoint("tested " + stage)
	return t, nil
}

// runSuite runs the project's tests in a folder.
func (e *tester) runSuite(ctx context.Context, s *drive.State, dir, stage, tree string) (evidence.Tested, error) {
	command, err := e.testCommand()
	if err != nil {
		return evidence.Tested{}, err
	}
	file, log := e.Drive.Project.NewLogFile("tests", stage, s)
	e.ledger.tell(Note{Kind: Tested, Text: "running " + command})
	said, err := judge.Command{Line: command, Dir: dir, Environ: os.Environ(), Log: file, Limit: min(testSeconds*time.Second, e.runner.timeLeft(s))}.Run(ctx)
	if bad := e.trees.settle(ctx); err == nil { // they may leave things behind
		err = bad
	}
	if err != nil {
		if ctx.Err() != nil {
			return evidence.Tested{}, ctx.Err()
		}
		return evidence.Tested{}, needsPerson("fix it, then warp resume", "the tests cannot be run: %v", err)
	}
	t := evidence.Tested{Issue: s.Issue(), Chunk: s.Chunk.Index, Stage: stage, Command: command, Exit: said.Exit, Seconds: said.Seconds,
		Passed: said.Passed, TimedOut: said.TimedOut, Log: log, Tree: tree}
	if !t.Passed {
		t.Failing = failure.Failing(said.Output)
		for _, line := range failure.Nameless(said.Output) {
			t.Nameless = append(t.Nameless, e.Redact(line))
		}
		t.Excerpt = e.Redact(said.Excerpt())
	}
	return t, nil
}

// compareWithBaseline lets tests that were red before count only for what they show that is
// new. Tests that could not even be started before anything was changed are a
// broken environment, which is nobody's failure but needs somebody.
func (e *tester) compareWithBaseline(s *drive.State, t *evidence.Tested) error {
	if t.Passed {
		return nil
	}
	if t.Stage == stageBaseline {
		if t.Exit == judge.NotFound {
			return needsPerson(`mend it, or warp config set test_command "…", then warp resume`, "the tests cannot be run before anything was changed: %s: %s", t.Command, text.FirstLine(t.Excerpt))
		}
		return nil
	}
	before, known := evidence.Last(e.ledger.page(s).Tests, func(b evidence.Tested) bool { return b.Stage == stageBaseline })
	if !known || before.Row.Passed || before.Row.TimedOut || t.TimedOut {
		return nil
	}
	worse(before.Row, t)
	return nil
}

// worse holds a red run against the one before anything was changed. The names of
// tests are not all: what crashed beside them has none.
func worse(before evidence.Tested, t *evidence.Tested) {
	beside := without(t.Nameless, before.Nameless)
	if t.Exit != before.Exit && t.Exit != len(t.Failing) { // some runners count
		beside = append(beside, fmt.Sprintf("exit code %d, which was %d", t.Exit, before.Exit))
	}
	if len(before.Failing) > 0 && len(t.Failing) > 0 {
		t.Broke = without(t.Failing, before.Failing)
		t.Passed = len(t.Broke)+len(beside) == 0
	} else { // no test is named
		t.Passed = t.Exit == before.Exit && failure.Signature(before.Excerpt) == failure.Signature(t.Excerpt)
	}
	t.Red = t.Passed
	if !t.Passed && len(beside) > 0 {
		t.Excerpt += "\nIt failed before, too. New is: " + text.Quote(beside, 5) + "\n"
	}
}

func tested(t evidence.Tested) string {
	switch {
	case t.Red:
		return fmt.Sprintf("%s fails as it did before (%d tests)", t.Command, len(t.Failing))
	case t.Passed:
		return fmt.Sprintf("%s passed in %.1f s", t.Command, t.Seconds)
	case len(t.Broke) > 0:
		return fmt.Sprintf("%s: broken are %s", t.Command, text.Quote(t.Broke, 5))
	case t.TimedOut:
		return t.Command + " did not end in time"
	}
	return fmt.Sprintf("%s failed with exit code %d", t.Command, t.Exit)
}

// testRequirement runs everything once more when all chunks are done.
func (e *tester) testRequirement(ctx context.Context, s *drive.State) (move, error) {
	if !e.cfg.TestBeforeCommit {
		return move{on: drive.MergeReady}, nil
	}
	tree, err := e.Drive.Tree.Fingerprint()
	if err != nil {
		return move{}, err
	}
	if t, ok := evidence.Last(e.ledger.page(s).Tests, func(t evidence.Tested) bool { return t.Stage == stageFinal }); ok && t.Row.Passed && t.Row.Tree == tree {
		return move{on: drive.MergeReady}, nil
	}
	for range 2 { // a test that fails now and then passed a moment ago
		t, err := e.test(ctx, s, stageFinal, tree)
		if err != nil {
			return move{}, err
		}
		if t.Passed {
			return move{on: drive.MergeReady}, nil
		}
	}
	return move{}, needsPerson("look at the tests, then warp resume", "the tests passed with each chunk, and fail twice now that all is done: they may depend on chance or on what they leave behind")
}
