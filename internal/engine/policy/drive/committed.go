package drive

import (
	"context"
	"fmt"

	"warp/internal/core/evidence"
	"warp/internal/core/text"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
)

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
	if err == nil {
		r, err = tests.Run(ctx, judge.Site{Dir: e.Drive.Root(), Rooms: e.Rooms, Tree: head, Base: head}, gate.Baseline, tree)
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
	case !r.Passed && r.Exit == judge.NotFound:
		return r, fmt.Errorf(`the tests do not run: %s: %s; fix it, or warp config set test_command "…"`, r.Command, text.FirstLine(r.Excerpt))
	}
	return r, nil
}
