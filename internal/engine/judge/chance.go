package judge

import "context"

// failsOn tells whether the tests fail in one of several runs.
func (t *Tests) failsOn(ctx context.Context, tree string) (bool, error) {
	for range again {
		ran, err := t.run(ctx, tree, t.Command)
		if err != nil || !ran.Said.Passed {
			return err == nil, err
		}
	}
	return false, nil
}

// longRun is from when on a failing run is repeated once alone.
const longRun = 60 // seconds

// IsChance tells whether tests that fail on the work, and passed at the base, do so by
// chance: they are repeated on both. What fails at the base, too, the work has not broken.
func (t *Tests) IsChance(ctx context.Context, base, tree string, was Said) (bool, error) {
	repeats := again
	if was.TimedOut || base == "" || base == tree {
		return false, nil
	}
	if was.Seconds > longRun {
		repeats = 1
	}
	for range repeats {
		ran, err := t.run(ctx, tree, t.Command)
		if err != nil {
			return false, err
		}
		if ran.Said.Passed {
			return t.failsOn(ctx, base)
		}
	}
	return false, nil
}

// ByChance is what is said of it.
const ByChance = "tests fail now and then without the work, too"
