package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"warp/internal/core/drivestate"
	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/durable"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
)

// proveTested runs the tests on the present tree, unless they already passed on it.
func proveTested(ctx context.Context, t *turn, _ claim) error {
	m, err := judgeChunk(ctx, t)
	if err != nil || m.on == drivestate.TestsPassed {
		return err
	}
	do := "warp test shows it"
	if t.s.Phase == drivestate.Testing {
		do += "; warp state transition . tests_failed leads back to coding"
	}
	return needsPerson(do,
		"the tests do not pass: %s", text.Clip(text.OneLine(strings.TrimSpace(m.data.Failure)), maxClaim))
}

const maxClaim = 300 // characters of a failure in the line that refuses a claim

// judgeChunk judges the present chunk as the engine does between coding and commit, except for the
// verifier. The tests are compared with those at the chunk's base, whatever was committed since.
func judgeChunk(ctx context.Context, t *turn) (move, error) {
	tree, err := t.Drive.Tree.Fingerprint()
	if err != nil {
		return move{}, err
	}
	for _, look := range []func() (string, error){
		func() (string, error) { return integrityGate(t.Engine).Run(ctx, t.s) },
		func() (string, error) {
			return judge.ReadTests(newCandidate(t, t.s.Chunk.Base, tree, t.s.Chunk.Present()))
		},
		func() (string, error) {
			if t.s.Phase != drivestate.Committing { // else nothing differs from the last commit
				return "", nil
			}
			f, err := compareTrees(ctx, t, t.s.Chunk.Base, tree, t.s.Chunk.Present())
			return f.Why(), err
		},
	} {
		if why, err := look(); err != nil || why != "" {
			return move{on: drivestate.TestsFailed, data: data{Failure: why}}, err
		}
	}
	return testChunk(ctx, t)
}

// TestResult is the result of warp test.
type TestResult struct {
	evidence.Tested
	Why string // why it does not count even if the tests pass; "": it counts
}

// OK reports whether the tree passes.
func (r TestResult) OK() bool { return r.Passed && r.Why == "" }

// chunkPhases are the phases in which a chunk's own tree is tested.
var chunkPhases = []drivestate.Phase{drivestate.Coding, drivestate.UpdatingDocs, drivestate.Testing, drivestate.Committing}

// Test runs the tests on the work tree as a drive would, and records the result if a drive is in
// progress.
func (p *Prover) Test(ctx context.Context) (TestResult, error) {
	r, err := p.test(ctx)
	return r, errors.Join(withAdvice(err), p.e.writeErr)
}

func (p *Prover) test(ctx context.Context) (r TestResult, err error) {
	v, err := p.e.Drive.Read()
	if err != nil && !durable.IsMissing(err) {
		return r, err
	}
	if err != nil || !v.State.Phase.Active() || v.State.MergeTarget == "" {
		return testAlone(ctx, p.e)
	}
	t := &turn{p.e, v.State}
	if t.s.Chunk.Total == 0 {
		return testAlone(ctx, p.e)
	}
	if err := loadIssue(ctx, t); err != nil {
		return r, err
	}
	if !slices.Contains(chunkPhases, t.s.Phase) {
		r.Tested, err = runTests(ctx, t, "", gate.Final)
		return r, err
	}
	m, err := judgeChunk(ctx, t)
	if last := findTest(t, gate.Chunk); last != nil {
		r.Tested = *last
	}
	if m.on == drivestate.TestsFailed && (r.Passed || r.Command == "") {
		r.Why = m.data.Failure
	}
	return r, err
}

// turnWithoutDrive returns a turn for work on what is committed and checked out.
func turnWithoutDrive(e *Engine) (*turn, error) {
	head, err := e.repo().Head()
	if err != nil {
		return nil, err
	}
	branch, err := e.lander.CheckedOut()
	if err == nil && branch == "" {
		branch, err = e.repo().MainBranch()
	}
	return &turn{e, &drivestate.State{MergeTarget: branch, Session: drivestate.Session{StartedAt: drivestate.Stamp(e.Now())}, Chunk: drivestate.Chunk{Base: head}}}, err
}

// testAlone tests the work tree without a drive, against what is committed.
func testAlone(ctx context.Context, e *Engine) (r TestResult, err error) {
	if err := checkReady(e); err != nil {
		return r, err
	}
	e.book = &evidence.Book{} // other drives' evidence does not apply
	t, err := turnWithoutDrive(e)
	if err != nil {
		return r, err
	}
	head := t.s.Chunk.Base
	tree, err := e.Drive.Tree.Fingerprint()
	if err != nil {
		return r, err
	}
	if r.Why, err = judge.ReadTests(newCandidate(t, head, tree, nil)); err != nil || r.Why != "" {
		return r, err
	}
	tests, err := testSuite(t)
	if err != nil {
		return r, err
	}
	tests.Again = true
	if r.Tested, err = tests.Run(ctx, judge.Site{Dir: e.Drive.Root(), Rooms: e.Rooms, Tree: tree, Base: head}, gate.Chunk, tree); err != nil || !r.Passed {
		return r, explainUnrun(err)
	}
	f, err := compareTrees(ctx, t, head, tree, nil)
	r.Why = f.Why()
	return r, err
}

// FindTested returns the project's test command and its newest recorded run on the committed tree,
// or nil.
func (p *Prover) FindTested(ctx context.Context) (command string, last *evidence.Entry[evidence.Tested], err error) {
	if err = checkReady(p.e); err == nil {
		command, err = testCommand(p.e)
	}
	if err != nil {
		return "", nil, withAdvice(err)
	}
	head, err := p.e.repo().Head()
	if err != nil {
		return "", nil, err
	}
	tree, err := gate.TreeOf(ctx, p.e.repo(), head)
	if err != nil {
		return "", nil, err
	}
	found, known := evidence.Last(p.e.book.Tests, func(r evidence.Tested) bool {
		return r.Command == command && !r.NotRun && !r.Unready && (r.Commit == tree || r.Commit == "" && r.Tree == tree)
	})
	if !known {
		return command, nil, nil
	}
	return command, &found, nil
}

// TestCommitted runs the tests on the committed tree, as a drive does before its first change. The
// error says why a drive would not start from this result.
func (p *Prover) TestCommitted(ctx context.Context) (r evidence.Tested, err error) {
	e := p.e
	t, err := turnWithoutDrive(e)
	if err != nil {
		return r, err
	}
	head := t.s.Chunk.Base
	tree, err := gate.TreeOf(ctx, e.repo(), head)
	if err != nil {
		return r, err
	}
	tests, err := testSuite(t)
	tests.Again = true
	if err == nil {
		r, err = tests.Run(ctx, judge.Site{Dir: e.Drive.Root(), Rooms: e.Rooms, Tree: tree, Base: head}, gate.Baseline, tree)
	}
	if err != nil {
		return r, withAdvice(explainUnrun(err))
	}
	unready, err := passesHere(ctx, t, tests, r)
	switch {
	case err != nil:
		return r, withAdvice(explainUnrun(err))
	case unready:
		return r, fmt.Errorf("%s: %s; %s", judge.Unready, gate.Describe(r), judge.SayReady)
	case !r.Passed && judge.RunsNothing(r.Exit, r.Excerpt):
		return r, fmt.Errorf(`the tests do not run: %s: %s; install what is missing, or warp config set test_command "…"`, r.Command, text.FirstLine(r.Excerpt))
	}
	return r, nil
}
