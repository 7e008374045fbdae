package drive

import (
	"context"

	"warp/internal/core/text"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
)

// gateOld is the gate that runs the old tests on what is merged.
const gateOld = "tests as they were"

// comparesTests reports whether the tests can be compared with the old ones: they are run, and in
// rooms.
func comparesTests(t *turn) (bool, error) {
	if t.Rooms == nil || suiteCommand(t.Engine) == "" {
		return false, nil
	}
	_, err := testSuite(t)
	return err == nil, err
}

// chunkCandidate returns the tree that the chunk's commit will have, with the last commit as its
// base.
func chunkCandidate(ctx context.Context, t *turn, tree string) (c judge.Candidate, err error) {
	head, err := t.repo().Head()
	if err != nil {
		return c, err
	}
	next, err := t.lander.Preview(ctx, chunkChange(t, tree))
	if err != nil {
		return c, err
	}
	base, err := gate.TreeOf(ctx, t.repo(), head)
	return newCandidate(t, base, next, t.s.Chunk.Present()), err
}

// compareTests compares a chunk's tests with the old ones, which run on its code if it changes tests
// or how they run. The verifier judges tests that pass only in their new version.
func compareTests(ctx context.Context, t *turn, tree string) (why string, err error) {
	if t.chunk.compared == tree && tree != "" {
		return "", nil
	}
	t.chunk.changed, t.chunk.compared = nil, ""
	if ok, err := comparesTests(t); err != nil || !ok {
		return "", err
	}
	c, err := chunkCandidate(ctx, t, tree)
	if err != nil {
		return "", err
	}
	touched, err := t.tests.ChangesTests(c)
	if err != nil {
		return "", err
	}
	compare := t.tests.FindLostTests // work may lose a test without touching it
	if touched {
		t.tell(Note{Kind: Tested, Text: "running " + t.tests.Command.Line + " as it was before, since the chunk changes tests or how they are run"})
		compare = t.tests.CompareWithOldTests
	}
	f, err := compare(ctx, c)
	if err != nil {
		return "", err
	}
	for _, point := range f.Points {
		t.remark("%s", point)
	}
	t.chunk.changed = f.Changed
	if why = text.JoinNonEmpty("\n", f.Why(), undoesProof(t, f.Changed)); why == "" {
		t.chunk.compared = tree
	}
	if touched && why == "" {
		said := "the old tests pass on the new code"
		if len(f.Changed) > 0 {
			said += ", but for those whose new version is judged: " + text.Quote(f.Changed, 5)
		}
		t.tell(Note{Kind: Tested, Text: said, Passed: new(true)})
	}
	return why, nil
}

// compareMerged compares the work to merge with the target's tests, and records what people should
// know.
func compareMerged(ctx context.Context, t *turn, base, tip string) (why string, err error) {
	f, err := compareTrees(ctx, t, base, tip, doneCriteria(t.s))
	if err != nil {
		return "", err
	}
	if len(f.Changed) > 0 {
		f.Points = append(f.Points, "tests that pass only in their new version: "+text.Quote(f.Changed, 20))
	}
	for _, point := range f.Points {
		recordMergeGate(t, gateOld, point, true)
	}
	return f.Why(), nil
}

// compareTrees runs the tests of the base tree on another.
func compareTrees(ctx context.Context, t *turn, base, tip string, criteria []string) (f judge.Finding, err error) {
	if ok, err := comparesTests(t); err != nil || !ok {
		return f, err
	}
	trees := [2]string{base, tip}
	for i, commit := range trees {
		if trees[i], err = gate.TreeOf(ctx, t.repo(), commit); err != nil {
			return f, err
		}
	}
	return t.tests.CompareWithOldTests(ctx, newCandidate(t, trees[0], trees[1], criteria))
}
