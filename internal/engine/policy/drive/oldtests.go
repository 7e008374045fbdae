package drive

import (
	"context"

	"warp/internal/core/text"
	"warp/internal/engine/gate"
	"warp/internal/engine/judge"
)

// gateOld is the gate at which the tests as they were are run on what is merged.
const gateOld = "tests as they were"

// comparesTests tells whether the tests can be held against what they were: they are
// run, and in rooms.
func comparesTests(t *turn) (bool, error) {
	if t.Rooms == nil || suiteCommand(t.Engine) == "" {
		return false, nil
	}
	_, err := testSuite(t)
	return err == nil, err
}

// chunkCandidate is what the chunk's commit will have, held against the commit before.
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
	return candidate(t, base, next, t.s.Chunk.Present()), err
}

// compareTests holds a chunk that changes tests, or how they are run, against the tests
// as they were. Tests that pass only in their new version are the verifier's to judge.
func compareTests(ctx context.Context, t *turn, tree string) (why string, err error) {
	t.chunk.changed = nil
	if ok, err := comparesTests(t); err != nil || !ok {
		return "", err
	}
	c, err := chunkCandidate(ctx, t, tree)
	if err != nil {
		return "", err
	}
	if touched, err := t.tests.ChangesTests(c); err != nil || !touched {
		return "", err
	}
	t.tell(Note{Kind: Tested, Text: "running " + t.tests.Command.Line + " as it was before, since the chunk changes tests or how they are run"})
	f, err := t.tests.CompareWithOldTests(ctx, c)
	if err != nil {
		return "", err
	}
	for _, point := range f.Points {
		t.remark("%s", point)
	}
	t.chunk.changed = f.Changed
	return f.Why(), nil
}

// findLost says which tests the chunk has lost without touching them.
func findLost(ctx context.Context, t *turn, tree string) (string, error) {
	if ok, err := comparesTests(t); err != nil || !ok {
		return "", err
	}
	c, err := chunkCandidate(ctx, t, tree)
	if err != nil {
		return "", err
	}
	f, err := t.tests.FindLostTests(ctx, c)
	return f.Why(), err
}

// compareMerged holds all that is to be merged against the tests that the target has,
// and records what people should know of it.
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

// compareTrees holds the tests of a tree against those of another.
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
	return t.tests.CompareWithOldTests(ctx, candidate(t, trees[0], trees[1], criteria))
}
