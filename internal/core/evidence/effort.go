package evidence

import "time"

// Effort is what a requirement took, with the tests that failed last.
type Effort struct {
	Cost    Cost
	Took    time.Duration
	Failing []string
}

// Failing returns the tests that the last test run found broken; none if it passed or named none.
func (b *Book) Failing() []string {
	e, ok := Last(b.Tests, func(t Tested) bool { return !t.NotRun && t.Stage != "baseline" && t.Stage != "clean_baseline" })
	switch {
	case !ok || e.Row.Passed:
		return nil
	case len(e.Row.Broke) > 0:
		return e.Row.Broke
	}
	return e.Row.Failing
}
