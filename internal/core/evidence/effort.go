package evidence

import "time"

// Effort is what a requirement took, and what stood in its way.
type Effort struct {
	Cost    Cost
	Took    time.Duration
	Failing []string // the tests that failed last
}

// Failing are the tests that the last run of the tests found broken; none when it passed,
// or named none.
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
