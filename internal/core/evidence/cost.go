package evidence

import "time"

// Cost adds up what runs cost.
type Cost struct {
	Tokens   int64   `json:"tokens"`
	MicroUSD int64   `json:"micro_usd"`
	Unpriced int     `json:"unpriced_runs,omitempty"` // runs with an unknown price
	Runs     int     `json:"runs"`
	Seconds  float64 `json:"seconds"`
}

func (c *Cost) Add(r Run) {
	c.Runs++
	c.Tokens += r.Input + r.Output + r.CacheRead + r.CacheWrite
	c.MicroUSD += r.MicroUSD
	c.Seconds += r.Seconds
	if r.Unpriced {
		c.Unpriced++
	}
}

// Cost returns what the runs of a chunk cost; 0 means all chunks.
func (b *Book) Cost(chunk int) (c Cost) {
	for _, e := range b.Runs {
		if chunk == 0 || e.Row.Chunk == chunk {
			c.Add(e.Row)
		}
	}
	return c
}

// Spent returns what all runs since a time cost, in drives and elsewhere.
func (b *Book) Spent(since time.Time) (c Cost) {
	for _, list := range [][]Entry[Run]{b.Runs, b.Others} {
		for _, e := range list {
			if at, err := time.Parse(time.RFC3339, e.At); err == nil && !at.Before(since) {
				c.Add(e.Row)
			}
		}
	}
	return c
}

// SpentBy returns what work without a requirement cost since a time: "session NAME", "workflow ID".
func (b *Book) SpentBy(work string, since time.Time) (c Cost) {
	for _, e := range b.Others {
		if at, err := time.Parse(time.RFC3339, e.At); e.Row.Work == work && (err != nil || !at.Before(since)) {
			c.Add(e.Row)
		}
	}
	return c
}

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
