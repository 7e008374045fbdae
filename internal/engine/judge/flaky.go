package judge

import "context"

// FlakyTests is the message about tests that fail by chance.
const FlakyTests = "some tests also fail at random without the work"

// repeats is how often a failing test is repeated, on both trees.
const repeats = 3

// longRun is the duration in seconds from which a run is repeated only once.
const longRun = 10

// IsFlaky reports whether tests that passed at the base fail on the work by chance: they are
// repeated on both trees. The work did not break what also fails at the base.
func (t *Tests) IsFlaky(ctx context.Context, base, tree string, was CommandResult) (bool, error) {
	if was.TimedOut || base == "" || base == tree {
		return false, nil
	}
	most := repeats
	if was.Seconds >= longRun {
		most = 1
	}
	for range most {
		run, err := t.run(ctx, tree, t.Command)
		if err != nil {
			return false, err
		}
		if run.Result.Passed {
			return t.failsSometimes(ctx, base, most)
		}
	}
	return false, nil
}

// failsSometimes reports whether the tests fail in one of several runs.
func (t *Tests) failsSometimes(ctx context.Context, tree string, most int) (bool, error) {
	for range most {
		run, err := t.run(ctx, tree, t.Command)
		if err != nil || !run.Result.Passed {
			return err == nil, err
		}
	}
	return false, nil
}
